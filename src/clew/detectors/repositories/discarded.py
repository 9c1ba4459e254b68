"""Detector of discarded work: edits that were never committed, and that git took back.

`git reset --hard`, `git restore .`, `git checkout -- .` and `git switch --discard-changes` write the
committed version over an edited file.
Nothing is lost if a branch that moved or a new entry of the stash has the edited version.
A few lines of one file are no warning: people and agents undo small experiments all the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.source_languages import is_generated_or_vendored, is_source
from clew.detectors.repositories.git_checkout import CommitFiles, blob_id
from clew.detectors.repositories.git_config import value_of
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.git_refs import Head, LogLine, Refs, log_lines, new_log_lines
from clew.detectors.repositories.repositories import Repositories, Repository, config_of
from clew.model.fact import Fact, Severity

_FILE_LIMIT = 2 << 20
_MAX_FILES = 400
_TOO_MANY = 20_000
"""From this number of changes on, nothing is compared."""
_MAX_KEEPERS = 20
"""How many branches and stash entries are searched for the edited versions."""
_MANY_FILES = 3
_MANY_LINES = 20
_EVIDENCE = 6


class Discarded:
    """Reports uncommitted changes that git took back."""

    name = "git/discarded"
    version = 1
    kinds: tuple[str, ...] = ("git.discarded",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        if len(changes) > _TOO_MANY:
            return
        groups: dict[Repository, list[PathChange]] = {}
        repositories = evidence.once(Repositories)
        for change in changes:
            if not _may_be_work(change) or change.path in evidence.claimed:
                continue
            repository = repositories.of(change.path)
            if repository is not None:
                groups.setdefault(repository, []).append(change)
        for repository, edited in sorted(groups.items()):
            with evidence.guarded(repository.own):
                yield from _Discards(evidence, repository).among(edited)


def _may_be_work(change: PathChange) -> bool:
    if change.old is None or not change.old.is_file or not change.is_content:
        return False
    if change.old.size > _FILE_LIMIT or is_inside_git(change.path):
        return False
    return is_source(change.name) is not False and not is_generated_or_vendored(change.path)


class _Discards:
    """One working tree, before and after."""

    def __init__(self, evidence: Evidence, repository: Repository) -> None:
        self._evidence = evidence
        self._repository = repository
        config = config_of(evidence.new, repository.common)
        is_long = value_of(config, "extensions", "objectformat") == "sha256"
        self._id_size = 32 if is_long else 20
        self._objects = Objects(
            (evidence.new, evidence.old), repository.common, id_size=self._id_size
        )
        own = repository.own.removeprefix(repository.common).lstrip("/")
        self._below = f"{own}/" if own else ""
        self._old_refs = Refs(evidence.old, repository.common)
        self._new_refs = Refs(evidence.new, repository.common)

    def among(self, changes: Sequence[PathChange]) -> Iterator[Finding]:
        """Yield the finding about the discarded ones of some changes."""
        lines = self._head_lines()
        heads = [refs.head(self._below) or Head() for refs in (self._old_refs, self._new_refs)]
        if heads[0].commit is None or heads[1].commit is None or _is_work_committed(lines, heads):
            return
        old, new = (CommitFiles(self._objects, head.commit) for head in heads)
        if not old.is_known or not new.is_known:
            return
        index = self._evidence.once(GitIndexes).new(self._repository.own) or {}
        found: dict[str, int] = {}
        for change in changes:
            staged = index.get(self._repository.relative(change.path))
            if change.new is not None and (staged is None or staged.size != change.new.size):
                continue  # git did not write it
            if len(found) < _MAX_FILES:
                lost = self._lost_lines(change, old, new)
                if lost is not None:
                    found[change.path] = lost
        number = sum(found.values())
        is_reset = any(line.verb == "reset" for line in lines)
        if found and (is_reset or len(found) >= _MANY_FILES or number >= _MANY_LINES):
            yield self._finding(found, number)

    def _lost_lines(self, change: PathChange, old: CommitFiles, new: CommitFiles) -> int | None:
        """Return how many uncommitted lines of a file are gone; None if it was not taken back."""
        path = self._repository.relative(change.path)
        try:
            committed, wanted = old.find(path), new.find(path)
        except LookupError:
            return None
        content = self._evidence.old.read(change.path, _FILE_LIMIT) or b""
        mine = blob_id(content, self._id_size)
        if committed is not None and committed.id == mine:
            return None  # it was not edited
        if change.new is None:
            was_staged = path in (self._evidence.once(GitIndexes).old(self._repository.own) or ())
            if not was_staged or committed is not None or wanted is not None:
                return None
        else:
            now = self._evidence.new.read(change.path, _FILE_LIMIT) or b""
            if wanted is None or wanted.id != blob_id(now, self._id_size):
                return None
        if self._is_kept(path, mine):
            return None
        before = self._objects.blob(committed.id) if committed is not None else b""
        return len(set(content.split(b"\n")) - set((before or b"").split(b"\n")))

    def _is_kept(self, path: str, mine: str) -> bool:
        """Return whether a moved branch or a new stash entry has this version of a file."""
        for commit in self._keepers():
            try:
                entry = CommitFiles(self._objects, commit).find(path)
            except LookupError:
                return True  # cannot be read: no alarm without proof
            if entry is not None and entry.id == mine:
                return True
        return False

    def _keepers(self) -> list[str]:
        old = self._old_refs.all
        moved = [commit for ref, commit in self._new_refs.all.items() if old.get(ref) != commit]
        stash = [line.new for line in log_lines(self._new_refs.log("refs/stash"))]
        return [*stash, *moved][:_MAX_KEEPERS]

    def _head_lines(self) -> list[LogLine]:
        path = f"{self._repository.own}/logs/HEAD"
        old, new = (tree.read(path) or b"" for tree in (self._evidence.old, self._evidence.new))
        return new_log_lines(old, new) or []

    def _finding(self, found: dict[str, int], number: int) -> Finding:
        paths = sorted(found)
        subject = paths[0] if len(paths) == 1 else common_directory(paths) or "."
        marks = (f"−{number:,} line{'' if number == 1 else 's'}",) if number else ()
        fact = Fact(
            "git.discarded", self._repository.scope, subject, before=f"{len(paths):,}",
            severity=Severity.HIGH, evidence=tuple(paths[:_EVIDENCE]), marks=marks,
        )  # fmt: skip
        return Finding((fact,), paths)


def _is_work_committed(lines: Sequence[LogLine], heads: Sequence[Head]) -> bool:
    """Return whether the edits may be part of new commits: then they went on, and are not lost."""
    if heads[0].commit == heads[1].commit:
        return False
    return not any(line.verb in ("reset", "checkout") for line in lines) or any(
        line.verb in ("commit", "merge", "rebase", "cherry-pick", "am", "pull") for line in lines
    )
