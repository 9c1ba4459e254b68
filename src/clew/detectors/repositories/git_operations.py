"""Unfinished git operations: merge, cherry-pick, revert, rebase, bisect.

Each leaves a file in the git directory until it is completed or aborted.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import TooLarge, Tree
from clew.detectors.repositories.git_index import parse_index
from clew.detectors.repositories.git_refs import Head, short
from clew.model.fact import Fact

_FILES = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
UNDER_WAY = tuple(_FILES)
"""Files that exist in a git directory while an operation is unfinished."""
_REBASES = ("rebase-merge/head-name", "rebase-apply/head-name")
_INDEX_LIMIT = 16 << 20
_ID_SIZES = (20, 32)


def is_rebasing(tree: Tree, git_dir: str) -> bool:
    return any(tree.entry(f"{git_dir}/{name}") is not None for name in _REBASES)


def under_way(
    scope: str, git_dir: str, trees: tuple[Tree, Tree], heads: tuple[Head | None, Head | None]
) -> Iterator[Fact]:
    """Yield operations that began, and those that were aborted without a commit."""
    old, new = trees
    was, now = heads
    if now is None or is_rebasing(new, git_dir):
        return  # a rebase cherry-picks commits; it is reported as a rebase
    subject = now.branch or str(short(now.commit))
    is_where_it_was = was is not None and was == now
    for name, what in _FILES.items():
        path = f"{git_dir}/{name}"
        began, ended = (tree.entry(path) is not None for tree in (new, old))
        if began and not ended:
            marks: tuple[str, ...] = (f"{what} under way", *_conflicts(new, git_dir))
        elif ended and not began and (is_where_it_was or what == "bisect"):
            marks = (f"{what} {'ended' if what == 'bisect' else 'given up'}",)
        else:
            continue
        tip = short(now.commit)
        yield Fact("git.branch", scope, subject, tip, tip, evidence=(path,), marks=marks)


def _conflicts(tree: Tree, git_dir: str) -> tuple[str, ...]:
    """Return the number of files with merge conflicts, as a mark."""
    try:
        content = tree.read(f"{git_dir}/index", _INDEX_LIMIT) or b""
    except TooLarge:
        return ()
    for id_size in _ID_SIZES:
        try:
            number = sum(one.is_conflict for one in parse_index(content, id_size).values())
        except ValueError:
            continue
        return (f"conflicts in {number:,} file{'' if number == 1 else 's'}",) if number else ()
    return ()
