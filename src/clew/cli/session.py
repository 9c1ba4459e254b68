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
    from clew.workspace import Workspace

COMMAND = Command(
    "session",
    "Say which agent is at work, and see what it did",
    """\
A session is one run of an agent: its conversation, its tasks, its effects, its checkpoints.
`clew session attach` begins one, or goes on with the one that the same agent calls by the same NAME;
with an ID it attaches a known one. Checkpoints carry the session that is attached.
`clew session detach` ends that.
`clew session list`, or `clew session` alone, shows all, `show` one of them in full.
`clew session files` lists which files the agent read and changed; with --checkpoint those since its
checkpoint before.
`clew session migrate --to VERSION` carries a session to another version of its agent: conversation,
tasks, and the agent's own state, which COMMAND reads as JSON and prints in the new shape.
ID is a session's id, the first digits of it, or its NAME; by default the one attached.""",
    (
        Positional(
            "ACTION",
            "`list`, `show`, `attach`, `detach`, `files` or `migrate`",
            required=False,
        ),
        Positional("ID", "The session; by default the one attached", required=False),
    ),
    (
        Option(("--agent",), "attach, migrate: who is at work", "NAME"),
        Option(("--agent-version",), "attach: which version of it", "VERSION"),
        Option(("--name",), "attach: what the agent itself calls the session", "NAME"),
        Option(("--transcript",), "attach: where its conversation grows, one JSON a line", "FILE"),
        Option(
            ("--format",),
            "attach: how that is written: jsonl, claude-code or codex; messages without a file",
            "FORMAT",
        ),
        Option(("--messages",), "show: how many of the last messages, 5 by default", "N"),
        Option(("--checkpoint",), "files: only what one checkpoint adds", "REF"),
        Option(("--to",), "migrate: the version to go on under", "VERSION"),
        Option(("--with",), "migrate: what converts the agent's own state", "COMMAND"),
    ),
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
            raise BadOption(option.key, f"says nothing to `clew session {action}`")
    if action == "migrate" and args.maybe("--to") is None:
        raise BadOption("--to", "a version is needed")
    return action


def _list(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
    every = workspace.sessions.list()
    look = context.look()
    context.emit(lambda: json_sessions.listed(every), lambda: sessions.listed(every, look))
    if not every:
        context.say("No sessions yet: `clew session attach --agent NAME`")


def _show(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
    messages = args.number("--messages")
    page = workspace.sessions.show(
        args.maybe("ID"), messages=_MESSAGES if messages is None else messages
    )
    look = context.look()
    context.emit(lambda: json_sessions.shown(page), lambda: sessions.shown(page, look))


def _attach(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
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
                raise BadOption(option, "cannot be given together with the ID of a known session")
        info = workspace.sessions.attach(args.one("ID"))
    context.emit(lambda: json_sessions.one(info), lambda: sessions.attached(info))


def _detach(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
    info = workspace.sessions.detach()
    context.emit(lambda: json_sessions.one(info), lambda: sessions.attached(info))


def _files(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
    found = workspace.sessions.files(args.maybe("ID"), checkpoint=args.maybe("--checkpoint"))
    look = context.look()
    context.emit(lambda: json_sessions.files(found), lambda: sessions.files(found, look))
    if not found.files:
        context.say("No file was read or changed, as far as is known")


def _migrate(args: Arguments, context: CommandContext, workspace: Workspace) -> None:
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
