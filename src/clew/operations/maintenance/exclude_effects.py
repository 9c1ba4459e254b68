"""What the exclude patterns of a workspace would leave out of its last checkpoint.

Only stored trees are read, and no more entries than a bound.
"""

from __future__ import annotations

from clew.model.entry import Entry, Reason
from clew.model.exclude_effects import ExcludeEffects, PatternEffect
from clew.model.ids import ObjectId
from clew.model.pattern import Patterns
from clew.model.tree import read_directory, read_root
from clew.operations.context import Context
from clew.policy.exclude_rules import doubts, valued, valued_names

_MOST = 200_000
"""Entries that are looked at: about a second."""
_NAMED = 3
"""Valuable entries that are named for each pattern."""


def exclude_effects(context: Context, most: int = _MOST) -> ExcludeEffects:
    """Return what each pattern in force matches in the current checkpoint."""
    patterns = context.rules.patterns
    here = context.here
    if here is None or not patterns:
        unseen = (
            PatternEffect(one, valued=tuple(valued_names(one)), doubts=_doubts(one, context))
            for one in patterns
        )
        return ExcludeEffects(tuple(unseen), here)
    search = _Search(context, patterns, most)
    search.run(here.record.tree)
    found = (
        PatternEffect(
            pattern,
            search.files[at],
            search.sizes[at],
            search.left_out[at],
            tuple(search.valued[at]),
            _doubts(pattern, context),
        )
        for at, pattern in enumerate(patterns)
    )
    return ExcludeEffects(tuple(found), here, search.left >= 0)


def _doubts(pattern: bytes, context: Context) -> tuple[str, ...]:
    return tuple(doubts(pattern, context.root))


class _Search:
    """Counts what each of some patterns matches in a tree."""

    def __init__(self, context: Context, patterns: tuple[bytes, ...], most: int) -> None:
        self._get = context.store.objects.get
        self._any = Patterns(patterns)
        self._each = [Patterns([pattern]) for pattern in patterns]
        self.left = most
        """Entries that may still be looked at; negative if there were more."""
        self.files = [0] * len(patterns)
        self.sizes = [0] * len(patterns)
        self.left_out = [0] * len(patterns)
        self.valued: list[list[tuple[bytes, str]]] = [[] for _ in patterns]

    def run(self, root: ObjectId) -> None:
        pending: list[tuple[ObjectId, bytes, frozenset[int]]] = [
            (read_root(root, self._get).content, b"", frozenset())
        ]
        while pending:
            tree, above, covering = pending.pop()
            for entry in read_directory(tree, self._get):
                self.left -= 1
                if self.left < 0:
                    return
                path = above + entry.name
                matching = covering | self._matching(path, _may_be_directory(entry))
                for at in matching:
                    self._count(at, path, entry)
                if entry.is_directory:
                    pending.append((entry.content, path + b"/", matching))

    def _count(self, at: int, path: bytes, entry: Entry) -> None:
        if entry.reason == Reason.EXCLUDED:
            self.left_out[at] += 1
        elif entry.is_covered and not entry.is_directory:
            self.files[at] += 1
            self.sizes[at] += entry.size
        kind = valued(entry.name, _may_be_directory(entry)) or valued(entry.name, False)
        if kind and len(self.valued[at]) < _NAMED:
            self.valued[at].append((path, kind))

    def _matching(self, path: bytes, is_directory: bool) -> frozenset[int]:
        """Return the numbers of the patterns that match the entry itself."""
        if not self._any.excludes(path, is_directory):
            return frozenset()
        each = enumerate(self._each)
        return frozenset(at for at, one in each if one.excludes(path, is_directory))


def _may_be_directory(entry: Entry) -> bool:
    """Return whether an entry is a directory; of an excluded one only the name is known."""
    return entry.is_directory or entry.reason == Reason.EXCLUDED
