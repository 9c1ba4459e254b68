"""Conflict detector: files with unresolved conflict markers, and hunks that a patch rejected.

A file is reported when it gets markers, or more of them; not again while they stay.
The file is not claimed, because its other changes are not explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.repositories.conflict_markers import count_conflicts, rejected_hunks
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.repositories import Repositories
from clew.detectors.security.security_rules import in_fresh_clone, is_dependency
from clew.model.amount import counted
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity

_MAX_FILE_SIZE = 2 << 20
_MAX_BYTES = 16 << 20
_MAX_FILES = 2_000
_MAX_FACTS = 100
_SMALLEST = 23
"""The size of the shortest conflict: three markers and their line ends."""
_BINARY = frozenset((
    "png", "jpg", "jpeg", "gif", "webp", "ico", "pdf", "zip", "gz", "xz", "zst", "bz2", "tar", "whl",
    "jar", "so", "o", "a", "pyc", "class", "wasm", "db", "sqlite", "sqlite3", "parquet", "npy", "npz",
    "pt", "onnx", "safetensors", "mp3", "mp4", "woff", "woff2", "ttf", "bin", "log",
))  # fmt: skip
_REJECTED = ".rej"


class Conflicts:
    """Reports files with new conflict markers."""

    name = "git/conflicts"
    version = 1
    kinds: tuple[str, ...] = ("broken.conflict",)
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        budget = _ReadBudget()
        facts: list[Fact] = []
        for change in _candidates(evidence, changes):
            if not budget.allows(change.new) or len(facts) >= _MAX_FACTS:
                break
            with evidence.guarded(change.path):
                fact = _fact(evidence, change)
                if fact is not None:
                    facts.append(fact)
        if facts:
            claims = [fact.subject for fact in facts if fact.subject.endswith(_REJECTED)]
            yield Finding(tuple(facts), claims)


class _ReadBudget:
    """The remaining read budget."""

    def __init__(self) -> None:
        self._files = _MAX_FILES
        self._bytes = _MAX_BYTES

    def allows(self, entry: Entry | None) -> bool:
        self._files -= 1
        self._bytes -= entry.size if entry is not None else 0
        return self._files >= 0 and self._bytes >= 0


def _candidates(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[PathChange]:
    """Yield text files that may have new markers: edited ones first, then those that are new."""
    skipped: dict[str, bool] = {}
    found: list[list[PathChange]] = [[], []]
    for change in changes:
        new = change.new
        if new is None or not new.is_file or not _SMALLEST <= new.size <= _MAX_FILE_SIZE:
            continue
        path = change.path
        if not change.is_content or path in evidence.owners:
            continue
        if change.name.rpartition(".")[2].lower() in _BINARY:
            continue
        parent = change.parent
        if parent not in skipped:
            skipped[parent] = is_inside_git(path) or is_dependency(path)
        if not skipped[parent]:
            found[change.old is None].append(change)
    for group in found:
        yield from group


def _fact(evidence: Evidence, change: PathChange) -> Fact | None:
    path = change.path
    content = evidence.new.read(path, _MAX_FILE_SIZE) or b""
    if path.endswith(_REJECTED):
        number = rejected_hunks(content) if change.old is None else 0
        marks: tuple[str, ...] = ("rejected", counted(number, "hunk"))
    else:
        number = count_conflicts(content, path)
        if number and number <= count_conflicts(_old_content(evidence.old, change), path):
            return None
        marks = (counted(number, "conflict"),)
    if not number or in_fresh_clone(evidence, path):
        return None
    repository = evidence.once(Repositories).of(path)
    return Fact(
        "broken.conflict", repository.scope if repository else "files", path,
        severity=Severity.HIGH, evidence=(path,), marks=marks,
    )  # fmt: skip


def _old_content(tree: Tree, change: PathChange) -> bytes:
    if change.old is None or not change.old.is_file:
        return b""
    try:
        return tree.read(change.path, _MAX_FILE_SIZE) or b""
    except TooLarge:
        return b""
