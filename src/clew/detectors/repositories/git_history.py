"""Commit ancestry: the commits that two sets of tips do not have in common."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from clew.detectors.repositories.git_objects import Objects
from clew.model.named_tuple import NamedTuple

_OLD, _NEW = 1, 2
_BOTH = _OLD | _NEW
_MAX_COMMITS = 5_000


class Divergence(NamedTuple):
    """How many commits only one side has."""

    lost: int
    gained: int
    base: str | None = None
    """The newest commit that both sides have."""


def divergence(objects: Objects, old: Iterable[str], new: Iterable[str]) -> Divergence | None:
    """Return the commits between the histories of `old` and `new`, or None if unknown.

    Visits the newest commits first, until everything left is common to both sides, so the cost
    depends on the difference, not on the length of the history.
    """
    walk = _CommitWalk(objects)
    for side, tips in ((_OLD, old), (_NEW, new)):
        for tip in tips:
            if not walk.reach(tip, side):
                return None
    for _ in range(_MAX_COMMITS):
        if walk.is_over:
            return walk.result()
        if not walk.step():
            return None
    return None


class _CommitWalk:
    """Commits reached so far, and from which side."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._sides: dict[str, int] = {}
        self._waiting: list[tuple[int, str]] = []
        self._is_waiting: set[str] = set()
        self._undecided: set[str] = set()
        """Queued commits whose ancestors may not be classified yet."""
        self._oldest: int | None = None
        """The time of the oldest commit found on one side only."""

    @property
    def is_over(self) -> bool:
        """Return whether no queued commit can descend from a commit of one side alone."""
        if self._undecided:
            return False
        return not self._waiting or self._oldest is None or -self._waiting[0][0] < self._oldest

    def reach(self, commit: str, side: int) -> bool:
        """Record that a commit is reached; return False if it cannot be read."""
        before = self._sides.get(commit, 0)
        now = before | side
        if now == before:
            return True
        self._sides[commit] = now
        if commit in self._is_waiting:
            self._undecided.discard(commit)
            return True
        found = self._objects.commit(commit)
        if found is None:
            return False
        heappush(self._waiting, (-found.time, commit))
        self._is_waiting.add(commit)
        if now != _BOTH or before:  # a commit that was visited already must update its ancestors
            self._undecided.add(commit)
        return True

    def step(self) -> bool:
        time, commit = heappop(self._waiting)
        self._is_waiting.discard(commit)
        self._undecided.discard(commit)
        side = self._sides[commit]
        if side != _BOTH:
            self._oldest = -time if self._oldest is None else min(self._oldest, -time)
        found = self._objects.commit(commit)
        return found is not None and all(self.reach(parent, side) for parent in found.parents)

    def result(self) -> Divergence:
        sides = list(self._sides.values())
        shared = [commit for commit, side in self._sides.items() if side == _BOTH]
        return Divergence(
            sides.count(_OLD), sides.count(_NEW), max(shared, key=self._time, default=None)
        )

    def _time(self, commit: str) -> int:
        found = self._objects.commit(commit)
        return found.time if found is not None else 0
