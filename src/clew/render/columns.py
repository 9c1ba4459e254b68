"""Columns: the width of text on a terminal, where a character takes two, one or no columns."""

from __future__ import annotations

_LABEL_WIDTH = 13


def width_of(text: str) -> int:
    """Return the number of columns that `text` takes."""
    return len(text) if text.isascii() else sum(map(_width_of_one, text))


def pad(text: str, width: int) -> str:
    """Return `text` with spaces after it, `width` columns in all."""
    return text + " " * (width - width_of(text))


def pad_left(text: str, width: int) -> str:
    """Return `text` with spaces before it, `width` columns in all."""
    return " " * (width - width_of(text)) + text


def field(label: str, value: str) -> str:
    """Return a value under its label, as cards list them."""
    return f"  {label:<{_LABEL_WIDTH}}{value}"


def shorten(text: str, width: int) -> str:
    """Return as much of `text` as fits in `width` columns, with `…` where it was cut."""
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


def _width_of_one(char: str) -> int:
    if char.isascii():
        return 1
    from unicodedata import category, east_asian_width  # rarely needed, costs 1 ms

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
