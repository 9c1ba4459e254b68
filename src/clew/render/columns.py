"""Columns: text padded to a width on a terminal."""

from __future__ import annotations

from clew.model.shorten import width_of

_LABEL_WIDTH = 13


def pad(text: str, width: int) -> str:
    """Return `text` with spaces after it, `width` columns in all."""
    return text + " " * (width - width_of(text))


def pad_left(text: str, width: int) -> str:
    """Return `text` with spaces before it, `width` columns in all."""
    return " " * (width - width_of(text)) + text


def field(label: str, value: str) -> str:
    """Return a value under its label, as cards list them."""
    return f"  {label:<{_LABEL_WIDTH}}{value}"
