"""Linked worktrees: directories that share the history of a repository, `git worktree add`.

`.git/worktrees/<name>` has HEAD and the index of each; `gitdir` in it names the directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, Tree
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.detectors.repositories.git_refs import Head, Refs, short
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.policy.generated_names import IGNORED, NAMES

_MAX_WORKTREES = 100
_MAX_REPORTED = 10
_MAX_UNCOMMITTED = 300
"""How many files of a removed worktree are looked for in git."""
_EVIDENCE = 5


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
        lost = _uncommitted(evidence, place, files) if place and not is_new else []
        marks += [f"{counted(len(lost), 'uncommitted file')} lost"] if lost else []
        marks += [counted(number, "file")] if number else []
        tip = short(head.commit)
        fact = Fact(
            "git.worktree", f"git:{directory or '.'}", place or below[10:-1],
            None if is_new else head.branch or tip, (head.branch or tip) if is_new else None,
            evidence=(f"{own}/HEAD", *lost[:_EVIDENCE]), marks=tuple(marks),
            severity=Severity.HIGH if lost else Severity.NONE,
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


def _uncommitted(evidence: Evidence, place: str, kept: Sequence[str]) -> list[str]:
    """Return the files of a removed worktree that git never stored and nothing can make again."""
    from clew.detectors.files.generated import GeneratedPaths  # noqa: PLC0415 - it needs git
    from clew.detectors.losses.copies import Copies  # noqa: PLC0415 - the same
    from clew.detectors.repositories.git_contents import GitContents  # noqa: PLC0415 - the same

    known, written = set(kept), evidence.once(Copies).written
    generated, contents = evidence.once(GeneratedPaths), evidence.once(GitContents)
    found: list[str] = []
    left = _MAX_UNCOMMITTED
    for change in evidence.below(place):
        old = change.old
        if change.new is not None or old is None or not old.is_file or not old.size:
            continue
        if change.path in known or old.content in written or left <= 0:
            continue
        group = generated.directory_group(change.parent)
        if (group is not None and group.kind != IGNORED) or change.name in NAMES:
            continue
        left -= 1
        if not contents.stores(change):
            found.append(change.path)
    return found
