"""`clew offer`: what may come next, for the scripts of `clew completion`; in no list of commands.

It fails in silence: an error between two keys helps nobody.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "offer",
    "Print what may come next on a command line, for the completion of a shell",
    "",
    (
        Positional("SHELL", "`bash`, `zsh` or `fish`"),
        Positional("KIND", "What is offered"),
        Positional("WORD", "What is typed so far, and the checkpoint of a path", many=True,
                   required=False, after_dashes=True),
    ),
)  # fmt: skip

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+,~")


def run(args: Arguments, context: CommandContext) -> int:
    with suppress(Exception):
        context.terminal.stdout.write(_offered(args, context))
    return ExitCode.DONE


def _offered(args: Arguments, context: CommandContext) -> str:
    from clew.render import offers

    shell, (word, *refs) = args.one("SHELL"), [*args.all("WORD"), ""][: len(args.all("WORD")) or 1]
    context.directory, context.store = _expanded(context.directory), _expanded(context.store)
    quote = ""
    if shell == "bash":
        quote, word, refs = word[:1], unquoted(word), [unquoted(ref) for ref in refs]
    with context.open() as workspace:
        found = workspace.offers(args.one("KIND"), word, ref=refs[0] if refs else None)
    lines = offers.lines(found, context.look())
    if shell == "bash":
        lines = ((quoted(one, quote), meaning) for one, meaning in lines)
    return "".join(f"{one}\t{meaning}\n" for one, meaning in lines if one)


def _expanded(path: str | None) -> str | None:
    """Return a path with its `~` replaced, which no shell does before a command is run."""
    if path is None or not path.startswith("~"):
        return path
    from os.path import expanduser

    return expanduser(path)


def unquoted(word: str) -> str:
    """Return a word of bash without its quotes, of which the last may be open."""
    found, quote, at = [], "", 0
    while at < len(word):
        char = word[at]
        at += 1
        if char == "\\" and quote != "'" and at < len(word):
            found.append(word[at])
            at += 1
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        else:
            found.append(char)
    return "".join(found)


def quoted(word: str, quote: str) -> str:
    """Return a word as bash may insert it; nothing if it is special and a quote is open."""
    special = {char for char in word if char not in _PLAIN and char.isascii()}
    if quote in ("'", '"'):
        return "" if special - {" "} else word
    text = "".join(f"\\{char}" if char in special else char for char in word)
    return f"\\{text}" if text.startswith("~") else text
