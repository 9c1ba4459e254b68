"""Checkout detector: files that came and went with a linked worktree or a sparse checkout.

It runs before the detectors that report deletions: git has these files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.repositories import Repositories
from clew.detectors.repositories.sparse_checkout import sparse_findings
from clew.detectors.repositories.worktrees import place_of, worktree_findings


class Checkouts:
    """Reports linked worktrees and sparse checkouts, and claims the files involved."""

    name = "git/checkouts"
    version = 2
    kinds: tuple[str, ...] = ("git.worktree", "git.sparse")
    watch = WatchedPaths(names=("index", "gitdir"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        repositories = evidence.once(Repositories)
        seen: set[str] = set()
        for change in changes:
            git_dir = repositories.git_dir(change.path) if is_inside_git(change.path) else None
            if git_dir is None:
                continue
            directory = repositories.directory_of(git_dir)
            with evidence.guarded(change.path):
                if change.name == "index":
                    is_main = change.parent == git_dir
                    place = directory if is_main else place_of(evidence.new, change.parent)
                    if place is not None:
                        yield from sparse_findings(evidence, change.parent, git_dir, place)
                elif git_dir not in seen:
                    seen.add(git_dir)
                    yield from worktree_findings(evidence, git_dir, directory)
