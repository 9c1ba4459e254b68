"""Lock file detector: what lock files and manifests state, told by package.

A lock file states what is wanted, not what is installed.  If the same packages were installed in the
same interval, their manager has told it, and the file only follows.
Another host, a missing or another digest, a repository in place of a registry, and a new install
script are dangers whether anything was installed or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.formats import LOCKS, MANIFESTS, SUFFIXES, LockFormat, manifest_format
from clew.detectors.locks.lock_dangers import LockDiff, danger_facts, integrity_facts
from clew.detectors.locks.locked import EMPTY, LockContent, Locked
from clew.detectors.locks.manifests import ManifestContent
from clew.detectors.locks.package_changes import (
    MAX_FACTS,
    PackageChange,
    changed_packages,
    installed_versions,
    is_installed,
    version_facts,
)
from clew.detectors.locks.requirement_changes import origin_facts, requirement_facts
from clew.detectors.security.security_rules import is_dependency, joined
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_MANIFEST_LIMIT = 1 << 20
_READ_BUDGET = 32 << 20
"""The total number of bytes read; files beyond it are not analysed."""


class LockFiles:
    """Reports packages that are locked or required in other versions, or from elsewhere."""

    name = "packages/locks"
    version = 2
    kinds: tuple[str, ...] = (
        "lock.added", "lock.changed", "lock.removed", "config.changed", "security.registry",
        "security.integrity", "security.dependency", "security.install_script", "security.tls",
    )  # fmt: skip
    watch = WatchedPaths(names=(*LOCKS, *MANIFESTS), suffixes=SUFFIXES, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        report = _Report(evidence)
        manifests: list[PathChange] = []
        locks: list[PathChange] = []
        for change in _within_budget(evidence, _declaring(evidence, changes)):
            (locks if change.name in LOCKS else manifests).append(change)
        for change in manifests:  # first: they say where a project wants a package from
            with evidence.guarded(change.path):
                report.read_manifest(change)
        for change in locks:
            with evidence.guarded(change.path):
                yield from report.lock_findings(change)
        yield from report.manifest_findings()


def _declaring(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[PathChange]:
    """Yield the changed lock files and manifests, without those of dependencies."""
    for change in changes:
        is_known = change.name in LOCKS or manifest_format(change.path) is not None
        if not is_known or not change.is_content or change.path in evidence.owners:
            continue
        if change.new is not None and change.new.is_file and not is_dependency(change.path):
            yield change


def _within_budget(evidence: Evidence, changes: Iterable[PathChange]) -> Iterator[PathChange]:
    budget = _READ_BUDGET
    for change in changes:
        size = sum(entry.size for entry in (change.old, change.new) if entry is not None)
        budget -= size
        with evidence.guarded(change.path):
            if budget < 0:
                raise TooLarge(change.path, size)
            yield change


class _ManifestChange(NamedTuple):
    path: str
    ecosystem: Ecosystem
    old: ManifestContent
    new: ManifestContent
    dangers: list[Fact]


class _Report:
    """What the changed lock files and manifests of one tree state."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._manifests: list[_ManifestChange] = []
        self._by_ecosystem: dict[str, dict[str, set[str | None]]] = {}
        self._told = {
            (fact.scope.partition(":")[2].strip("."), fact.kind, fact.subject)
            for fact in evidence.facts
            if fact.kind == "security.install_script"
        }
        """Dangers told already: the directory, the kind and the package."""
        self._locked: set[tuple[str, str]] = set()
        """Packages with other versions in a lock file: its directory, and the package."""

    def _installed(self, ecosystem: Ecosystem) -> dict[str, set[str | None]]:
        """Return what was installed or removed in the same interval."""
        found = self._by_ecosystem.get(ecosystem.name)
        if found is None:
            found = installed_versions(self._evidence.facts, ecosystem)
            self._by_ecosystem[ecosystem.name] = found
        return found

    # Lock files

    def lock_findings(self, change: PathChange) -> Iterator[Finding]:
        """Yield what a changed lock file states."""
        path, lock = change.path, LOCKS[change.name]
        old, new = self._evidence.old.read(path), self._evidence.new.read(path)
        before, after = lock.read(old, new)
        changes = changed_packages(before, after)
        top = Severity.HIGH if old and not is_test_data(path) else Severity.NOTE
        diff = LockDiff(path, lock.ecosystem, changes, old or b"", lock.git_is_usual, top)
        told = {
            (kind, name)
            for directory, kind, name in self._told
            if _is_at_or_below(directory, change.parent)
        }
        dangers = [
            fact
            for fact in danger_facts(diff, told)
            if old or fact.kind == "security.registry"  # of a new file only hosts are news
        ]
        facts: tuple[Fact, ...] = ()
        is_emptied = len(before.packages) > 1 and not after.packages
        if old and is_emptied and not lock.read(None, new)[1].packages:
            facts = (_file_fact(path, f"no packages left of {len(before.packages):,}"),)
        elif old:
            facts = self._version_facts(change, lock, before, after, changes)
        if dangers or path in self._evidence.claimed:  # that nothing else differs is no news
            facts = tuple(fact for fact in facts if fact.kind != "config.changed")
        self._locked.update((change.parent, fact.subject) for fact in facts)
        if facts or dangers:
            yield Finding((*dangers, *facts), (path,))

    def _version_facts(
        self, change: PathChange, lock: LockFormat, before: LockContent, after: LockContent,
        changes: list[PackageChange],
    ) -> tuple[Fact, ...]:  # fmt: skip
        path = change.path
        found = list(version_facts(path, changes, lock.ecosystem))
        if not found:
            return (_file_fact(path, "lock file", "same versions"),)
        requested = self._requested(change.parent, lock, before, after)
        direct = {fact for fact in found if requested is None or fact.subject in requested}
        installed = self._installed(lock.ecosystem)
        news = [fact for fact in found if not is_installed(fact, installed, lock.ecosystem)]
        if len(news) < len(found):  # the others are not for this machine
            news = [fact for fact in news if fact in direct]
        if not news:
            return (_file_fact(path, "lock file", "as installed", direct=False),)
        named = direct or set(news)
        return tuple(fact._replace(direct=fact in named) for fact in news[:MAX_FACTS])

    def _requested(
        self, directory: str, lock: LockFormat, before: LockContent, after: LockContent
    ) -> frozenset[str] | None:
        """Return what the project itself wants; None if nothing says it."""
        if before.requested is not None or after.requested is not None:
            return (before.requested or frozenset()) | (after.requested or frozenset())
        found: set[str] = set()
        is_known = False
        for name in lock.manifests:
            for tree in (self._evidence.old, self._evidence.new):
                content = _manifest_at(tree, joined(directory, name))
                is_known = is_known or content is not None
                found.update(content.requirements if content else ())
        return frozenset(found) if is_known else None

    # Manifests

    def read_manifest(self, change: PathChange) -> None:
        """Read a changed manifest; others report a new one, and one that cannot be read."""
        path, known = change.path, manifest_format(change.path)
        old, new = (_manifest_at(tree, path) for tree in (self._evidence.old, self._evidence.new))
        if known is None or old is None or new is None:
            return
        diff = LockDiff(path, known.ecosystem, _pinned(old, new), b"")
        dangers = [*origin_facts(path, old, new), *integrity_facts(diff)]
        if is_test_data(path):
            dangers = [fact._replace(severity=Severity.NOTE) for fact in dangers]
        self._told.update((change.parent, fact.kind, fact.subject) for fact in dangers)
        self._manifests.append(_ManifestChange(path, known.ecosystem, old, new, dangers))

    def manifest_findings(self) -> Iterator[Finding]:
        """Yield what the changed manifests want, after the lock files are told."""
        for one in self._manifests:
            facts = self._requirement_facts(one)
            if facts or one.dangers:
                is_explained = one.old.rest == one.new.rest
                yield Finding((*one.dangers, *facts), (one.path,) if is_explained else ())

    def _requirement_facts(self, one: _ManifestChange) -> tuple[Fact, ...]:
        canonical = one.ecosystem.canonical
        moved = {fact.subject for fact in one.dangers if fact.kind == "security.dependency"}
        found = [
            fact
            for fact in requirement_facts(one.path, one.old, one.new, one.ecosystem)
            if fact.subject not in moved
        ]
        installed = self._installed(one.ecosystem)
        news = [fact for fact in found if canonical(fact.subject) not in installed]
        if found and not news:
            marks = [_SIGNS[fact.kind.partition(".")[2]] + fact.subject for fact in found[:5]]
            is_news = one.old.rest == one.new.rest and one.path not in self._evidence.claimed
            return (_file_fact(one.path, *marks, direct=False),) if is_news else ()
        directory = one.path.rpartition("/")[0]
        locked = {name for above, name in self._locked if _is_at_or_below(directory, above)}
        return tuple(
            fact._replace(direct=False, severity=Severity.NONE) if fact.subject in locked else fact
            for fact in news[:MAX_FACTS]
        )


