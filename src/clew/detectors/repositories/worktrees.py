"""Linked worktrees: directories that share the history of a repository, `git worktree add`.

`.git/worktrees/<name>` has HEAD and the index of each; `gitdir` in it names the directory.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Finding, Tree
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.detectors.repositories.git_refs import Head, Refs, short
from clew.model.amount import counted
from clew.model.fact import Fact

_MAX_WORKTREES = 100
_MAX_REPORTED = 10


def worktrees_of(tree: Tree, git_dir: str) -> list[str]:
    """Return the directories of linked worktrees in a git directory: `worktrees/side/`."""
    names = sorted(tree.entries(f"{git_dir}/worktrees"))[:_MAX_WORKTREES]
    return [f"worktrees/{name}/" for name in names]


def worktree_findings(evidence: Evidence, git_dir: str, directory: str) -> Iterator[Finding]:
    """Yield worktrees that were added or removed, with the files that git checked out there."""
    old, new = (set(worktrees_of(tree, git_dir)) for tree in (evidence.old, evidence.new))
    for below in sorted(old ^ new)[:_MAX_REPORTED]:
        is_new = below in new
        tree = evidence.new if is_new else evidence.old
        head = Refs(tree, git_dir).head(below) or Head()
        own = f"{git_dir}/{below}".rstrip("/")
        place = place_of(tree, own)
        indexes = evidence.once(GitIndexes)
        index = indexes.new(own) if is_new else indexes.old(own)
        files = _checked_out(evidence, place, index, is_new=is_new) if place else []
        number = sum(path.rpartition("/")[2] != ".git" for path in files)
        marks = ["worktree added" if is_new else "worktree removed"]
        marks += [counted(number, "file")] if number else []
        tip = short(head.commit)
        fact = Fact(
            "git.worktree", f"git:{directory or '.'}", place or below[10:-1],
            None if is_new else head.branch or tip, (head.branch or tip) if is_new else None,
            evidence=(f"{own}/HEAD",), marks=tuple(marks),
        )  # fmt: skip
        yield Finding((fact,), files)


def place_of(tree: Tree, own: str) -> str | None:
    """Return the directory of a linked worktree, if it is in this tree."""
    content = (tree.read(f"{own}/gitdir", 4096) or b"").decode("utf-8", "surrogateescape")
    names = content.strip().removesuffix("/.git").strip("/").split("/")
    for at in range(len(names)):  # the mount point of the root of this tree is unknown
        place = "/".join(names[at:])
        pointer = tree.entry(f"{place}/.git")
        if pointer is not None and pointer.is_file:
            return place
    return None


def _checked_out(evidence: Evidence, place: str, index: Index | None, *, is_new: bool) -> list[str]:
    """Return the added or deleted files that are as the index has them, by their size."""
    found = []
    for change in evidence.below(place):
        entry = change.new if is_new else change.old
        if (change.old is None) is not is_new or (change.new is None) is is_new or entry is None:
            continue
        staged = (index or {}).get(change.path[len(place) + 1 :])
        is_pointer = change.path == f"{place}/.git"
        is_same = staged is not None and (not entry.is_file or staged.size == entry.size)
        if is_pointer or is_same:
            found.append(change.path)
    return found
