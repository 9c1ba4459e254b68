"""Slash commands for an interactive prompt: one line in, one reply out.

    reply = clew.repl.handle("/checkpoint create before-refactor", workspace)
    print(reply.text)

    /checkpoint create [NAME]   create a checkpoint
    /checkpoint list            list the checkpoints, newest first
    /checkpoint restore NAME    restore one, by its name or any other reference
    /checkpoint undo            undo the last save, restore or edits
    /undo [N]                   undo N times; from the ghost stack, if there is one
    /redo                       redo the last undo

Errors are replies too, so that the prompt continues.
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
from clew.render.checkpoint_title import title
from clew.render.safe import safe, safe_line
from clew.render.style import Style
from clew.render.timeline.lines import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.workspace.protocol import WorkspaceProtocol

HELP = tuple(line.strip() for line in (__doc__ or "").splitlines() if line.startswith("    /"))
LISTED = 20
_WIDTH = 100


class Ghost(Protocol):
    """A stack of snapshots, such as `clew.compat.chimera.GhostCommitManager`."""

    @property
    def depth(self) -> int: ...

    def undo(self, n: int = 1) -> list[str]: ...


class Reply(NamedTuple):
    """The reply to one line."""

    text: str
    """Escaped for a terminal, without a newline at the end."""
    ok: bool = True
    handled: bool = True
    """False if the line is not one of these commands but the host's own, or for the model."""
    changed: bool = False
    """Whether files were changed."""


class _Host(NamedTuple):
    """The context of a line."""

    workspace: WorkspaceProtocol
    ghost: Ghost | None
    look: Style
    monitor: Monitor


def handle(
    line: str,
    workspace: WorkspaceProtocol,
    ghost: Ghost | None = None,
    *,
    look: Style | None = None,
    monitor: Monitor | None = None,
) -> Reply:
    """Run one line and return the reply; `handled` is False if it is not a command."""
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
        return Reply(safe(redact_words(f"Failed: {error}")), ok=False)


def _checkpoint(rest: str, host: _Host) -> Reply:
    action, _, argument = rest.partition(" ")
    argument = argument.strip()
    if action == "create":
        return _create(argument, host)
    if action == "restore":
        return _restore(argument, host)
    if action in ("list", "undo") and argument:
        raise BadOption(f"/checkpoint {action}", f"unexpected argument: {argument!r}")
    if action == "list":
        log = host.workspace.log(limit=LISTED)
        return Reply("\n".join(lines(log, host.look)) or "No checkpoints yet")
    if action == "undo":
        return _restore_reply(host.workspace.undo(monitor=host.monitor), host, "redo")
    raise BadOption("/checkpoint", "requires create, list, restore or undo")


def _create(words: str, host: _Host) -> Reply:
    """Save under a name; text that is not a valid name becomes the intent."""
    try:
        require_name(words)
        saved = host.workspace.save("", name=words, monitor=host.monitor).checkpoint
    except BadName:
        saved = host.workspace.save(words or None, monitor=host.monitor).checkpoint
    return Reply(f"Saved {short(saved.id)}  {safe_line(title(saved))}")


def _restore(words: str, host: _Host) -> Reply:
    """Restore the newest checkpoint with exactly this intent or name, else the reference.

    Rescues are skipped: clew itself chose their intent, and they are found by id.
    """
    if not words:
        raise BadOption("/checkpoint restore", "requires the name of a checkpoint")
    called = (
        one.id.hex()
        for one in host.workspace.log().checkpoints
        if words in (one.labels.intent, one.labels.name) and not one.is_rescue
    )
    reference = next(called, words)
    return _restore_reply(host.workspace.restore(reference, monitor=host.monitor), host, "undo")


def _undo(steps: int, host: _Host) -> Reply:
    if host.ghost is not None and host.ghost.depth:
        return _ghost_reply(host.ghost.undo(steps))
    result = host.workspace.undo(steps, monitor=host.monitor)
    return _restore_reply(result, host, "redo" if steps == 1 else "")


def _redo(rest: str, host: _Host) -> Reply:
    if rest:
        raise BadOption("/redo", f"unexpected argument: {rest!r}")
    try:
        return _restore_reply(host.workspace.redo(monitor=host.monitor), host, "undo")
    except NothingToRedo:
        # An undo of the ghost stack is a restore, so the trail has nothing to redo.
        again = getattr(host.ghost, "redo", None)
        done = again() if again is not None else []
        if not done:
            raise
        return _ghost_reply(done)


def _steps(rest: str) -> int:
    words = rest.split()
    if words[:1] == ["--steps"]:
        words = words[1:]
        if not words:
            raise BadOption("/undo", "--steps requires a number")
    if not words:
        return 1
    if len(words) > 1 or not (words[0].isascii() and words[0].isdigit()) or int(words[0]) < 1:
        raise BadOption("/undo", f"must be a whole number, 1 or more: {' '.join(words)!r}")
    return int(words[0])


def _restore_reply(result: RestoreResult, host: _Host, way_back: str) -> Reply:
    lines = restoring.result(result, host.look, way_back)
    return Reply("\n".join(lines), ok=not result.is_partial, changed=True)


def _ghost_reply(done: list[str]) -> Reply:
    return Reply("\n".join(map(safe_line, done)) or "Nothing changed", changed=bool(done))


def _plain_look() -> Style:
    return Style(time.time_ns(), lambda second: time.localtime(second).tm_gmtoff, _WIDTH, False)
