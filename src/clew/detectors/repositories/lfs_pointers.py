"""LFS detector: files that are pointers of git LFS instead of their contents, or the reverse.

    version https://git-lfs.github.com/spec/v1
    oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
    size 12345

The contents are in `.git/lfs/objects` by their hash; if they are not, only a server has them.
It runs before the detectors of data, which would report that a file shrank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.source_languages import is_source
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.repositories import Repositories, Repository
from clew.model.amount import counted, size_text
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]{1,200}\n){0,10}"
    rb"oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,18})\n?"
)
_SMALLEST, _LARGEST = 100, 1024
_MAX_FILES = 2_000

_EMPTIED, _FILLED, _MOVED, _NEW = "emptied", "filled", "moved", "new"


class LfsPointer(NamedTuple):
    """The contents that a pointer stands for."""

    oid: str
    size: int


class _Step(NamedTuple):
    """A file that became a pointer, or its contents, or another pointer."""

    change: PathChange
    word: str
    is_kept: bool
    """Whether the contents are in the repository."""
    before: int
    after: int
    """Sizes of the contents."""


class LfsPointers:
    """Reports files that git LFS replaced by pointers, or by their contents."""

    name = "git/lfs"
    version = 1
    kinds: tuple[str, ...] = ("git.lfs",)
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        groups: dict[tuple[str, str, bool], list[_Step]] = {}
        left = _MAX_FILES
        repositories = evidence.once(Repositories)
        for change in changes:
            if not _may_be_pointer(change) or change.path in evidence.owners:
                continue
            repository = repositories.of(change.path)
            if repository is None:
                continue
            left -= 1
            if left < 0:
                break
            with evidence.guarded(change.path):
                step = _step(evidence, change, repository)
                if step is not None:
                    key = repository.scope, step.word, step.is_kept
                    groups.setdefault(key, []).append(step)
        for (scope, word, is_kept), steps in sorted(groups.items()):
            yield Finding(
                (_fact(scope, word, steps, is_kept=is_kept),),
                [step.change.path for step in steps],
            )


def parse_pointer(content: bytes | None) -> LfsPointer | None:
    """Return the contents that a pointer file names, or None for another file."""
    found = _POINTER.fullmatch(content or b"")
    return LfsPointer(found[1].decode("ascii"), int(found[2])) if found else None


def _may_be_pointer(change: PathChange) -> bool:
    if not _is_small(change.new) and not _is_small(change.old):
        return False
    if not change.is_content or is_inside_git(change.path):
        return False
    return is_source(change.name) is not True


def _is_small(entry: Entry | None) -> bool:
    return entry is not None and entry.is_file and _SMALLEST <= entry.size <= _LARGEST


def _step(evidence: Evidence, change: PathChange, repository: Repository) -> _Step | None:
    old = _pointer_at(evidence.old, change.path, change.old)
    new = _pointer_at(evidence.new, change.path, change.new)
    if (old is None and new is None) or change.new is None:
        return None
    is_kept = new is None or _has_contents(evidence.new, repository, new.oid)
    before = old.size if old else change.old.size if change.old else 0
    after = new.size if new else change.new.size
    if change.old is None:
        word = _NEW
    elif new is None:
        word = _FILLED
    else:
        word = _EMPTIED if old is None else _MOVED
    return _Step(change, word, is_kept, before, after)


def _pointer_at(tree: Tree, path: str, entry: Entry | None) -> LfsPointer | None:
    return parse_pointer(tree.read(path, _LARGEST)) if _is_small(entry) else None


def _has_contents(tree: Tree, repository: Repository, oid: str) -> bool:
    place = f"{repository.common}/lfs/objects/{oid[:2]}/{oid[2:4]}/{oid}"
    return tree.entry(place) is not None


def _fact(scope: str, word: str, steps: Sequence[_Step], *, is_kept: bool) -> Fact:
    paths = [step.change.path for step in steps]
    sizes = sum(step.before for step in steps), sum(step.after for step in steps)
    is_lost = word == _EMPTIED and not is_kept
    return Fact(
        "git.lfs", scope, paths[0] if len(paths) == 1 else common_directory(paths) or ".",
        size_text(sizes[0]) if word != _NEW else None, size_text(sizes[1]),
        severity=Severity.HIGH if is_lost else Severity.NONE,
        evidence=tuple(paths[:3]), marks=tuple(_marks(word, len(paths), sizes, is_kept=is_kept)),
    )  # fmt: skip


def _marks(word: str, number: int, sizes: tuple[int, int], *, is_kept: bool) -> Iterator[str]:
    files = f"{counted(number, 'file')} are" if number > 1 else "is"
    if word in (_EMPTIED, _NEW):
        noun = "LFS pointers" if number > 1 else "an LFS pointer"
        yield f"{files} {'now ' if word == _EMPTIED else ''}{noun}"
        yield "contents kept in .git/lfs" if is_kept else "contents not in .git/lfs"
        yield size_text(sizes[1])
    elif word == _FILLED:
        yield f"{files} no longer {'LFS pointers' if number > 1 else 'an LFS pointer'}"
        yield size_text(sizes[1])
    else:
        noun = f"{counted(number, 'file')} have" if number > 1 else "has"
        yield f"{noun} other LFS contents"
        yield f"{size_text(sizes[0])} → {size_text(sizes[1])}"
