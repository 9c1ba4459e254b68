"""Reverse reachability: the checkpoints that reach given objects.

Each tree is read once; what it reaches is cached and shared by all checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.model.ids import CheckpointId, ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Record
from clew.store.mark import FOLLOWED, Follow, Reference, of_record

Numbers = frozenset[int]
_NONE: Numbers = frozenset()


class Needs(NamedTuple):
    """The checkpoints that reach the wanted objects."""

    checkpoints: dict[int, list[CheckpointId]]
    """By the numbers given with the objects, ordered by sequence."""
    reached: set[ObjectId]
    """The wanted objects that any checkpoint reaches."""


def who_needs(
    records: Iterable[tuple[CheckpointId, Record]],
    wanted: Mapping[ObjectId, Numbers],
    follow: Follow,
) -> Needs:
    """Return the checkpoints that reach `wanted` objects, each of which has some numbers.

    A wanted object is not followed, because it may be damaged.
    """
    search = _NeedSearch(wanted, follow)
    checkpoints: dict[int, list[CheckpointId]] = {}
    for identifier, record in sorted(records, key=lambda item: item[1].sequence):
        for number in search.numbers(of_record(identifier, record)):
            checkpoints.setdefault(number, []).append(identifier)
    return Needs(checkpoints, search.reached)


class _NeedSearch:
    def __init__(self, wanted: Mapping[ObjectId, Numbers], follow: Follow) -> None:
        self.reached: set[ObjectId] = set()
        self._wanted = wanted
        self._follow = follow
        self._known: dict[ObjectId, Numbers] = {}

    def numbers(self, references: list[Reference]) -> Numbers:
        """Return the numbers of all objects reached; iterative, because trees have any depth."""
        pending = self._unknown(references)
        while pending:
            kind, identifier = pending[-1]
            if identifier in self._known:
                pending.pop()
                continue
            named = self._follow(kind, identifier)
            below = self._unknown(named)
            if below:
                pending += below  # revisit this object when they are known
            else:
                self._known[identifier] = self._union(named)
                pending.pop()
        return self._union(references)

    def _unknown(self, references: list[Reference]) -> list[Reference]:
        return [
            (kind, identifier)
            for kind, identifier in references
            if kind in FOLLOWED and identifier not in self._wanted and identifier not in self._known
        ]

    def _union(self, references: list[Reference]) -> Numbers:
        numbers = _NONE
        for _, identifier in references:
            wanted = self._wanted.get(identifier)
            if wanted is not None:
                self.reached.add(identifier)
                numbers |= wanted
            else:
                numbers |= self._known.get(identifier, _NONE)
        return numbers
