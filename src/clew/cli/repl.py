"""`clew repl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.policy.redaction.redact import redact_words
from clew.render.safe import safe_line
from clew.repl import HELP, Reply, handle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.render.shapes.maintenance import ReplOutput

COMMAND = Command(
    "repl",
    "Read slash commands from standard input",
    """\
Accepts the slash commands of an agent's prompt, one per line: `/checkpoint create [NAME]`,
`/checkpoint list`, `/checkpoint restore NAME`, `/checkpoint undo`, `/undo [N]` and `/redo`. `/help`
lists them, `/quit` exits. With --json, prints one object per line.""",
    (Positional("LINE", "Run this line instead of reading standard input", required=False),),
)

_ENDINGS = ("/quit", "/exit")


def run(args: Arguments, context: CommandContext) -> int:
    line = args.maybe("LINE")
    failed = False
    with context.open(create=True) as workspace:
        for one in [line] if line is not None else _lines(context):
            reply = _known(
                handle(one, workspace, look=context.look(), monitor=context.monitor), one
            )
            _answer(one.strip(), reply, context)
            failed = failed or not reply.ok
    is_talk = line is None and context.terminal.can_ask
    return ExitCode.FAILED if failed and not is_talk else ExitCode.DONE


def _lines(context: CommandContext) -> Iterator[str]:
    """Yield lines of standard input up to its end or `/quit`."""
    while True:
        _prompt(context)
        line = context.terminal.stdin.readline()
        if not line or line.strip() in _ENDINGS:
            return
        if line.strip():
            yield line


def _prompt(context: CommandContext) -> None:
    if context.terminal.can_ask:
        context.terminal.stderr.write("clew> ")
        context.terminal.stderr.flush()


def _known(reply: Reply, line: str) -> Reply:
    if reply.handled:
        return reply
    text = f"Unknown command: {safe_line(redact_words(line))!r}. Commands:"
    return reply._replace(text="\n".join((text, *HELP)))


def _answer(line: str, reply: Reply, context: CommandContext) -> None:
    def value() -> ReplOutput:
        return {
            "line": safe_line(redact_words(line)), "is_ok": reply.ok,
            "has_changed_files": reply.changed, "text": reply.text,
        }  # fmt: skip

    if reply.ok or context.as_json:
        context.emit(value, lambda: reply.text.splitlines())
        context.terminal.stdout.flush()
    else:
        for one in reply.text.splitlines():
            context.say(one)
