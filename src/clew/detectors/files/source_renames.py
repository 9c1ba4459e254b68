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

_MAX_COMPARED = 200
_MAX_COMBINED = 20_000
"""The limit of deleted times added files for pairing by more than names."""
_MAX_SIZE = 1 << 20
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
            at = _candidate_index(candidates, change.name) if is_same_name else len(candidates) - 1
            if 0 <= at < len(candidates):
                pairs.append((candidates.pop(at), change))
    return pairs


def _candidate_index(candidates: list[PathChange], name: str) -> int:
    """Return the index of a name among the last candidates, or -1; there may be many."""
    for at in range(len(candidates) - 1, max(-1, len(candidates) - 1 - _MAX_COMPARED), -1):
        if candidates[at].name == name:
            return at
    return -1


def _similar(
    deleted: Sequence[PathChange], added: Sequence[PathChange], old: Tree, new: Tree
) -> list[Pair]:
    lines = _Lines()
    scored: list[tuple[float, Pair]] = []
    for pair in _candidates(deleted, added)[:_MAX_COMPARED]:
        score = _score(lines.of(old, pair[0]), lines.of(new, pair[1]))
        if score >= _SIMILAR:
            scored.append((score, pair))
    scored.sort(key=lambda one: (-one[0], one[1][0].path, one[1][1].path))
    pairs: list[Pair] = []
    taken: set[str] = set()
    for _, (old_file, new_file) in scored:
        if old_file.path not in taken and new_file.path not in taken:
            taken |= {old_file.path, new_file.path}
            pairs.append((old_file, new_file))
    return pairs


def _candidates(deleted: Sequence[PathChange], added: Sequence[PathChange]) -> list[Pair]:
    """Return pairs worth comparing, the most promising first."""
    by_name: dict[str, list[PathChange]] = {}
    for change in deleted:
        by_name.setdefault(change.name, []).append(change)
    found = [
        (old_file, new_file)
        for new_file in added
        for old_file in by_name.get(new_file.name, [])[:8]
        if _may_be_similar(old_file, new_file)
    ]
    if len(deleted) * len(added) <= _MAX_COMBINED:
        others = [
            (old_file, new_file)
            for old_file in deleted
            for new_file in added
            if old_file.name != new_file.name and _may_be_similar(old_file, new_file)
        ]
        found += sorted(others, key=_priority)
    return found


def _may_be_similar(old_file: PathChange, new_file: PathChange) -> bool:
    if old_file.old is None or new_file.new is None:
        return False
    small, large = sorted((old_file.old.size, new_file.new.size))
    return 0 < large <= _MAX_SIZE and small >= large * _SIMILAR


def _priority(pair: Pair) -> tuple[bool, int, str, str]:
    old_file, new_file = pair
    is_other = old_file.name.rpartition(".")[2] != new_file.name.rpartition(".")[2]
    sizes = (old_file.old.size if old_file.old else 0) - (new_file.new.size if new_file.new else 0)
    return is_other, abs(sizes), old_file.path, new_file.path


class _Lines:
    """Line counters of files, computed once for all comparisons."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Counter[bytes], int]] = {}

    def of(self, tree: Tree, change: PathChange) -> tuple[Counter[bytes], int]:
        if change.path not in self._known:
            try:
                content = tree.read(change.path, _MAX_SIZE) or b""
            except TooLarge:
                content = b""
            lines: Iterable[bytes] = [] if is_binary(content) else split_lines(content)
            self._known[change.path] = Counter(lines), len(content)
        return self._known[change.path]


def _score(old: tuple[Counter[bytes], int], new: tuple[Counter[bytes], int]) -> float:
    """Return the share of the larger file that is in both."""
    common = sum((len(line) + 1) * number for line, number in (old[0] & new[0]).items())
    return common / max(old[1], new[1], 1)
