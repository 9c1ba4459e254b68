"""Dangling link detector: links that lead nowhere, because what they led to was deleted.

The links themselves are unchanged, so they are looked for near what was deleted: in the directories
above it, and in those beside them.  Only so many directories are looked into.
Links to what programs write and delete themselves are no news.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.links import is_place_of_people, link_problem, link_target
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.losses.disposable import is_disposable_directory, is_disposable_name
from clew.detectors.security.security_rules import directories_above, is_dependency, joined
from clew.model.amount import counted
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

NOWHERE = "leads nowhere"
_MAX_DELETED = 64
"""Deleted files and directories near which links are looked for."""
_MAX_DIRECTORIES = 250
_MAX_ENTRIES = 5_000
"""Entries of one directory that are looked at."""
_ELSEWHERE = (
    "usr",
    "etc",
    "lib",
    "lib64",
    "bin",
    "sbin",
    "nix",
    "snap",
    "dev",
    "proc",
    "sys",
    "run",
)
"""Where no workspace is."""
_MANY = 6
"""From this number, links of one directory are counted instead of named."""


class _Dangling(NamedTuple):
    path: str
    target: str


class DanglingLinks:
    """Reports links whose target was deleted."""

    name = "files/dangling-links"
    version = 1
    kinds: tuple[str, ...] = ("link.changed",)
    watch = WatchedPaths(everything=True, existed=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        deleted = _deleted(evidence)
        by_directory: dict[str, list[_Dangling]] = {}
        for one in _dangling(evidence, deleted) if deleted else ():
            by_directory.setdefault(one.path.rpartition("/")[0], []).append(one)
        for directory, links in by_directory.items():
            yield Finding(tuple(_facts(directory, links)))


def _deleted(evidence: Evidence) -> list[str]:
    """Return what was deleted and may be missed, without what was in a deleted directory."""
    found: list[str] = []
    for path, change in evidence.changes.items():
        if change.new is not None or path in evidence.claimed:
            continue
        if _is_gone(evidence, path.rpartition("/")[0]) or not is_place_of_people(evidence, path):
            continue
        if not _is_disposable(evidence, path):
            found.append(path)
            if len(found) >= _MAX_DELETED:
                break
    return found


def _is_gone(evidence: Evidence, directory: str) -> bool:
    change = evidence.changes.get(directory)
    return change is not None and change.new is None


def _is_disposable(evidence: Evidence, path: str) -> bool:
    """Return whether programs write and delete something by themselves, or a package shipped it."""
    parent, _, name = path.rpartition("/")
    return (
        path in evidence.owners
        or is_dependency(path)
        or is_generated_or_vendored(path + "/")
        or is_disposable_directory(path, is_machine=evidence.machine)
        or is_disposable_name(parent, name)
    )


def _dangling(evidence: Evidence, deleted: Sequence[str]) -> Iterator[_Dangling]:
    for directory in _directories(evidence, deleted):
        for name, entry in _first(evidence.new, directory):
            path = joined(directory, name)
            if entry.kind == EntryKind.SYMLINK and path not in evidence.changes:
                with evidence.guarded(path):
                    if _led_to_deleted(evidence, path, entry, deleted):
                        yield _Dangling(path, link_target(entry))


def _directories(evidence: Evidence, deleted: Sequence[str]) -> Iterator[str]:
    """Yield the directories to look into, those above what was deleted first."""
    above = dict.fromkeys(one for path in deleted for one in directories_above(path))
    waiting = [one for one in above if not _is_gone(evidence, one)]
    seen = set(waiting)
    number = 0
    while waiting and number < _MAX_DIRECTORIES:
        number += 1
        directory = waiting.pop(0)
        yield directory
        is_root_of_machine = evidence.machine and not directory  # everything is below it
        if is_root_of_machine or len(waiting) + number >= _MAX_DIRECTORIES:
            continue
        for name, entry in _first(evidence.new, directory):
            path = joined(directory, name)
            if entry.kind == EntryKind.DIRECTORY and path not in seen and name != ".git":
                seen.add(path)
                waiting += [] if _is_disposable(evidence, path) else [path]


def _first(tree: Tree, directory: str) -> list[tuple[str, Entry]]:
    return list(tree.entries(directory).items())[:_MAX_ENTRIES]


def _led_to_deleted(evidence: Evidence, path: str, entry: Entry, deleted: Sequence[str]) -> bool:
    """Return whether a link led to something that was deleted."""
    if _is_disposable(evidence, path) or not is_place_of_people(evidence, path):
        return False
    target = link_target(entry)
    if target.startswith("/") and not evidence.machine:
        return _ends_in_deleted(target, deleted)
    start = "" if target.startswith("/") else path.rpartition("/")[0]
    return not link_problem(evidence.old, start, target) and link_problem(
        evidence.new, start, target
    ) == (NOWHERE,)


def _ends_in_deleted(target: str, deleted: Sequence[str]) -> bool:
    """Return whether an absolute target is one of the workspace, whose own place is not known."""
    if target.split("/")[1] in _ELSEWHERE:
        return False
    return any("/" in one and f"{target}/".find(f"/{one}/") > 0 for one in deleted)


def _facts(directory: str, links: Sequence[_Dangling]) -> Iterator[Fact]:
    if len(links) >= _MANY:
        yield Fact(
            "link.changed", "symlink", directory or ".", severity=Severity.HIGH,
            evidence=tuple(one.path for one in links[:5]),
            marks=(counted(len(links), "link"), "lead nowhere"),
        )  # fmt: skip
        return
    for one in links:
        yield Fact(
            "link.changed", "symlink", one.path, after=one.target, severity=Severity.HIGH,
            evidence=(one.path,), marks=(NOWHERE,),
        )  # fmt: skip
