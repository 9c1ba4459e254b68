"""Git status of changed files: committed, uncommitted, untracked or ignored.

A file is committed if HEAD's commit has its exact content at its path; if that commit was checked
out before as well, the file was reverted to it and an edit is lost (`git restore`).
If that commit cannot be read (its pack is too large), the index shows that a file is tracked, and
nothing more is reported.
"""

from __future__ import annotations

from functools import cached_property

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.repositories.git_checkout import CommitFiles, blob_id
from clew.detectors.repositories.git_config import value_of
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import Refs
from clew.detectors.repositories.gitignore import Ignored
from clew.detectors.repositories.repositories import Repository, config_of, is_git_dir
from clew.model.entry import Entry

COMMITTED, REVERTED, UNCOMMITTED = "committed", "reverted", "uncommitted"
TRACKED, UNTRACKED, IGNORED = "tracked", "untracked", "ignored"
STATUSES = (COMMITTED, REVERTED, UNCOMMITTED, TRACKED, UNTRACKED, IGNORED)
"""In display order."""

_EXECUTABLE = 0o100


class GitStatus:
    """Git status of the files of one repository."""

    def __init__(self, evidence: Evidence, repository: Repository) -> None:
        self._evidence = evidence
        self._repository = repository
        is_there = is_git_dir(evidence.new, repository.own)
        self._tree = evidence.new if is_there else evidence.old
        """The tree from which its git directory is read; the old one if it was deleted."""

    def is_tracked(self, change: PathChange) -> bool:
        path = self._repository.relative(change.path)
        if self._index is None:
            return self._has_in_head(path)
        if path in self._index:
            return True
        return change.new is None and (path in (self._old_index or ()) or self._has_in_head(path))

    def is_ignored(self, change: PathChange) -> bool:
        """Return whether git ignores an untracked file."""
        path = self._repository.relative(change.path)
        return (self._ignored if change.new is not None else self._was_ignored).covers(path)

    def status(self, change: PathChange, content: bytes | None) -> str:
        """Return the status of a tracked file; `content` is None if it was not read."""
        path = self._repository.relative(change.path)
        if self._is_unknown_to_git(change):
            return ""
        if change.new is not None and content is None:
            return self._unread(change.new, path)
        if not self._head.is_known:
            return TRACKED if self._has_commits else UNCOMMITTED
        try:
            entry = self._head.find(path)
        except LookupError:
            return TRACKED
        if change.new is None:
            return UNCOMMITTED if entry else self._as_committed
        is_same = entry is not None and entry.id == blob_id(content or b"", self._id_size)
        if is_same and entry is not None and change.new.is_file:
            is_same = bool(entry.mode & 0o100) == bool(change.new.mode & 0o100)
        return self._as_committed if is_same else UNCOMMITTED

    def _is_unknown_to_git(self, change: PathChange) -> bool:
        """Return whether git ignores the change: permissions, owners, or a deleted repository."""
        old, new = change.old, change.new
        if new is None:
            return self._tree is self._evidence.old
        return old is not None and old.same_content(new) and not (old.mode ^ new.mode) & _EXECUTABLE

    @property
    def _as_committed(self) -> str:
        return REVERTED if self._head_commit == self._old_head_commit else COMMITTED

    def _unread(self, entry: Entry, path: str) -> str:
        """Return the status of a file that was not read, from the stat data in the index."""
        staged = (self._index or {}).get(path)
        try:
            head = self._head.find(path) if self._head.is_known else None
        except LookupError:
            head = None
        if staged is None or head is None or (head.id, head.mode) != (staged.id, staged.mode):
            return TRACKED
        is_same = (staged.size, staged.mtime_ns) == (entry.size & 0xFFFFFFFF, entry.mtime_ns)
        return self._as_committed if is_same else TRACKED

    def _has_in_head(self, path: str) -> bool:
        try:
            return self._head.is_known and self._head.find(path) is not None
        except LookupError:
            return False

    @cached_property
    def _index(self) -> Index | None:
        """Every tracked path, or None if the index cannot be read."""
        return self._evidence.once(GitIndexes).in_tree(self._tree, self._repository.own)

    @cached_property
    def _old_index(self) -> Index | None:
        return self._evidence.once(GitIndexes).old(self._repository.own)

    @cached_property
    def _id_size(self) -> int:
        config = config_of(self._tree, self._repository.common)
        return 32 if value_of(config, "extensions", "objectformat") == "sha256" else 20

    @cached_property
    def _head_commit(self) -> str | None:
        return self._head_in(self._tree)

    @cached_property
    def _old_head_commit(self) -> str | None:
        return self._head_in(self._evidence.old)

    def _head_in(self, tree: Tree) -> str | None:
        own = self._repository.own.removeprefix(self._repository.common).lstrip("/")
        head = Refs(tree, self._repository.common).head(f"{own}/" if own else "")
        return head.commit if head else None

    @property
    def _has_commits(self) -> bool:
        return self._head_commit is not None

    @cached_property
    def _head(self) -> CommitFiles:
        trees = (self._tree, self._evidence.old)
        objects = Objects(trees, self._repository.common, id_size=self._id_size)
        return CommitFiles(objects, self._head_commit)

    @cached_property
    def _ignored(self) -> Ignored:
        return self._ignored_in(self._evidence.new)

    @cached_property
    def _was_ignored(self) -> Ignored:
        return self._ignored_in(self._evidence.old)

    def _ignored_in(self, tree: Tree) -> Ignored:
        return Ignored(tree, self._repository.directory, self._repository.common)
