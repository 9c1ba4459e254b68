"""Parsing of sizes (`5GB`), durations (`7d`) and relative times (`2h`).

Decimal units are decimal (`GB` and `G` are 10^9 bytes), binary ones say so (`GiB` is 2^30).
Fractions are allowed (`1.5GiB`); the result is an integer, rounded down.
"""

from __future__ import annotations

from clew.model.reference import UtcOffset, time_window

_SIZES = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _SIZES[_letter] = _SIZES[_letter + "b"] = 1000**_power
    _SIZES[_letter + "ib"] = 1024**_power

_SECOND = 1_000_000_000
_DURATIONS = {
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
    "d": 86_400 * _SECOND,
    "w": 7 * 86_400 * _SECOND,
}

_MAX_VALUE = (1 << 63) - 1
_MAX_DIGITS = 19


def parse_size(text: str) -> int:
    """Return a size like `5GB`, `512MiB`, `1.5G` or `1000` in bytes."""
    number, unit = _split(text)
    factor = _SIZES.get(unit.lower())
    if not number or factor is None:
        raise ValueError(f"not a size like 5GB, 512MiB or 1000: {text[:40]!r}")
    return _times(number, factor, text)


def parse_duration(text: str) -> int:
    """Return a duration like `45s`, `90m`, `36h`, `7d` or `2w` in nanoseconds."""
    number, unit = _split(text)
    factor = _DURATIONS.get(unit)
    if not number or factor is None:
        raise ValueError(f"not a duration like 45s, 90m, 36h, 7d or 2w: {text[:40]!r}")
    return _times(number, factor, text)


def parse_since(text: str, now_ns: int, utc_offset: UtcOffset) -> int:
    """Return the start time given as `2h` (ago), `10:27` or `2026-11-15`, in ns UTC.

    A time means the start of its minute or day here; in a reference it means the end.
    """
    window = time_window(text.strip(), now_ns, utc_offset)
    if window is not None:
        return window.start_ns
    number, unit = _split(text)
    factor = _DURATIONS.get(unit)
    if not number or factor is None:
        raise ValueError(
            f"not a duration like 2h nor a time like 10:27 or 2026-11-15: {text[:40]!r}"
        )
    return max(0, now_ns - _times(number, factor, text))


def _split(text: str) -> tuple[str, str]:
    """Return number and unit; the number is empty if it is invalid."""
    text = text.strip()
    unit = text.lstrip("0123456789.")
    number = text[: len(text) - len(unit)]
    whole, _, fraction = number.partition(".")
    is_valid = whole and "." not in fraction and (fraction or "." not in number)
    return (number if is_valid else ""), unit.strip()


def _times(number: str, factor: int, text: str) -> int:
    whole, _, fraction = number.partition(".")
    if len(whole) + len(fraction) > _MAX_DIGITS:
        raise ValueError(f"too many digits: {text[:40]!r}")
    product: int = int(whole + fraction) * factor // 10 ** len(fraction)
    if product > _MAX_VALUE:
        raise ValueError(f"too large: {text[:40]!r}")
    return product
