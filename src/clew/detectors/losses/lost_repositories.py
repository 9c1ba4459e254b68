"""Deleted repositories of git and Mercurial: what was in them, and whether they can be cloned again.

A repository that moved is not deleted.  One whose branches are all at a commit that a remote has
can be cloned again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.detectors.detector import Evidence
from clew.detectors.losses.copies import Copies
from clew.detectors.losses.disposable import is_disposable_directory
from clew.detectors.repositories.git_config import clean_url, remotes_of
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import Refs
from clew.detectors.repositories.repositories import config_of
from clew.detectors.security.security_rules import is_dependency
from clew.model.amount import counted
from clew.model.entry import EntryKind
from clew.model.named_tuple import NamedTuple

_MAX_COMMITS = 1_000
_MAX_REPOSITORIES = 40
_OF_TOOLS = frozenset((
    "vendor", "third_party", "_deps", "dist", "build", "target", "out", ".venv", "venv", ".tox",
    ".nox", "worktrees", "_build", "node_modules", "Pods", "Carthage", "snap",
))  # fmt: skip
"""Directories into which tools clone what they need."""


class LostRepository(NamedTuple):
    """A repository that is gone."""

    directory: str
    """Its working tree, or the repository itself if it was bare."""
    git_dir: str
    is_whole: bool
    """Whether its working tree is gone too."""
    content: str
    """What it had: `9 commits, 2 branches`; empty if unknown."""
    clone_url: str
    """From where everything in it can be cloned again, or ""."""

    @property
    def system(self) -> str:
        return "Mercurial" if self.git_dir.endswith(".hg") else "git"


def lost_repositories(evidence: Evidence, directories: Iterable[str]) -> list[LostRepository]:
    """Return the deleted repositories, given all directories with deleted files.

    Those that tools clone for themselves are left out.
    """
    found: list[LostRepository] = []
    for git_dir in _deleted_git_dirs(evidence, directories):
        if len(found) >= _MAX_REPOSITORIES:
            break
        is_bare = not f"/{git_dir}".endswith(("/.git", "/.hg"))
        directory = git_dir if is_bare else git_dir.rpartition("/")[0]
        is_of_tool = not _OF_TOOLS.isdisjoint(directory.split("/")) or is_dependency(directory)
        if is_of_tool or is_disposable_directory(directory, is_machine=evidence.machine):
            continue
        if not _is_moved(evidence, git_dir):
            is_whole = evidence.new.entry(directory) is None
            content, url = _content(evidence, git_dir)
            found.append(LostRepository(directory, git_dir, is_whole, content, url))
    return found


def _deleted_git_dirs(evidence: Evidence, directories: Iterable[str]) -> Iterator[str]:
    for directory in directories:
        if not directory or f"{directory}/HEAD" not in evidence.changes:
            continue
        if evidence.new.entry(directory) is None and (
            f"/{directory}".endswith("/.git") or _is_bare(evidence, directory)
        ):
            yield directory
    for directory in directories:  # a working copy of Subversion has its history on a server
        is_mercurial = (
            f"/{directory}".endswith("/.hg") and f"{directory}/requires" in evidence.changes
        )
        if is_mercurial and evidence.new.entry(directory) is None:
            yield directory


def _is_bare(evidence: Evidence, directory: str) -> bool:
    if "/.git/" in f"/{directory}/":
        return False
    parts = [evidence.changes.get(f"{directory}/{name}") for name in ("objects", "refs", "config")]
    return all(
        part is not None and part.old is not None and part.old.kind == kind
        for part, kind in zip(parts, (EntryKind.DIRECTORY, EntryKind.DIRECTORY, EntryKind.FILE),
                              strict=True)
    )  # fmt: skip


def _is_moved(evidence: Evidence, git_dir: str) -> bool:
    """Return whether a repository with the same history appeared elsewhere."""
    for name in ("logs/HEAD", "index", "packed-refs", "dirstate", "store/00changelog.i"):
        entry = evidence.old.entry(f"{git_dir}/{name}")
        if entry is not None and entry.size:
            return entry.content in evidence.once(Copies).written
    return False


def _content(evidence: Evidence, git_dir: str) -> tuple[str, str]:
    """Return what was in a repository, and from where it can be cloned again."""
    if git_dir.endswith(".hg"):
        return "", ""
    refs = Refs(evidence.old, git_dir)
    branches = refs.below("refs/heads/")
    remote = set(refs.below("refs/remotes/").values())
    head = refs.head()
    tips = {*branches.values(), *([head.commit] if head and head.commit else [])}
    words = [_commits(evidence, git_dir, tips)] if tips else []
    if len(branches) > 1:
        words.append(counted(len(branches), "branch", "branches"))
    is_cloned = bool(tips) and tips <= remote and "refs/stash" not in refs.all
    remotes = remotes_of(config_of(evidence.old, git_dir)) if is_cloned else {}
    url = next((clean_url(one.url) for one in remotes.values() if one.url), "")
    return ", ".join(word for word in words if word), url


def _commits(evidence: Evidence, git_dir: str, tips: set[str]) -> str:
    objects = Objects((evidence.old,), git_dir, id_size=len(next(iter(tips))) // 2)
    seen: set[str] = set()
    waiting = sorted(tips)
    while waiting and len(seen) < _MAX_COMMITS:
        one = waiting.pop()
        commit = objects.commit(one) if one not in seen else None
        if commit is not None:
            seen.add(one)
            waiting += commit.parents
    if not seen:
        return ""
    return counted(len(seen), "commit") if not waiting else f"more than {len(seen):,} commits"
