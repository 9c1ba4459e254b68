"""Restore drill: a checkpoint restored to a copy, and compared with its record."""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of
from clew.model.named_tuple import NamedTuple

DIFFERENCES_KEPT = 20
"""Maximum number of differing paths that are stored; the rest is only counted."""


class DrillOutcome:
    """The outcome of a drill."""

    PROVEN = "proven"
    """Every byte and attribute is as recorded."""
    FAILED = "failed"
    """Something differs, or cannot be read."""


class DrillDifference(NamedTuple):
    """A path that was not restored as recorded."""

    path: bytes
    description: str


class Drill(NamedTuple):
    """The last drill of a checkpoint, as stored."""

    time_ns: int
    outcome: str
    """One of `DrillOutcome`."""
    differing_count: int = 0
    """Number of paths that differ, or cannot be read."""
    differences: tuple[DrillDifference, ...] = ()
    """The first of them, at most `DIFFERENCES_KEPT`."""

    @property
    def is_proven(self) -> bool:
        return self.outcome == DrillOutcome.PROVEN

    def encode_differences(self) -> bytes | None:
        if not self.differences:
            return None
        kept = self.differences[:DIFFERENCES_KEPT]
        return bencode.encode([[one.path, one.description.encode()] for one in kept])


def decode_differences(content: bytes | None) -> tuple[DrillDifference, ...]:
    """Return stored differences; ValueError or TypeError if `content` is not valid."""
    if content is None:
        return ()
    found = []
    for item in list_of(bencode.decode(content)):
        path, description = list_of(item)
        found.append(DrillDifference(bytes_of(path), bytes_of(description).decode()))
    return tuple(found)
