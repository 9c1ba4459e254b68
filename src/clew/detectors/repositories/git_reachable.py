"""Objects that git stored in this interval and that nothing refers to any more.

`git stash -u` and `git stash drop` store files that were never tracked and then forget them.  Such
objects are still there until git sweeps them, but no ref, log or index leads to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import Refs, log_lines
from clew.detectors.repositories.worktrees import worktrees_of

_MAX_OBJECTS = 5_000
"""If git stored more, all of them count as referred to."""
_MAX_LOG = 2_000


class NewObjects:
    """Loose objects that a repository gained."""

    def __init__(self, evidence: Evidence, git_dir: str, objects: Objects) -> None:
        self._evidence = evidence
        self._dir = git_dir
        self._objects = objects

    def forgot(self, wanted: str) -> bool:
        """Return whether an object is new, and nothing refers to it."""
        return wanted in self._added and wanted not in self._kept

    @cached_property
    def _added(self) -> frozenset[str]:
        """Ids of the new loose objects; none if there is also a new pack, or too many."""
        place = f"{self._dir}/objects/"
        found: set[str] = set()
        for path, change in self._evidence.changes.items():
            if change.old is None and change.new is not None and path.startswith(place):
                name = path[len(place) :].replace("/", "")
                if name.endswith(".pack") or len(found) > _MAX_OBJECTS:
                    return frozenset()
                found.add(name)
        return frozenset(found)

    @cached_property
    def _kept(self) -> set[str]:
        """The new objects that a ref, a log or an index leads to."""
        found: set[str] = set()
        waiting = [one for one in self._roots() if one in self._added]
        while waiting:
            one = waiting.pop()
            if one in found:
                continue
            found.add(one)
            waiting += [below for below in self._below(one) if below in self._added]
        return found

    def _below(self, one: str) -> Iterator[str]:
        commit = self._objects.commit(one)
        if commit is not None:
            yield commit.tree
            yield from commit.parents
            return
        for entry in (self._objects.listing(one) or {}).values():
            yield entry.id
        target = self._objects.resolve(one)  # of a tag
        if target is not None:
            yield target

    def _roots(self) -> Iterator[str]:
        refs = Refs(self._evidence.new, self._dir)
        yield from refs.all.values()
        names = ["HEAD", *refs.all]
        for worktree in worktrees_of(self._evidence.new, self._dir):
            head = refs.head(worktree)
            yield from (head.commit,) if head is not None and head.commit is not None else ()
            yield from self._staged(f"{self._dir}/{worktree}".rstrip("/"))
        for name in names[:_MAX_LOG]:
            yield from (line.new for line in log_lines(refs.log(name))[-_MAX_LOG:])
        yield from self._staged(self._dir)

    def _staged(self, own: str) -> Iterator[str]:
        for staged in (self._evidence.once(GitIndexes).new(own) or {}).values():
            yield staged.id
