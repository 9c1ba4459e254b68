"""Fitting: the lists of an answer are cut until it is short enough, the most important ones least."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

MOST_BYTES = 8_000
"""UTF-8 bytes of an answer."""
_NOTE_BYTES = 160
"""Reserved for the sentence about a list that is cut."""

ASK = "set `detail` to see more"


class Section(NamedTuple):
    """A list of an answer that may be cut."""

    holder: dict[str, Any]
    """The object that has the list."""
    key: str
    share: float
    """The part of the room that it may fill before the lists after it have theirs."""
    ask: str = ASK
    """How to get the rest."""
    name: str = ""
    """What the sentence calls it, if not `key`."""
    total: int = 0
    """How many items there are, if the list was cut before."""
    is_answer: bool = False
    """Whether the list is what was asked for: it stays if it is empty."""


def to_json(value: object) -> str:
    """Return `value` as JSON, without spaces and with the characters of any language as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: object) -> int:
    """Return the number of bytes of `value` as JSON."""
    return len(to_json(value).encode())


def fit(
    answer: dict[str, Any], sections: Sequence[Section], most: int = MOST_BYTES
) -> dict[str, Any]:
    """Return `answer` with lists cut so that it has at most `most` bytes.

    A sentence for each list that was cut is added to `truncated`.  A list without items is removed,
    unless it is what was asked for.
    """
    notes = sum(_NOTE_BYTES for section in sections if section.total > len(_items(section)))
    fits = size(answer) + notes <= most
    lists = [list(section.holder.pop(section.key, ())) for section in sections]
    numbers = list(map(len, lists))
    if not fits:
        keys = sum(_NOTE_BYTES + len(section.key) for section in sections)
        shares = [section.share for section in sections]
        numbers = _numbers(lists, shares, most - size(answer) - keys)
    for section, items, number in zip(sections, lists, numbers, strict=True):
        if number or section.is_answer:
            section.holder[section.key] = items[:number]
        total = max(section.total, len(items))
        if number < total:
            note(answer, f"{section.name or section.key}: {number:,} of {total:,}; {section.ask}")
    return answer


def note(answer: dict[str, Any], sentence: str) -> None:
    """Add a sentence about what was left out; they are the last field of an answer."""
    answer["truncated"] = [*answer.pop("truncated", []), sentence]


def _items(section: Section) -> Sequence[Any]:
    found: Sequence[Any] = section.holder.get(section.key, ())
    return found


def _numbers(lists: list[list[Any]], shares: list[float], room: int) -> list[int]:
    """Return how many items of each list fit: each has its share, then what the others leave."""
    numbers = [0] * len(lists)
    left = room
    for limits in ([int(share * room) for share in shares], [room] * len(lists)):
        for index, items in enumerate(lists):
            limit = min(limits[index], left)
            while numbers[index] < len(items):
                cost = size(items[numbers[index]]) + 1
                if cost > limit:
                    break
                limit -= cost
                left -= cost
                numbers[index] += 1
    return numbers
