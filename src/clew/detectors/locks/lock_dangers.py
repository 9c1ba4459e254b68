"""Dangers in lock files: other hosts, other or missing digests, other origins, install scripts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from clew.detectors.locks.ecosystems import Ecosystem
from clew.detectors.locks.locked import Digest, Locked
from clew.detectors.locks.origins import FORGES, Origin, OriginKind, is_loopback
from clew.detectors.locks.package_changes import PackageChange
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_NAMED = 5
_WEAK = frozenset(("md5", "sha1"))
_NOTES_SCRIPTS = (b'"packages":', b"requiresBuild", b"hasInstallScript")
"""Signs of a lock that notes scripts: version 1 of npm does not."""
_REMOTE = (OriginKind.GIT, OriginKind.URL)


class LockDiff(NamedTuple):
    """Two versions of one lock file."""

    path: str
    ecosystem: Ecosystem
    changes: Sequence[PackageChange]
    old_text: bytes
    git_is_usual: bool = False
    top: str = Severity.HIGH
    """The highest severity: lower for test data, and for a new file."""

    def knows(self, host: str) -> bool:
        """Return whether the old file named a host."""
        return bool(host) and host.partition(":")[0].encode() in self.old_text

    def capped(self, severity: str) -> str:
        """Return a severity that is at most `top`."""
        return severity if self.top == Severity.HIGH else min(severity, self.top, key=_RANK)


_RANK = (Severity.NONE, Severity.NOTE, Severity.HIGH).index


def danger_facts(diff: LockDiff, told: Collection[tuple[str, str]]) -> Iterator[Fact]:
    """Yield every danger; `told` has kinds and packages that another file told."""
    yield from _host_facts(diff)
    yield from integrity_facts(diff)
    yield from _plain_facts(diff)
    for change in diff.changes:
        if ("security.dependency", change.name) not in told:
            yield from _dependency_facts(diff, change)
        if ("security.install_script", change.name) not in told:
            yield from _script_facts(diff, change)


# Hosts


def _host_facts(diff: LockDiff) -> Iterator[Fact]:
    """Yield that packages come from another registry."""
    strange: dict[str, list[str]] = {}
    returned: dict[str, list[str]] = {}
    before: set[str] = set()
    for change in diff.changes:
        was, now = _hosts(change.before), _hosts(change.after)
        for host in now - was:
            if diff.ecosystem.is_public(host):
                if was and not any(map(diff.ecosystem.is_public, was)):
                    returned.setdefault(host, []).append(change.name)
                    before |= was
            elif change.before or not diff.knows(host):
                strange.setdefault(host, []).append(change.name)
                before |= was
    found = strange or returned
    if not found:
        return
    is_known = all(is_loopback(host) or host in diff.ecosystem.known for host in found)
    severity = Severity.HIGH if strange and not is_known else Severity.NOTE
    names = list(dict.fromkeys(name for host in found for name in found[host]))
    yield Fact(
        "security.registry", "lock", diff.path, ", ".join(sorted(before)) or None,
        ", ".join(sorted(found)),
        severity=diff.capped(severity), evidence=(diff.path,), marks=named(names),
    )  # fmt: skip


def _hosts(packages: Iterable[Locked]) -> set[str]:
    return {
        origin.host
        for package in packages
        for origin in package.origins
        if origin.host and origin.kind == OriginKind.REGISTRY
    }


def named(names: Sequence[str]) -> tuple[str, ...]:
    """Return names for marks; many are counted."""
    more = len(names) - _NAMED
    return (*names[:_NAMED], f"{more:,} more") if more > 1 else tuple(names)


def _plain_facts(diff: LockDiff) -> Iterator[Fact]:
    """Yield that packages are fetched without encryption that were not."""
    names = [
        change.name
        for change in diff.changes
        if _is_plain(change.after) and change.before and not _is_plain(change.before)
    ]
    if names:
        yield Fact(
            "security.tls", "lock", diff.path,
            severity=diff.capped(Severity.HIGH), evidence=(diff.path,), marks=named(names),
        )  # fmt: skip


def _is_plain(packages: Iterable[Locked]) -> bool:
    return any(origin.is_plain for package in packages for origin in package.origins)


# Digests


def integrity_facts(diff: LockDiff) -> Iterator[Fact]:
    """Yield packages whose digests are gone, weaker, or different for the same version."""
    other, missing, weaker, more = [], [], [], []
    for change in diff.changes:
        if not change.before or not change.after or not _has_fixed_content(diff, change):
            continue
        changed, added = _same_version_digests(change)
        if changed:
            other.append(f"{change.name} {changed}".rstrip())
        else:
            was, now = _algorithms(change.before), _algorithms(change.after)
            if was and not now:
                missing.append(change.name)
            elif was - _WEAK and not now - _WEAK:
                weaker.append(change.name)
            elif added:
                more.append(f"{change.name} {added}".rstrip())
    for word, names, severity in (
        ("another hash", other, Severity.HIGH), ("no hash", missing, Severity.HIGH),
        ("a weaker hash", weaker, Severity.HIGH), ("one more hash", more, Severity.NOTE),
    ):  # fmt: skip
        if names:
            yield Fact(
                "security.integrity", f"lock: {word}", diff.path, None, word,
                severity=diff.capped(severity), evidence=(diff.path,), marks=named(names),
            )  # fmt: skip


def _has_fixed_content(diff: LockDiff, change: PackageChange) -> bool:
    """Return whether a version always has the same content: not in a directory, nor on a branch."""
    kinds = {origin.kind for origin in _origins(change.before | change.after)}
    return OriginKind.PATH not in kinds and (OriginKind.GIT not in kinds or diff.git_is_usual)


def _same_version_digests(change: PackageChange) -> tuple[str, str]:
    """Return a version with another digest than before, and one with an additional digest."""
    added = ""
    for version in {package.version for package in change.after}:
        was, now = _by_file(change.before, version), _by_file(change.after, version)
        for key in {*was} & {*now}:
            is_replaced = not key[0] and was[key] - now[key] and now[key] - was[key]
            if not was[key] & now[key] or is_replaced:
                return version or "the same version", ""
            if now[key] - was[key] and not key[0]:
                added = version or "the same version"
    return "", added


def _by_file(packages: Iterable[Locked], version: str) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for package in packages:
        if package.version == version:
            for one in package.digests:
                found.setdefault((one.file, one.algorithm), set()).add(one.value)
    return found


def _algorithms(packages: Iterable[Locked]) -> set[str]:
    digests: set[Digest] = {one for package in packages for one in package.digests}
    return {one.algorithm for one in digests}


# Origins


def _dependency_facts(diff: LockDiff, change: PackageChange) -> Iterator[Fact]:
    was, now = _remote(change.before), _remote(change.after)
    new = sorted(now - was)
    if not new or not change.after:
        return
    origin = next(one for one in _origins(change.after) if _place(one) == new[0])
    before = next((one for one in _origins(change.before) if _place(one) in was), None)
    if not change.before:
        if origin.host in FORGES and diff.git_is_usual:
            return
        if diff.knows(origin.host) and origin.host not in FORGES:
            return
    yield dependency_fact(
        diff.path, change.name, before, origin,
        severity=diff.capped(dependency_severity(origin, is_new=not change.before)),
        is_new=not change.before,
    )  # fmt: skip


def dependency_severity(origin: Origin, *, is_new: bool) -> str:
    """Return how severe it is that a package comes from a repository or an address."""
    if origin.kind == OriginKind.PACKAGE:
        return Severity.NONE if is_new else Severity.HIGH
    if origin.kind == OriginKind.PATH or is_loopback(origin.host):
        return Severity.NOTE
    is_known_forge = origin.host in FORGES and origin.kind == OriginKind.GIT
    return Severity.NOTE if is_new and is_known_forge and not origin.is_plain else Severity.HIGH


def dependency_fact(
    path: str, name: str, before: Origin | None, after: Origin, *, severity: str, is_new: bool
) -> Fact:
    """Return the fact about a package that comes from a repository or an address."""
    was = origin_words(before) if before else None if is_new else "a registry"
    return Fact(
        "security.dependency", path, name, was, origin_words(after),
        severity=severity, evidence=(path,), marks=("new",) if is_new else (),
    )  # fmt: skip


def origin_words(origin: Origin) -> str:
    """Return an origin in words: `git at git.example.net/fork/urllib3`."""
    if origin.kind == OriginKind.PATH:
        return "a local path"
    if origin.kind == OriginKind.PACKAGE:
        return f"the package {origin.repository}"
    place = f"{origin.host}/{origin.repository}".rstrip("/") if origin.repository else origin.host
    words = {OriginKind.GIT: "git", OriginKind.URL: "a URL", OriginKind.REGISTRY: "the registry"}
    return f"{words[origin.kind]} at {place}" if place else words[origin.kind]


def _remote(packages: Iterable[Locked]) -> set[tuple[str, str, str]]:
    return {_place(origin) for origin in _origins(packages) if origin.kind in _REMOTE}


def _origins(packages: Iterable[Locked]) -> list[Origin]:
    return sorted({origin for package in packages for origin in package.origins})


def _place(origin: Origin) -> tuple[str, str, str]:
    return origin.kind, origin.host, origin.repository.lower()


# Scripts


def _script_facts(diff: LockDiff, change: PackageChange) -> Iterator[Fact]:
    known = {package.version for package in change.before}
    ran = any(package.runs_script for package in change.before)
    runs = [one.version for one in change.after if one.runs_script and one.version not in known]
    if change.before and runs and not ran and any(sign in diff.old_text for sign in _NOTES_SCRIPTS):
        yield Fact(
            "security.install_script", diff.path, change.name, None, runs[0] or None,
            severity=diff.capped(Severity.HIGH), evidence=(diff.path,), marks=("new in this version",),
        )  # fmt: skip
