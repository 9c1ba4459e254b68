"""Rename detection for source files: same content, or at least half of it as in `git -M`.

Exact pairs are found by content id, without reading.
Of the rest a limited number of pairs is compared, those with the same name first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from clew.detectors.detector import PathChange, TooLarge, Tree
from clew.detectors.files.line_counts import is_binary, split_lines

Pair = tuple[PathChange, PathChange]
"""A deleted file and an added one."""

_MOST_COMPARED = 200
_MOST_COMBINED = 20_000
"""The limit of deleted times added files for pairing by more than names."""
_LARGEST = 1 << 20
_SIMILAR = 0.5


def pair_moved(
    deleted: Sequence[PathChange], added: Sequence[PathChange], old: Tree, new: Tree
) -> list[Pair]:
    """Return the pairs that are one moved file, in the order of their new paths."""
    pairs = pair_equal(deleted, added)
    taken = {change.path for pair in pairs for change in pair}
    pairs += _similar(
        [change for change in deleted if change.path not in taken],
        [change for change in added if change.path not in taken],
        old,
        new,
    )
    return sorted(pairs, key=lambda pair: pair[1].path)


def pair_equal(deleted: Sequence[PathChange], added: Sequence[PathChange]) -> list[Pair]:
    """Return the pairs with identical content."""
    waiting: dict[object, list[PathChange]] = {}
    for change in deleted:
        if change.old is not None and change.old.size:  # all empty files are equal
            waiting.setdefault(change.old.content, []).append(change)
    pairs: list[Pair] = []
    for is_same_name in (True, False):
        taken = {new.path for _, new in pairs}
        for change in added:
            if change.new is None or change.path in taken:
                continue
            candidates = waiting.get(change.new.content, [])
            at = _place(candidates, change.name) if is_same_name else len(candidates) - 1
            if 0 <= at < len(candidates):
                pairs.append((candidates.pop(at), change))
    return pairs


def _place(candidates: list[PathChange], name: str) -> int:
    """Return the index of a name among the last candidates, or -1; there may be many."""
    for at in range(len(candidates) - 1, max(-1, len(candidates) - 1 - _MOST_COMPARED), -1):
        if candidates[at].name == name:
            return at
    return -1


def _similar(
    deleted: Sequence[PathChange], added: Sequence[PathChange], old: Tree, new: Tree
) -> list[Pair]:
    lines = _Lines()
    scored: list[tuple[float, Pair]] = []
    for pair in _candidates(deleted, added)[:_MOST_COMPARED]:
        score = _score(lines.of(old, pair[0]), lines.of(new, pair[1]))
        if score >= _SIMILAR:
            scored.append((score, pair))
    scored.sort(key=lambda one: (-one[0], one[1][0].path, one[1][1].path))
    pairs: list[Pair] = []
    taken: set[str] = set()
    for _, (gone, come) in scored:
        if gone.path not in taken and come.path not in taken:
            taken |= {gone.path, come.path}
            pairs.append((gone, come))
    return pairs


def _candidates(deleted: Sequence[PathChange], added: Sequence[PathChange]) -> list[Pair]:
    """Return pairs worth comparing, the most promising first."""
    by_name: dict[str, list[PathChange]] = {}
    for change in deleted:
        by_name.setdefault(change.name, []).append(change)
    found = [
        (gone, come)
        for come in added
        for gone in by_name.get(come.name, [])[:8]
        if _may_be_similar(gone, come)
    ]
    if len(deleted) * len(added) <= _MOST_COMBINED:
        others = [
            (gone, come)
            for gone in deleted
            for come in added
            if gone.name != come.name and _may_be_similar(gone, come)
        ]
        found += sorted(others, key=_promise)
    return found


def _may_be_similar(gone: PathChange, come: PathChange) -> bool:
    if gone.old is None or come.new is None:
        return False
    small, large = sorted((gone.old.size, come.new.size))
    return 0 < large <= _LARGEST and small >= large * _SIMILAR


def _promise(pair: Pair) -> tuple[bool, int, str, str]:
    gone, come = pair
    is_other = gone.name.rpartition(".")[2] != come.name.rpartition(".")[2]
    sizes = (gone.old.size if gone.old else 0) - (come.new.size if come.new else 0)
    return is_other, abs(sizes), gone.path, come.path


class _Lines:
    """Line counters of files, computed once for all comparisons."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Counter[bytes], int]] = {}

    def of(self, tree: Tree, change: PathChange) -> tuple[Counter[bytes], int]:
        if change.path not in self._known:
            try:
                content = tree.read(change.path, _LARGEST) or b""
            except TooLarge:
                content = b""
            lines: Iterable[bytes] = [] if is_binary(content) else split_lines(content)
            self._known[change.path] = Counter(lines), len(content)
        return self._known[change.path]


def _score(old: tuple[Counter[bytes], int], new: tuple[Counter[bytes], int]) -> float:
    """Return the share of the larger file that is in both."""
    common = sum((len(line) + 1) * number for line, number in (old[0] & new[0]).items())
    return common / max(old[1], new[1], 1)