_SIGNS = {"added": "+", "removed": "−", "changed": "~"}


def _is_at_or_below(directory: str, above: str) -> bool:
    return not above or directory == above or directory.startswith(above + "/")


def _file_fact(path: str, *marks: str, direct: bool = True) -> Fact:
    return Fact("config.changed", path, path, direct=direct, evidence=(path,), marks=marks)


def _manifest_at(tree: Tree, path: str) -> ManifestContent | None:
    """Return a manifest; None if there is none, or if it cannot be read: others tell that."""
    known = manifest_format(path)
    try:
        content = tree.read(path, _MANIFEST_LIMIT)
        return known.read(content) if known is not None and content is not None else None
    except (TooLarge, ValueError, RecursionError):
        return None


def _pinned(old: ManifestContent, new: ManifestContent) -> list[PackageChange]:
    """Return requirements with digests as the packages of a lock."""
    return changed_packages(_as_lock(old), _as_lock(new)) if _has_digests(old) else []


def _has_digests(content: ManifestContent) -> bool:
    return any(requirement.digests for requirement in content.requirements.values())


def _as_lock(content: ManifestContent) -> LockContent:
    packages = {
        name: frozenset((
            Locked(
                one.specifier.lstrip("="), frozenset((one.origin,) if one.origin else ()), one.digests
            ),
        ))
        for name, one in content.requirements.items()
    }  # fmt: skip
    return LockContent(packages) if packages else EMPTY
