"""`clew session`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import json_sessions, sessions

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "session",
    "Attach, list and inspect agent sessions",
    """\
A session is one run of an agent: its conversation, tasks, effects and checkpoints. New checkpoints
record the attached session until its agent ends; later saves are a person's.
`clew session list`, or `clew session` alone, lists all sessions; `show` prints one in detail.
`clew session attach` starts a session, or continues the one with the same agent and NAME; with ID it
attaches a known one. `clew session detach` detaches it.
`clew session files` lists the files that the agent read and changed; with --checkpoint, only those
since the session's previous checkpoint.
`clew session migrate --to VERSION` migrates a session to another version of its agent: conversation,
tasks, and the agent's own state, which COMMAND reads as JSON and prints in the new format.""",
    (
        Positional(
            "ACTION",
            "`list`, `show`, `attach`, `detach`, `files` or `migrate`",
            required=False,
        ),
        Positional(
            "ID",
            "Session: id, first digits of it, or name (default: the attached one)",
            required=False,
        ),
    ),
    (
        Option(("--agent",), "attach, migrate: agent name", "NAME"),
        Option(("--agent-version",), "attach: agent version", "VERSION"),
        Option(("--name",), "attach: the agent's own name for the session", "NAME"),
        Option(("--transcript",), "attach: transcript file, one JSON value per line", "FILE"),
        Option(
            ("--format",),
            "attach: transcript format: jsonl, claude-code or codex; messages without a file",
            "FORMAT",
        ),
        Option(("--messages",), "show: number of recent messages (default 5)", "N"),
        Option(("--checkpoint",), "files: only files of one checkpoint", "REF"),
        Option(("--to",), "migrate: target version", "VERSION"),
        Option(("--with",), "migrate: command that converts the agent's state", "COMMAND"),
    ),
    pages=True,
)

_OPTIONS: dict[str, tuple[str, ...]] = {
    "list": (),
    "show": ("--messages",),
    "attach": ("--agent", "--agent-version", "--name", "--transcript", "--format"),
    "detach": (),
    "files": ("--checkpoint",),
    "migrate": ("--to", "--agent", "--with"),
}
_WITHOUT_ID = ("list", "detach")
_MESSAGES = 5


def run(args: Arguments, context: CommandContext) -> int:
    action = _checked_action(args)
    with context.open() as workspace:
        _ACTIONS[action](args, context, workspace)
    return ExitCode.DONE


def _checked_action(args: Arguments) -> str:
    action = args.maybe("ACTION") or "list"
    if action not in _OPTIONS:
        raise suggestions.unknown_action(action, _OPTIONS, "session")
    if action in _WITHOUT_ID and args.maybe("ID") is not None:
        raise suggestions.unexpected_argument(args.one("ID"), COMMAND)
    for option in COMMAND.options:
        if args.maybe(option.key) is not None and option.key not in _OPTIONS[action]:
            raise BadOption(option.key, f"does not apply to `clew session {action}`")
    if action == "migrate" and args.maybe("--to") is None:
        raise BadOption("--to", "a version is required")
    return action


def _list(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    every = workspace.sessions.list()
    look = context.look()
    context.emit(lambda: json_sessions.listed(every), lambda: sessions.listed(every, look))
    if not every:
        context.say("No sessions yet: run `clew session attach --agent NAME`")


def _show(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    messages = args.number("--messages")
    page = workspace.sessions.show(
        args.maybe("ID"), messages=_MESSAGES if messages is None else messages
    )
    look = context.look()
    context.emit(lambda: json_sessions.shown(page), lambda: sessions.shown(page, look))


def _attach(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    if args.maybe("ID") is None:
        info = workspace.sessions.open(
            agent=args.maybe("--agent") or "",
            version=args.maybe("--agent-version") or "",
            native=args.maybe("--name") or "",
            transcript=args.maybe("--transcript"),
            kind=args.maybe("--format"),
        ).info
        context.say_redacted(agent=args.maybe("--agent"), name=args.maybe("--name"))
    else:
        for option in _OPTIONS["attach"]:
            if args.maybe(option) is not None:
                raise BadOption(option, "cannot be combined with ID")
        info = workspace.sessions.attach(args.one("ID"))
    context.emit(lambda: json_sessions.one(info), lambda: sessions.attached(info))


def _detach(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    info = workspace.sessions.detach()
    context.emit(lambda: json_sessions.one(info), lambda: sessions.attached(info))


def _files(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    found = workspace.sessions.files(args.maybe("ID"), checkpoint=args.maybe("--checkpoint"))
    look = context.look()
    context.emit(lambda: json_sessions.files(found), lambda: sessions.files(found, look))
    if not found.files:
        context.say("No file reads or changes recorded")


def _migrate(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> None:
    moved = workspace.sessions.migrate(
        args.maybe("ID"),
        version=args.one("--to"),
        agent=args.maybe("--agent"),
        convert=args.maybe("--with"),
    )
    context.emit(lambda: json_sessions.migrated(moved), lambda: sessions.migrated(moved))


_ACTIONS = {
    "list": _list,
    "show": _show,
    "attach": _attach,
    "detach": _detach,
    "files": _files,
    "migrate": _migrate,
}
