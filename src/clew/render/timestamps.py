"""Timestamps: nanoseconds since 1970 as text.

This module has its own calendar because importing `datetime` takes longer than rendering a whole log,
and because a file's mtime may be outside the years that `datetime` supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.render.style import Style

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SECOND = 1_000_000_000


class Civil:
    """A date and a time of day, as text."""

    __slots__ = ("clock", "date", "day_number", "second")

    def __init__(self, date: str, clock: str, second: int, day_number: int) -> None:
        self.date = date
        """`2026-01-05`; with a sign and six digits for years outside 0 to 9999."""
        self.clock = clock
        """`10:27`."""
        self.second = second
        self.day_number = day_number
        """Days since 1 January 1970, a Thursday."""


def civil(seconds: int) -> Civil:
    """Return the date and time of `seconds` since 1970, in the Gregorian calendar."""
    days, rest = divmod(seconds, 86400)
    # Years are counted from 1 March, so that the day which may be missing is the last one.
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    year = year_of_era + era * 400 + (month <= 2)
    year_text = f"{year:04}" if 0 <= year <= 9999 else f"{year:+07}"
    date = f"{year_text}-{month:02}-{day:02}"
    return Civil(date, f"{rest // 3600:02}:{rest // 60 % 60:02}", rest % 60, days)


def rfc3339(time_ns: int) -> str:
    """Return `2026-01-05T10:30:00.123456789Z`, always UTC, nanoseconds kept."""
    seconds, nanoseconds = divmod(time_ns, _SECOND)
    at = civil(seconds)
    return f"{at.date}T{at.clock}:{at.second:02}.{nanoseconds:09}Z"


def short(time_ns: int, look: Style) -> str:
    """Return `10:27` for today, `Mon 10:27` for the last six days, else the date and time."""
    at, now = _local(time_ns, look), _local(look.now_ns, look)
    days_ago = now.day_number - at.day_number
    if days_ago == 0:
        return at.clock
    if 0 < days_ago < 7:
        return f"{_DAYS[(at.day_number + 3) % 7]} {at.clock}"
    return f"{at.date} {at.clock}"


def brief(time_ns: int, look: Style) -> str:
    """Return the same as `short`, but a date without the time of day."""
    at, now = _local(time_ns, look), _local(look.now_ns, look)
    return short(time_ns, look) if 0 <= now.day_number - at.day_number < 7 else at.date


TODAY = "today"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(time_ns: int, look: Style) -> str:
    """Return `today`, `yesterday`, `Mon 5 Jan`, or with a year if it is another one."""
    at, now = _local(time_ns, look), _local(look.now_ns, look)
    days_ago = now.day_number - at.day_number
    if days_ago in (0, 1):
        return (TODAY, "yesterday")[days_ago]
    year, month, number = at.date.rsplit("-", 2)
    weekday = _DAYS[(at.day_number + 3) % 7]
    text = f"{weekday} {int(number)} {_MONTHS[int(month) - 1]}"
    return text if year == now.date.rsplit("-", 2)[0] else f"{text} {year}"


def clock(time_ns: int, look: Style, *, seconds: bool = False) -> str:
    """Return `10:27`, or `10:27:03`."""
    at = _local(time_ns, look)
    return f"{at.clock}:{at.second:02}" if seconds else at.clock


def date(time_ns: int, look: Style) -> str:
    """Return `2026-01-05`, local."""
    return _local(time_ns, look).date


def minute(time_ns: int, look: Style) -> str:
    """Return `2026-01-05 10:27`, local."""
    at = _local(time_ns, look)
    return f"{at.date} {at.clock}"


def full(time_ns: int, look: Style) -> str:
    """Return `2026-01-05 10:27:03 +01:00`, local."""
    at = _local(time_ns, look)
    offset = look.offset(time_ns // _SECOND)
    sign, minutes = "-" if offset < 0 else "+", abs(offset) // 60
    return f"{at.date} {at.clock}:{at.second:02} {sign}{minutes // 60:02}:{minutes % 60:02}"


def _local(time_ns: int, look: Style) -> Civil:
    seconds = time_ns // _SECOND
    return civil(seconds + look.offset(seconds))
