"""Packages that two lock files state differently, and the facts about their versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cmp_to_key

from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.locked import LockContent, Locked
from clew.detectors.locks.origins import OriginKind
from clew.detectors.node.node_packages import FROM_PATH
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

MAX_FACTS = 5_000
_MAX_VERSIONS = 20
_COMMIT = 7


class PackageChange(NamedTuple):
    """One package, and the versions of it that are locked."""

    name: str
    before: frozenset[Locked]
    after: frozenset[Locked]


def changed_packages(old: LockContent, new: LockContent) -> list[PackageChange]:
    """Return the packages that differ in any way."""
    nothing: frozenset[Locked] = frozenset()
    return [
        PackageChange(name, old.packages.get(name, nothing), new.packages.get(name, nothing))
        for name in sorted({*old.packages, *new.packages})
        if old.packages.get(name) != new.packages.get(name)
    ]


def version_facts(
    path: str, changes: Iterable[PackageChange], ecosystem: Ecosystem
) -> Iterator[Fact]:
    """Yield the facts about packages that are locked to other versions."""
    for change in changes:
        before, after = _versions(change.before, ecosystem), _versions(change.after, ecosystem)
        if before == after:
            before, after = _commits(change.before), _commits(change.after)
        marks = tuple(_marks(change, before, after, ecosystem))
        if before == after and FROM_PATH not in marks:
            continue
        word = (
            "changed" if change.before and change.after else "added" if change.after else "removed"
        )
        yield Fact(
            f"lock.{word}", path, change.name, _joined(before), _joined(after),
            severity=Severity.NOTE if "downgrade" in marks else Severity.NONE,
            evidence=(path,), marks=marks,
        )  # fmt: skip


def version_order(versions: Iterable[str], ecosystem: Ecosystem) -> list[str]:
    """Return versions in order, lowest first."""

    def compare(one: str, other: str) -> int:
        if ecosystem.is_lower(one, other):
            return -1
        return 1 if ecosystem.is_lower(other, one) else (one > other) - (one < other)

    return sorted(versions, key=cmp_to_key(compare))


def _versions(packages: Collection[Locked], ecosystem: Ecosystem) -> list[str]:
    texts = {package.version or package.commit[:_COMMIT] for package in packages}
    return version_order(filter(None, texts), ecosystem)


def _commits(packages: Collection[Locked]) -> list[str]:
    return sorted({package.commit[:_COMMIT] for package in packages if package.commit})


def _joined(versions: list[str]) -> str | None:
    more = [f"and {len(versions) - _MAX_VERSIONS} more"] if len(versions) > _MAX_VERSIONS else []
    return ", ".join([*versions[:_MAX_VERSIONS], *more]) or None


def _marks(
    change: PackageChange, before: list[str], after: list[str], ecosystem: Ecosystem
) -> Iterator[str]:
    if before and after and after[-1] not in before and ecosystem.is_lower(after[-1], before[-1]):
        yield "downgrade"
    if _is_local(change.after) and not _is_local(change.before):
        yield FROM_PATH
    runs = any(package.runs_script for package in change.after)
    if runs and not change.before:
        yield "install script"


def _is_local(packages: Iterable[Locked]) -> bool:
    return any(origin.kind == OriginKind.PATH for one in packages for origin in one.origins)


def installed_versions(facts: Iterable[Fact], ecosystem: Ecosystem) -> dict[str, set[str | None]]:
    """Return what managers of an ecosystem installed or removed: names with their versions."""
    found: dict[str, set[str | None]] = {}
    for fact in facts:
        is_package = fact.kind.startswith("package.")
        if is_package and fact.scope.partition(":")[0] in ecosystem.managers:
            found.setdefault(fact.subject, set()).add(fact.after)
    return found


def is_installed(
    fact: Fact, installed: Mapping[str, set[str | None]], ecosystem: Ecosystem
) -> bool:
    """Return whether an installation in the same interval tells what a fact of a lock does."""
    versions = installed.get(ecosystem.canonical(fact.subject))
    if versions is None:
        return False
    listed = {one for text in versions for one in (text or "").split(", ")}
    return all(one in listed for one in (fact.after or "").split(", "))
