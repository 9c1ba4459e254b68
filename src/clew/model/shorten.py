"""Shortened text: what is cut ends in `…`, without a space before it.

A limit is a number of characters where text is stored or compared, and of columns where it is
aligned on a terminal.
"""

from __future__ import annotations


def shorten(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def shorten_line(text: str, limit: int) -> str:
    """Return `text` on one line, in at most `limit` characters."""
    return shorten(" ".join(text.split()), limit)


def shorten_to_width(text: str, width: int) -> str:
    """Return `text` in at most `width` columns of a terminal."""
    if width_of(text) <= width:
        return text
    kept: list[str] = []
    left = width - 1
    for char in text:
        left -= _width_of_one(char)
        if left < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def width_of(text: str) -> int:
    """Return the number of columns that `text` takes: a character takes two, one or none."""
    return len(text) if text.isascii() else sum(map(_width_of_one, text))


def _width_of_one(char: str) -> int:
    if char.isascii():
        return 1
    from unicodedata import category, east_asian_width  # noqa: PLC0415  rarely needed, costs 1 ms

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
