"""References: texts by which users and agents name a checkpoint.

A text can have several readings, and only the store knows which of them exists.
`parse` therefore returns the possible readings in the order in which to try them:

    @  @~2            here, and two checkpoints above it
    here latest good  keywords
    <64 hex digits>   a full id
    anything          a name
    10:27             a time
    3f2a              the beginning of an id, from four digits on

`id:`, `name:` and `time:` force one reading.
A name with another reading is rejected when it is assigned (`check_name`), so a name never hides an
id, nor an id a name.

Times are local unless they have an offset.
A time means a window (that second, minute or day), and a bare one like `10:27` its latest occurrence
that has begun.  The local time zone is passed as a function, because this module reads neither clock
nor time zone.
"""

from __future__ import annotations

from collections.abc import Callable

UtcOffset = Callable[[float], int]
"""Returns the seconds by which local time is ahead of UTC at a POSIX time."""

KEYWORDS = ("here", "latest", "good")
TEXT_LIMIT = 300
NAME_LIMIT = 120
ID_DIGITS = 64
PREFIX_DIGITS = 4
UNNAMED = "checkpoint-"
"""Prefix of the name of an unnamed checkpoint; its sequence number follows."""

_SECOND = 1_000_000_000
_DAY = 86_400
_EPOCH = 719_163  # the ordinal of 1970-01-01
_YEARS = range(1970, 2200)  # where nanoseconds fit 64 bits
_STEPS_DIGITS = 9
# line separators and bidirectional overrides, which no terminal should get
_HARMFUL = frozenset(
    "\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


class _Value:
    """Base class of readings: equal if of the same class with equal fields.

    Not NamedTuples: five of those take 3 ms to define, and every save imports this module.
    """

    __slots__: tuple[str, ...] = ()

    def _fields(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._fields() == self._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._fields()}"


class Here(_Value):
    """The checkpoint last saved or restored, or an ancestor of it."""

    __slots__ = ("steps_back",)
    __match_args__ = ("steps_back",)

    def __init__(self, steps_back: int = 0) -> None:
        self.steps_back = steps_back


class Keyword(_Value):
    """One of `KEYWORDS`."""

    __slots__ = ("word",)
    __match_args__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class ById(_Value):
    """An id or a prefix of one: lower-case hexadecimal, `PREFIX_DIGITS` or more."""

    __slots__ = ("digits",)
    __match_args__ = ("digits",)

    def __init__(self, digits: str) -> None:
        self.digits = digits

    @property
    def is_full(self) -> bool:
        return len(self.digits) == ID_DIGITS


class ByName(_Value):
    """A name, exactly as given."""

    __slots__ = ("name",)
    __match_args__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class ByTime(_Value):
    """A window of time; as a reference it means the newest checkpoint up to `end_ns`."""

    __slots__ = ("start_ns", "end_ns")
    __match_args__ = ("start_ns", "end_ns")

    def __init__(self, start_ns: int, end_ns: int) -> None:
        self.start_ns = start_ns
        self.end_ns = end_ns


Reading = Here | Keyword | ById | ByName | ByTime


def parse(text: str, now_ns: int, utc_offset: UtcOffset) -> list[Reading]:
    """Return the readings of `text`, in the order to try; raise `ValueError` if there is none."""
    if not text or len(text) > TEXT_LIMIT:
        raise ValueError("it is empty or too long")
    if _is_unprintable(text):
        raise ValueError("it holds control characters")
    if text.startswith("@"):
        return [Here(_steps_back(text))]
    if text in KEYWORDS:
        return [Keyword(text)]
    forced = _forced(text, now_ns, utc_offset)
    if forced is not None:
        return [forced]
    if _is_hex(text) and len(text) == ID_DIGITS:
        return [ById(text.lower())]
    readings: list[Reading] = [ByName(text)]
    window = time_window(text, now_ns, utc_offset)
    if window is not None:
        readings.append(window)
    if _is_prefix(text):
        readings.append(ById(text.lower()))
    return readings


def check_name(name: str) -> None:
    """Raise `ValueError`, with the reason as a clause, unless `name` can only be read as a name."""
    if not name:
        raise ValueError("empty")
    if len(name) > NAME_LIMIT:
        raise ValueError(f"longer than {NAME_LIMIT} characters")
    if _is_unprintable(name):
        raise ValueError("control characters")
    if name != name.strip():
        raise ValueError("leading or trailing space")
    if name.startswith("-"):
        raise ValueError("looks like an option")
    if name.startswith("@"):
        raise ValueError("looks like a reference")
    if name.lower() in KEYWORDS:
        raise ValueError("reserved word")
    if name.lower().startswith(("id:", "name:", "time:")):
        raise ValueError("starts with a reference prefix")
    if _is_hex(name) and len(name) >= PREFIX_DIGITS:
        raise ValueError("looks like an id")
    if _read_time(name) is not None:
        raise ValueError("looks like a time")
    if name.startswith(UNNAMED) and _is_number(name[len(UNNAMED) :]):
        raise ValueError("reserved for unnamed checkpoints")


def time_window(text: str, now_ns: int, utc_offset: UtcOffset) -> ByTime | None:
    """Return the time window of `text`, or None if it is not a time."""
    time = _read_time(text)
    if time is None:
        return None
    if time.offset is not None:
        utc_offset = _constant(time.offset)
    if time.day is None:
        start, end = _latest_occurrence(time, now_ns // _SECOND, utc_offset)
    else:
        local = time.day * _DAY + time.second
        start = min(_utc_times(local, utc_offset))
        if time.length == _DAY:
            end = min(_utc_times(local + _DAY, utc_offset))  # a day may have 23 hours, or 25
        else:
            end = max(_utc_times(local, utc_offset)) + time.length
    return ByTime(start * _SECOND, end * _SECOND - 1)


def _constant(offset: int) -> UtcOffset:
    return lambda _: offset


def _forced(text: str, now_ns: int, utc_offset: UtcOffset) -> Reading | None:
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ("id", "name", "time"):
        return None
    if kind == "name" and rest:
        return ByName(rest)
    if kind == "id" and _is_prefix(rest):
        return ById(rest.lower())
    if kind == "time":
        window = time_window(rest, now_ns, utc_offset)
        if window is not None:
            return window
    raise ValueError(f"it does not hold the {kind} that it announces")


def _steps_back(text: str) -> int:
    if text == "@":
        return 0
    steps = text[2:]
    if text[1] != "~" or not _is_number(steps) or len(steps) > _STEPS_DIGITS:
        raise ValueError("only `@` and `@~N` begin like this")
    return int(steps)


def _is_unprintable(text: str) -> bool:
    return any(
        char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in _HARMFUL
        for char in text
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_hex(text: str) -> bool:
    return bool(text) and not text.strip("0123456789abcdefABCDEF")


def _is_prefix(text: str) -> bool:
    return _is_hex(text) and PREFIX_DIGITS <= len(text) <= ID_DIGITS


class _Time:
    """A parsed time, not yet resolved to a point in time."""

    __slots__ = ("day", "length", "offset", "second")

    def __init__(self, day: int | None, second: int, length: int, offset: int | None) -> None:
        self.day = day
        """Days since 1970, or None for a bare clock time."""
        self.second = second
        """Since midnight."""
        self.length = length
        """Length of the window in seconds: 1, 60 or a whole day."""
        self.offset = offset
        """Seconds ahead of UTC, if given."""


def _read_time(text: str) -> _Time | None:
    """Parse a time: `10:27[:30]`, `2026-11-15`, or both, with an offset."""
    day: int | None = None
    if text[4:5] == text[7:8] == "-":
        day = _read_day(text[:10])
        if day is None:
            return None
        if len(text) == 10:
            return _Time(day, 0, _DAY, None)
        if text[10] not in "T ":
            return None
        text = text[11:]
    clock, offset = _split_offset(text)
    second, length = _read_clock(clock)
    if not length or (offset is None and clock != text):
        return None
    return _Time(day, second, length, offset)


def _read_day(text: str) -> int | None:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(map(_is_number, parts)):
        return None
    year, month, day = map(int, parts)
    if year not in _YEARS:
        return None
    from datetime import date  # noqa: PLC0415  takes 3 ms, and only a dated reference needs it

    try:
        return date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def _split_offset(text: str) -> tuple[str, int | None]:
    if text.endswith("Z"):
        return text[:-1], 0
    for sign, factor in (("+", 1), ("-", -1)):
        clock, found, offset = text.partition(sign)
        if found:
            seconds, length = _read_clock(offset)
            return clock, factor * seconds if length == 60 else None
    return text, None


def _read_clock(text: str) -> tuple[int, int]:
    """Return the second of the day and the length of the window; length 0: not a clock time."""
    parts = text.split(":")
    if len(parts) not in (2, 3) or not all(map(_is_number, parts)):
        return 0, 0
    hour, *rest = parts
    if len(hour) > 2 or int(hour) > 23 or any(len(part) != 2 or int(part) > 59 for part in rest):
        return 0, 0
    minute, second = int(rest[0]), int(rest[1]) if len(rest) == 2 else 0
    return int(hour) * 3600 + minute * 60 + second, 60 if len(rest) == 1 else 1


def _latest_occurrence(time: _Time, now: int, utc_offset: UtcOffset) -> tuple[int, int]:
    today = (now + utc_offset(now)) // _DAY
    starts: list[int] = []
    for day in (today, today - 1, today - 2):
        starts = _utc_times(day * _DAY + time.second, utc_offset)
        begun = [start for start in starts if start <= now]
        if begun:
            return max(begun), max(begun) + time.length
    return min(starts), min(starts) + time.length


def _utc_times(local: int, utc_offset: UtcOffset) -> list[int]:
    """Return when a local clock showed `local`: two times if it was set back, else one."""
    before, after = utc_offset(local - _DAY), utc_offset(local + _DAY)
    candidates = {local - offset for offset in (before, after)}
    found = sorted(
        candidate for candidate in candidates if candidate + utc_offset(candidate) == local
    )
    return found or [
        local - before
    ]  # a time skipped by the clock: use the offset before the change
