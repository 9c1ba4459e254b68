"""Comparison of several trees: the paths that each changed since their common ancestor.

Renames are not paired here: the sides are compared path by path.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.diff.trees import diff_trees
from clew.model.change import Change
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.sandbox_results import ComparedPath
from clew.model.tree import Get


def changed_beside(
    ancestor: ObjectId, trees: Sequence[ObjectId], get: Get
) -> tuple[ComparedPath, ...]:
    """Return every path that differs from `ancestor` in one of `trees`, in path order."""
    by_path: dict[bytes, dict[int, Change]] = {}
    for number, tree in enumerate(trees):
        for change in diff_trees(ancestor, tree, get, mtimes=False):
            by_path.setdefault(change.path, {})[number] = change
    touched = [_compare(found, len(trees)) for found in by_path.values()]
    return tuple(sorted(touched, key=_order))


def _compare(found: dict[int, Change], number: int) -> ComparedPath:
    first, *others = found.values()
    kinds = tuple(found[at].kind if at in found else None for at in range(number))
    is_same = all(_is_same(first.new, other.new) for other in others)
    return ComparedPath(first.path, kinds, is_same)


def _is_same(one: Entry | None, other: Entry | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.same_content(other) and one.same_metadata(other, mtimes=False)


def _order(one: ComparedPath) -> bytes:
    """Sort key of a depth-first walk: `a`, `a/b`, `a.txt`."""
    return one.path.replace(b"/", b"\x00")
