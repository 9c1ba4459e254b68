"""Toolchains with a version file: a JDK's `release`, Go's `VERSION`; and alternatives.

The links in `etc/alternatives` are only reported if no package changed, because packages change
them often and are reported themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree
from clew.model.entry import EntryKind
from clew.model.fact import Fact

_LIMIT = 1 << 16
_JAVA = re.compile(rb'^JAVA_VERSION="([\w.+-]{1,40})"', re.M)
_GO = re.compile(rb"go([0-9][\w.]{0,20})\s")
_MANUAL = re.compile(r"\.[0-9][a-z]{0,3}(?:\.gz)?$")
_PACKAGE_DATABASES = ("var/lib/dpkg/status", "lib/apk/db/installed", "var/lib/rpm/rpmdb.sqlite")
_ALTERNATIVES = "etc/alternatives"


def single_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield the toolchains that were added, removed, or changed version."""
    places = [change for change in changes if change.name in _READERS and change.is_content]
    found: dict[str, Fact] = {}
    for change in places:
        with evidence.guarded(change.path):
            fact = _fact(evidence, change)
            if fact is not None and change.path not in evidence.claimed:
                found[change.parent] = fact
    if found:
        claims = _below(evidence, set(found))
        for place, fact in sorted(found.items()):
            yield Finding((fact,), claims[place])
    yield from _alternatives(evidence, changes)


def _fact(evidence: Evidence, change: PathChange) -> Fact | None:
    if change.path in evidence.owners or not change.parent:
        return None
    tool, program, read = _READERS[change.name]
    trees = (evidence.old, evidence.new)
    if all(tree.entry(f"{change.parent}/{program}") is None for tree in trees):
        return None
    before, after = (read(tree, change.path) for tree in trees)
    if before == after:
        return None
    word = "added" if before is None else "removed" if after is None else "changed"
    return Fact(f"toolchain.{word}", change.parent, tool, before, after, evidence=(change.path,))


def _java_version(tree: Tree, path: str) -> str | None:
    return _matched(_JAVA.search, tree, path)


def _go_version(tree: Tree, path: str) -> str | None:
    return _matched(_GO.match, tree, path)


def _matched(
    search: Callable[[bytes], re.Match[bytes] | None], tree: Tree, path: str
) -> str | None:
    try:
        match = search((tree.read(path, _LIMIT) or b"") + b"\n")
    except TooLarge:
        return None
    return match[1].decode("ascii") if match else None


_READERS: dict[str, tuple[str, str, Callable[[Tree, str], str | None]]] = {
    "release": ("java", "bin/java", _java_version),
    "VERSION": ("go", "bin/go", _go_version),
}
"""By file name: the tool, the program that must exist too, and the parser."""


def _below(evidence: Evidence, places: set[str]) -> dict[str, list[str]]:
    """Return every changed path at or below each directory, in one pass."""
    found: dict[str, list[str]] = {place: [] for place in places}
    for path in evidence.changes:
        above = path
        while above:
            if above in places:
                found[above].append(path)
                break
            above = above.rpartition("/")[0]
    return found


def _alternatives(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    if evidence.owners or any(database in evidence.changes for database in _PACKAGE_DATABASES):
        return
    moved = [change for change in changes if change.parent == _ALTERNATIVES]
    facts = []
    for change in moved:
        old, new = (_target(entry) for entry in (change.old, change.new))
        if old and new and old != new and not _MANUAL.search(change.name):
            fact = Fact("toolchain.changed", "alternatives", change.name, old, new)
            facts.append(fact._replace(evidence=(change.path,)))
    if facts:
        yield Finding(tuple(facts), tuple(change.path for change in moved))


def _target(entry: object) -> str | None:
    target = (
        getattr(entry, "target", b"") if getattr(entry, "kind", 0) == EntryKind.SYMLINK else b""
    )
    return target.decode("utf-8", "surrogateescape") or None
