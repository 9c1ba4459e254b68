"""Formatting of sizes and counts."""

from __future__ import annotations

_SIZES = ("kB", "MB", "GB", "TB", "PB", "EB")


def size_text(number: int) -> str:
    """Return a number of bytes in units of a thousand: `999 B`, `1.2 MB`, `340 GB`."""
    if abs(number) < 1000:
        return f"{number} B"
    scaled, power = number / 1000, 0
    while abs(scaled) >= 999.5 and power < len(_SIZES) - 1:
        scaled, power = scaled / 1000, power + 1
    return f"{scaled:.{1 if abs(scaled) < 99.95 else 0}f} {_SIZES[power]}"


def counted(number: int, thing: str, things: str = "") -> str:
    """Return `1 file`, `2 files`, `1,234 files`; `things` is the plural if it is irregular."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
