"""`clew cat`."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

from clew.cli.declare import REF, REVEAL, Command, Positional
from clew.cli.exits import ExitCode
from clew.render import json
from clew.render.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "cat",
    "Print a file from a checkpoint",
    """\
Prints the exact bytes to a file or a pipe: `clew cat REF PATH > PATH` gets a file back.
On a terminal and with --json, what may be a secret is redacted, unless --reveal is given; a terminal
also gets control characters escaped.""",
    (REF, Positional("PATH", "File to print")),
    (REVEAL,),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    path = args.one("PATH")
    with context.open() as workspace:
        pieces = workspace.cat(args.one("REF"), path, monitor=context.monitor)
        if context.as_json:
            _emit(path, b"".join(pieces), context)
        elif context.terminal.stdout.isatty():
            _show(path, pieces, context)
        else:
            _copy(pieces, context)
    return ExitCode.DONE


def _emit(path: str, content: bytes, context: CommandContext) -> None:
    from clew.policy.redaction.conceal import conceal_content  # exact bytes need none

    shown = content if context.reveals else conceal_content(path, content)
    name = path.encode("utf-8", "surrogateescape")
    context.emit(lambda: json.content(name, content, shown), lambda: ())


def _show(path: str, pieces: Iterable[bytes], context: CommandContext) -> None:
    from clew.policy.redaction.conceal import concealed  # exact bytes need none

    lines = _lines(pieces)
    end = ""
    for line in lines if context.reveals else concealed(path, lines):
        if not context.put(end + safe(line, keep="\t")):
            return
        end = "\n"


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a file without their ends; the last one is empty if the file ends with one."""
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    begun: list[str] = []
    for piece in pieces:
        first, *more = decoder.decode(piece).split("\n")
        begun.append(first)
        for line in more:
            yield "".join(begun)
            begun = [line]
    yield "".join(begun) + decoder.decode(b"", final=True)


def _copy(pieces: Iterable[bytes], context: CommandContext) -> None:
    context.terminal.stdout.flush()
    output = context.terminal.binary_output
    for piece in pieces:
        output.write(piece)
    output.flush()
