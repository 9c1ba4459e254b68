"""Content that git has: which deleted or overwritten files a repository can give back.

A repository that was deleted as well gives nothing back.
A tracked file that was edited and not committed counts as kept if git has at least half of its
size: a person can restore it and lose the edit only.
A file that was never tracked may still be in git, as after `git stash -u`; this is verified by its
hash, for a limited number of files.  What git stored and forgot in the same interval is not kept.
"""

from __future__ import annotations

from functools import cached_property

from clew.detectors.detector import Evidence, PathChange, TooLarge
from clew.detectors.repositories.git_checkout import CommitFiles, blob_id
from clew.detectors.repositories.git_config import value_of
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_reachable import NewObjects
from clew.detectors.repositories.git_refs import Refs
from clew.detectors.repositories.repositories import (
    Repositories,
    Repository,
    config_of,
    is_git_dir,
)

_MAX_HASHED = 500
"""How many files are hashed."""
_HASHED_SIZE = 32 << 20
"""How many bytes are hashed."""


def is_in_git(evidence: Evidence, path: str) -> bool:
    """Return whether a repository that still exists has the old content of a changed file."""
    change = evidence.changes.get(path)
    return change is not None and evidence.once(GitContents).stores(change)


class GitContents:
    """What the repositories of the new tree can give back; `evidence.once(GitContents)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._repositories = evidence.once(Repositories)
        self._keepers: dict[Repository, Keeper | None] = {}
        self._cloneable: set[str] = set()
        self._files_left = _MAX_HASHED
        self._bytes_left = _HASHED_SIZE
        self.was_hashed = False
        """Whether the last call of `stores` could compare the content."""

    def trust_remote(self, git_dir: str) -> None:
        """Record that a deleted repository can be cloned again; call it before all questions."""
        self._cloneable.add(git_dir)

    def keeper(self, directory: str) -> Keeper | None:
        """Return the repository around a directory, if it still exists."""
        return self._keeper(f"{directory}/x" if directory else "x")

    def tracks(self, change: PathChange) -> bool:
        """Return whether git tracked the old file, and has it, or at least half of it."""
        keeper = self._keeper(change.path)
        return keeper is not None and keeper.tracked(change)

    def stores(self, change: PathChange) -> bool:
        """Return whether git has the very content of the old file, under any name."""
        self.was_hashed = False
        old = change.old
        keeper = self._keeper(change.path)
        if keeper is None or old is None or not old.is_file:
            return False
        if self._files_left <= 0 or old.size > self._bytes_left:
            return False
        self._files_left -= 1
        self._bytes_left -= old.size
        try:
            content = self._evidence.old.read(change.path, old.size)
        except TooLarge:
            return False
        self.was_hashed = content is not None
        return content is not None and keeper.has_blob(content)

    def _keeper(self, path: str) -> Keeper | None:
        repository = self._repositories.of(path)
        if repository is None:
            return None
        if repository not in self._keepers:
            is_cloneable = repository.common in self._cloneable
            is_there = is_cloneable or is_git_dir(self._evidence.new, repository.common)
            keeper = Keeper(self._evidence, repository, is_cloneable) if is_there else None
            self._keepers[repository] = keeper
        return self._keepers[repository]


class Keeper:
    """One repository that exists in the new tree, or can be cloned again."""

    def __init__(self, evidence: Evidence, repository: Repository, is_cloneable: bool) -> None:
        self._is_cloneable = is_cloneable
        self._evidence = evidence
        self._repository = repository
        indexes = evidence.once(GitIndexes)
        self._old_index = indexes.old(repository.own)
        self._new_index = indexes.new(repository.own)

    def tracked(self, change: PathChange) -> bool:
        """Return whether git tracked the old file, and has it, or at least half of it."""
        path = self._repository.relative(change.path)
        if self._old_index is None:
            return self._was_in_head(path)
        staged = self._old_index.get(path) or (self._new_index or {}).get(path)
        if staged is None or change.old is None:
            return False
        # git writes a size of zero where it must compare again
        is_most = not staged.size or 2 * staged.size >= change.old.size
        if not is_most or self._is_cloneable or not self._has_lost_objects:
            return is_most
        return self._objects.has(staged.id)

    def tracks_still(self, path: str) -> bool:
        """Return whether git still tracks a path; if not, its deletion is at least staged."""
        return self._new_index is None or self._repository.relative(path) in self._new_index

    def has_staged(self, change: PathChange) -> bool:
        """Return whether the new content of a file is in the index, judged by its size."""
        staged = (self._new_index or {}).get(self._repository.relative(change.path))
        return staged is not None and change.new is not None and staged.size == change.new.size

    def has_blob(self, content: bytes) -> bool:
        """Return whether git stores this content."""
        wanted = blob_id(content, self._id_size)
        return self._objects.has(wanted) and not self._new_objects.forgot(wanted)

    @cached_property
    def _new_objects(self) -> NewObjects:
        return NewObjects(self._evidence, self._repository.common, self._objects)

    @cached_property
    def _has_lost_objects(self) -> bool:
        """Whether objects were deleted, also by packing them."""
        place = f"{self._repository.common}/objects/"
        return any(
            change.new is None and path.startswith(place)
            for path, change in self._evidence.changes.items()
        )

    @cached_property
    def _objects(self) -> Objects:
        return Objects((self._evidence.new,), self._repository.common, id_size=self._id_size)

    @cached_property
    def _id_size(self) -> int:
        config = config_of(self._evidence.new, self._repository.common)
        return 32 if value_of(config, "extensions", "objectformat") == "sha256" else 20

    def _was_in_head(self, path: str) -> bool:
        try:
            return self._head.is_known and self._head.find(path) is not None
        except LookupError:
            return False

    @cached_property
    def _head(self) -> CommitFiles:
        own = self._repository.own.removeprefix(self._repository.common).lstrip("/")
        head = Refs(self._evidence.old, self._repository.common).head(f"{own}/" if own else "")
        return CommitFiles(self._objects, head.commit if head else None)
