"""Quoted strings, read as what they stand for: a secret inside JSON has escapes before its quotes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from clew.model.named_tuple import NamedTuple

_MAX_DEPTH = 2
"""A string inside a string, as the command of a tool call in a transcript."""
_ESCAPES = re.compile(
    r"\\(u[0-9a-fA-F]{4}|x[0-7][0-9a-fA-F]|.)|(\"|(?<![\w\\])'|'(?!\w))", re.DOTALL
)
_MEANT = {"n": "\n", "t": "\t", "r": "\n"}


class Reading(NamedTuple):
    """A text without escapes, and where each of its characters was."""

    text: str
    shortened: Sequence[int]
    """Where an escape was, for each character that it was longer, in order."""

    def original(self, at: int) -> int:
        """Return where a character was in the original text."""
        return at + bisect_left(self.shortened, at)


def _has_strings(text: str) -> bool:
    """Return whether a text may have quoted strings."""
    return '"' in text or "'" in text or "\\" in text


def unquoted(text: str) -> Iterator[Reading]:
    """Yield readings of a text: strings begin and end lines, and escapes are what they mean."""
    reading = Reading(text, ())
    for _ in range(_MAX_DEPTH):
        if not _has_strings(reading.text):
            return
        reading = _unescaped(reading)
        yield reading


def _unescaped(reading: Reading) -> Reading:
    parts: list[str] = []
    shortened: list[int] = []
    done = length = 0
    for found in _ESCAPES.finditer(reading.text):
        between = reading.text[done : found.start()]
        parts += between, _meaning(found)
        length += len(between)
        shortened += [length] * (found.end() - found.start() - 1)
        length += 1
        done = found.end()
    parts.append(reading.text[done:])
    if reading.shortened:
        shortened = _combined(shortened, reading)
    return Reading("".join(parts), shortened)


def _meaning(found: re.Match[str]) -> str:
    if found[2]:
        return "\n"
    escape = found[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _MEANT.get(escape, escape)


def _combined(shortened: list[int], outer: Reading) -> list[int]:
    """Return where both readings shortened the text, in terms of the inner one."""
    inner = Reading("", shortened)
    moved = []
    before = 0
    for at in outer.shortened:
        while before < len(shortened) and shortened[before] + before < at:
            before += 1
        moved.append(at - before)
    return sorted([*inner.shortened, *moved])
