"""Cells of text as a terminal shows it, without its colours."""

from __future__ import annotations

import re
import unicodedata

WIDTHS = (60, 80, 100, 160, 240)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")

_OVERWRITTEN = re.compile(r".*\r(?:\x1b\[K)?")


def plain(text: str) -> str:
    """Return text without the sequences that colour it."""
    return _COLOURS.sub("", text)


def settled(text: str) -> str:
    """Return text without what was overwritten: progress, for example."""
    return "\n".join(_OVERWRITTEN.sub("", line) for line in text.split("\n"))


def cells(line: str) -> int:
    """Return how many columns a line takes, by the tables of Unicode; it has no control characters."""
    return sum(map(_cells_of, plain(line)))


def _cells_of(character: str) -> int:
    category = unicodedata.category(character)
    assert category != "Cc", f"A control character: {character!r}"
    if category in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
