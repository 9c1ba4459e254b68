"""`clew prompt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption, ClewError
from clew.render.prompt import DEFAULT, FIELDS, Prompt, fields, prompt_value, status_line

if TYPE_CHECKING:
    from types import FrameType

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.render.style import Style
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "prompt",
    "Print where the workspace is, for a shell prompt or a status line",
    """\
Prints one line, such as `c26d8022✘ claude-code`: the current checkpoint, the result of its check
(✔ ✘ ~), the agent at work. Prints nothing outside a workspace, and nothing if something fails.
Reads the catalogue only, so it does not know whether files changed; with --scan it looks for at most
100 ms and adds `*` if they did, `?` if that was not enough.
Fields of FORMAT: {id}, {dirty}, {verdict}, {agent} (after a space), {good} (`-3`: the last good
checkpoint is 3 back).
bash: PS1='\\w $(clew prompt) \\$ '
zsh: setopt prompt_subst; PROMPT='%~ $(clew prompt) %# '
fish: function fish_right_prompt; clew prompt; end
Claude Code, in ~/.claude/settings.json:
{"statusLine": {"type": "command", "command": "clew prompt --status-line"}}
--status-line reads the session from standard input and also prints whether a hook of it has run.""",
    (),
    (
        Option(("--format",), "What to print, with the fields above", "FORMAT"),
        Option(("--scan",), "Look for changes for at most 100 ms"),
        Option(("--status-line",), "Read Claude Code's JSON from standard input"),
    ),
)

_SCAN_SECONDS = 0.1
_LARGEST_INPUT = 1 << 20


class _TimeUpError(BaseException):
    """The scan took too long; no handler of an operation may catch it."""


def run(args: Arguments, context: CommandContext) -> int:
    form = _checked(args.maybe("--format"))
    try:
        found = _found(args, context)
    except (ClewError, OSError, ValueError, RecursionError):
        found = None
    if found is None and not context.as_json:
        return ExitCode.DONE
    look = context.look()
    context.emit(
        lambda: prompt_value(found),
        lambda: [_line(found, form, look, args.given("--status-line"))] if found else [],
    )
    return ExitCode.DONE


def _checked(form: str | None) -> str:
    """Return the format, or refuse a field that does not exist."""
    if form is None:
        return DEFAULT
    from clew.policy.redaction.redact import redact_words

    text = redact_words(form)
    left = text
    for field in FIELDS:
        left = left.replace("{" + field + "}", "")
    if "{" in left or "}" in left:
        known = ", ".join("{" + field + "}" for field in FIELDS)
        raise BadOption("--format", f"has a field that is not one of {known}: {text!r}")
    return text


def _line(found: Prompt, form: str, look: Style, is_status_line: bool) -> str:
    if is_status_line:
        return status_line(found, look)
    for field, value in fields(found).items():
        form = form.replace("{" + field + "}", value)
    return form


def _found(args: Arguments, context: CommandContext) -> Prompt:
    session = ""
    if args.given("--status-line"):
        terminal = context.terminal
        text = "{}" if terminal.stdin.isatty() else terminal.stdin.read(_LARGEST_INPUT)
        session, directory = _read(text)
        context.directory = context.directory or directory or None
    with context.open() as workspace:
        overview = workspace.overview()
        is_scanned = args.given("--scan")
        is_changed = _is_changed(workspace) if is_scanned else None
    seen = next((one for one in overview.agents if session and one.native == session), None)
    return Prompt(overview, is_scanned, is_changed, seen)


def _read(text: str) -> tuple[str, str]:
    """Return the session and the directory in Claude Code's JSON; empty if it has none."""
    from json import loads  # only a status line needs it

    value = loads(text)
    if not isinstance(value, dict):
        return "", ""
    place = value.get("workspace")
    inside = place if isinstance(place, dict) else {}
    directories = (inside.get("project_dir"), inside.get("current_dir"), value.get("cwd"), "")
    session = value.get("session_id")
    return (
        session if isinstance(session, str) else "",
        next(one for one in directories if isinstance(one, str)),
    )


def _is_changed(workspace: WorkspaceProtocol) -> bool | None:
    """Return whether files changed; None if a tenth of a second does not suffice to know."""
    import signal  # only --scan needs it

    def stop(_: int, __: FrameType | None) -> None:
        raise _TimeUpError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, _SCAN_SECONDS)
        return workspace.is_changed()
    except _TimeUpError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
