"""Bytes, durations and counts as people say them."""

from __future__ import annotations

_SIZES = ("kB", "MB", "GB", "TB", "PB", "EB")


def size(number: int) -> str:
    """Return a number of bytes in units of a thousand: `999 B`, `1.2 MB`, `340 GB`."""
    if abs(number) < 1000:
        return f"{number} B"
    scaled, power = number / 1000, 0
    while abs(scaled) >= 999.5 and power < len(_SIZES) - 1:
        scaled, power = scaled / 1000, power + 1
    return f"{scaled:.{1 if abs(scaled) < 99.95 else 0}f} {_SIZES[power]}"


def duration(nanoseconds: int) -> str:
    """Return a duration in two units at most: `340 ms`, `3.2 s`, `2 min 5 s`, `1 h 3 min`."""
    milliseconds = nanoseconds // 1_000_000
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds // 100 / 10} s"
    minutes, seconds = divmod(milliseconds // 1000, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    return f"{minutes // 60} h {minutes % 60} min"


def count(number: int, thing: str, things: str = "") -> str:
    """Return `1 file`, `2 files`, `1,234 files`; `things` is the plural where an s is not enough."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
