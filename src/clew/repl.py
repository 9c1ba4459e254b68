"""The slash commands of a prompt: one line in, one reply out, for any program that has a loop.

    reply = clew.repl.handle("/checkpoint create before-refactor", workspace)
    print(reply.text)

    /checkpoint create [NAME]   save
    /checkpoint list            the checkpoints, newest first
    /checkpoint restore NAME    go to one, by its name or any other reference
    /checkpoint undo            take back the last save, restore or edits
    /undo [N]                   the same N times; from a ghost stack, if one is given and not empty
    /redo                       take back the last undo

What goes wrong is a reply too: a prompt outlives its mistakes.
"""

from __future__ import annotations

import time
from typing import Protocol

from clew.errors import BadName, BadOption, ClewError, NothingToRedo
from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import RestoreResult
from clew.monitor import Monitor
from clew.opening import require_name
from clew.policy.redaction.redact import redact_words
from clew.render import restore as restoring
from clew.render import timeline
from clew.render.checkpoint_title import title
from clew.render.safe import safe, safe_line
from clew.render.style import Style
from clew.workspace import Workspace

HELP = tuple(line.strip() for line in (__doc__ or "").splitlines() if line.startswith("    /"))
LISTED = 20
_WIDTH = 100


class Ghost(Protocol):
    """A stack of snapshots, such as `clew.compat.chimera.GhostCommitManager`."""

    @property
    def depth(self) -> int: ...

    def undo(self, n: int = 1) -> list[str]: ...


class Reply(NamedTuple):
    """What there is to say to one line."""

    text: str
    """Safe to show, without a newline at the end."""
    ok: bool = True
    handled: bool = True
    """False for a line that is none of these commands: the host's own, or the model's."""
    changed: bool = False
    """Whether files were changed."""


class _Host(NamedTuple):
    """Where a line was typed."""

    workspace: Workspace
    ghost: Ghost | None
    look: Style
    monitor: Monitor


def handle(
    line: str,
    workspace: Workspace,
    ghost: Ghost | None = None,
    *,
    look: Style | None = None,
    monitor: Monitor | None = None,
) -> Reply:
    """Do what one line asks for and say what came of it; only what is no command is not handled."""
    word, _, rest = line.strip().partition(" ")
    host = _Host(workspace, ghost, look or _plain_look(), monitor or Monitor())
    try:
        match word:
            case "/checkpoint":
                return _checkpoint(rest.strip(), host)
            case "/undo":
                return _undo(_steps(rest), host)
            case "/redo":
                return _redo(rest.strip(), host)
            case "/help":
                return Reply("\n".join(HELP))
            case _:
                return Reply("", ok=False, handled=False)
    except ClewError as error:
        return Reply(safe(redact_words(str(error))), ok=False)
    except OSError as error:
        return Reply(safe(redact_words(f"Cannot be done: {error}")), ok=False)


def _checkpoint(rest: str, host: _Host) -> Reply:
    action, _, argument = rest.partition(" ")
    argument = argument.strip()
    if action == "create":
        return _create(argument, host)
    if action == "restore":
        return _restore(argument, host)
    if action in ("list", "undo") and argument:
        raise BadOption(f"/checkpoint {action}", f"takes nothing more: {argument!r}")
    if action == "list":
        log = host.workspace.log(limit=LISTED)
        return Reply("\n".join(timeline.lines(log, host.look)) or "No checkpoints yet")
    if action == "undo":
        return _said(host.workspace.undo(monitor=host.monitor), host, "redo")
    raise BadOption("/checkpoint", "must be followed by create, list, restore or undo")


def _create(words: str, host: _Host) -> Reply:
    """Save under a name; words that cannot be one are what the checkpoint is about."""
    try:
        require_name(words)
        saved = host.workspace.save("", name=words, monitor=host.monitor).checkpoint
    except BadName:
        saved = host.workspace.save(words or None, monitor=host.monitor).checkpoint
    return Reply(f"Saved {short(saved.id)}  {safe_line(title(saved))}")


def _restore(words: str, host: _Host) -> Reply:
    """Go to the newest checkpoint that somebody called just so, else to what clew takes it for.

    A rescue was called something by clew itself, and is found by its id.
    """
    if not words:
        raise BadOption("/checkpoint restore", "needs the name of a checkpoint")
    called = (
        one.id.hex()
        for one in host.workspace.log().checkpoints
        if words in (one.labels.intent, one.labels.name) and not one.is_rescue
    )
    reference = next(called, words)
    return _said(host.workspace.restore(reference, monitor=host.monitor), host, "undo")


def _undo(steps: int, host: _Host) -> Reply:
    if host.ghost is not None and host.ghost.depth:
        return _told(host.ghost.undo(steps))
    result = host.workspace.undo(steps, monitor=host.monitor)
    return _said(result, host, "redo" if steps == 1 else "")


def _redo(rest: str, host: _Host) -> Reply:
    if rest:
        raise BadOption("/redo", f"takes nothing more: {rest!r}")
    try:
        return _said(host.workspace.redo(monitor=host.monitor), host, "undo")
    except NothingToRedo:
        # An undo of the ghost stack is a restore, and leaves nothing ahead on the trail.
        again = getattr(host.ghost, "redo", None)
        done = again() if again is not None else []
        if not done:
            raise
        return _told(done)


def _steps(rest: str) -> int:
    words = rest.split()
    if words[:1] == ["--steps"]:
        words = words[1:]
        if not words:
            raise BadOption("/undo", "--steps needs a number")
    if not words:
        return 1
    if len(words) > 1 or not (words[0].isascii() and words[0].isdigit()) or int(words[0]) < 1:
        raise BadOption("/undo", f"must be followed by a number, 1 or more: {' '.join(words)!r}")
    return int(words[0])


def _said(result: RestoreResult, host: _Host, way_back: str) -> Reply:
    lines = restoring.result(result, host.look, way_back)
    return Reply("\n".join(lines), ok=not result.is_partial, changed=True)


def _told(done: list[str]) -> Reply:
    return Reply("\n".join(map(safe_line, done)) or "Nothing had changed", changed=bool(done))


def _plain_look() -> Style:
    return Style(time.time_ns(), lambda second: time.localtime(second).tm_gmtoff, _WIDTH, False)
