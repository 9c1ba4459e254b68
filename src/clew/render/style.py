"""Display settings: the time, the time zone, the width, and whether to use colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Style:
    """What the text depends on besides the result."""

    __slots__ = ("colour", "now_ns", "offset", "width")

    def __init__(self, now_ns: int, offset: Callable[[int], int], width: int, colour: bool) -> None:
        self.now_ns = now_ns
        self.offset = offset
        """Seconds east of UTC at a time given in seconds since 1970."""
        self.width = width
        """Columns of a line."""
        self.colour = colour


_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}


def paint(text: str, colour: str, look: Style) -> str:
    """Return `text` in `colour`; unchanged if colours are off or `colour` is empty."""
    if not (look.colour and colour and text):
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"
