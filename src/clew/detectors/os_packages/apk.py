"""Alpine detectors: apk packages and repositories.

`lib/apk/db/installed` has a stanza of one-letter fields for each package, including its files
(`F:` a directory, `R:` a file in it); `etc/apk/world` lists the requested packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.os_packages.apt_sources import shown_address
from clew.detectors.os_packages.dpkg_footprint import written_by_scripts
from clew.detectors.os_packages.dpkg_status import real, root_links
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_DATABASES = ("lib/apk/db", "usr/lib/apk/db")
_WORLD = "etc/apk/world"
_REPOSITORIES = "etc/apk/repositories"
_KEYS = "etc/apk/keys"
_LIMIT = 64 << 20
_TEXT_LIMIT = 256

_VERSION = re.compile(
    r"([0-9]+(?:\.[0-9]+)*)([a-z]?)((?:_[a-z]+[0-9]*)*)(?:~[0-9a-f]+)?(?:-r([0-9]+))?"
)
_SUFFIX = re.compile(r"_([a-z]+)([0-9]*)")
_SUFFIX_RANK = {"alpha": -4, "beta": -3, "pre": -2, "rc": -1, "cvs": 1, "svn": 2, "git": 3, "hg": 4}


class Apk:
    """Reports Alpine packages added, removed or changed, and claims the files involved."""

    name = "os/apk"
    version = 1
    kinds: tuple[str, ...] = ("package.added", "package.changed", "package.removed")
    watch = WatchedPaths(
        paths=(_WORLD, "var/log/apk.log"),
        below=(*_DATABASES, "lib/apk/exec", "usr/lib/apk/exec", "var/cache/apk", "etc/apk/cache"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        with evidence.guarded(_DATABASES[0]):
            old, new = _differing(evidence)
            facts = tuple(_facts(evidence, old, new))
            claims = [change.path for change in changes if facts or not _is_script(change)]
            if facts:
                shipped = _shipped(evidence, old, new)
                written = written_by_scripts(evidence, shipped)
                for path, package in (shipped | written).items():
                    if package:
                        evidence.own((path,), package)
                claims += [*shipped, *written]
            if claims:
                yield Finding(facts, claims, "" if facts else _text(claims))


class ApkSources:
    """Reports new package repositories of apk."""

    name = "os/apk-sources"
    version = 1
    kinds: tuple[str, ...] = ("source.added", "config.changed")
    watch = WatchedPaths(paths=(_REPOSITORIES,), below=(f"{_REPOSITORIES}.d", _KEYS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            if change.is_directory or not change.is_content:
                continue
            path = change.path
            with evidence.guarded(path):
                package = evidence.owners.get(path)
                if not path.startswith(f"{_KEYS}/"):
                    facts = tuple(_source_facts(evidence, path, package))
                elif change.is_deleted or (package and not change.is_added):
                    continue
                else:
                    facts = (_source(path, path, package, "signing key"),)
                if facts:
                    yield Finding(facts, (path,))


class ApkPackage(NamedTuple):
    """One stanza."""

    name: str
    version: str
    is_broken: bool
    """Whether apk could not write all its files, or one of its scripts failed."""
    files: tuple[str, ...]


def parse(stanza: bytes) -> ApkPackage:
    """Return the package that a stanza describes."""
    fields: dict[str, str] = {}
    files, directory = [], ""
    for line in stanza.decode("utf-8", "surrogateescape").split("\n"):
        key, value = line[:1], line[2:]
        if key == "F":
            directory = value.strip("/")
        elif key == "R":
            files.append(f"{directory}/{value}" if directory else value)
        elif key in ("P", "V", "f"):
            fields[key] = value[:_TEXT_LIMIT]
    is_broken = not set("fsx").isdisjoint(fields.get("f", ""))
    return ApkPackage(fields.get("P", ""), fields.get("V", ""), is_broken, tuple(files))


def is_older(version: str, than: str) -> bool:
    """Return whether a version is lower; False if one of them cannot be parsed."""
    mine, theirs = _rank(version), _rank(than)
    return mine is not None and theirs is not None and mine < theirs


def _differing(evidence: Evidence) -> tuple[dict[str, ApkPackage], dict[str, ApkPackage]]:
    """Return the packages whose stanzas differ; the others are not parsed."""
    before, after = _stanzas(evidence.old), _stanzas(evidence.new)
    return _parsed(before - after), _parsed(after - before)


def _stanzas(tree: Tree) -> set[bytes]:
    found: set[bytes] = set()
    for directory in _DATABASES:
        content = tree.read(f"{directory}/installed", _LIMIT) or b""
        found.update(stanza.strip(b"\n") for stanza in content.split(b"\n\n"))
    return found


def _parsed(stanzas: set[bytes]) -> dict[str, ApkPackage]:
    packages = (parse(stanza) for stanza in sorted(stanzas))
    return {package.name: package for package in packages if package.name}


def _facts(
    evidence: Evidence, old: Mapping[str, ApkPackage], new: Mapping[str, ApkPackage]
) -> Iterator[Fact]:
    requested = {"old": _world(evidence.old), "new": _world(evidence.new)}
    for name in sorted({*old, *new}):
        was, now = old.get(name), new.get(name)
        if was and now and (was.version, was.is_broken) == (now.version, now.is_broken):
            continue
        marks, severity = _marks(was, now)
        yield Fact(
            f"package.{'removed' if now is None else 'changed' if was else 'added'}",
            "apk",
            name,
            was.version if was else None,
            now.version if now else None,
            direct=name in requested["new" if now else "old"],
            severity=severity,
            evidence=tuple(
                path
                for directory in _DATABASES
                if (path := f"{directory}/installed") in evidence.changes
            ),
            marks=marks,
        )


def _world(tree: Tree) -> set[str]:
    """Return the requested packages: `nginx`, `php>8`, `tool@edge`."""
    words = (tree.read(_WORLD) or b"").decode("utf-8", "surrogateescape").split()
    return {re.split(r"[@<>=~]", word, maxsplit=1)[0] for word in words if word[0] != "!"}


def _marks(was: ApkPackage | None, now: ApkPackage | None) -> tuple[tuple[str, ...], str]:
    if now is not None and now.is_broken:
        return ("half-configured",), Severity.HIGH
    if was is not None and now is not None and is_older(now.version, was.version):
        return ("downgrade",), Severity.NOTE
    if was is not None and now is not None and was.version == now.version:
        return ("configured",), Severity.NONE
    return (), Severity.NONE


def _shipped(
    evidence: Evidence, old: Mapping[str, ApkPackage], new: Mapping[str, ApkPackage]
) -> dict[str, str]:
    """Return the changed paths that packages installed or removed."""
    found: dict[str, str] = {}
    for tree, packages in ((evidence.old, old), (evidence.new, new)):
        links = root_links(tree)
        for package in packages.values():
            for listed in package.files:
                path = real(listed, links)
                change = evidence.changes.get(path)
                if change is not None and (packages is new or change.is_deleted):
                    found[path] = package.name
    return found


def _is_script(change: PathChange) -> bool:
    """Return whether apk runs a file; without a package, nothing explains a change."""
    return change.name.startswith("scripts.tar") or "/apk/exec/" in change.path


def _text(claims: Sequence[str]) -> str:
    is_refresh = all(path.startswith(("var/cache/apk", "etc/apk/cache")) for path in claims)
    return f"package {'lists refreshed' if is_refresh else 'bookkeeping changed'} (apk)"


def _rank(version: str) -> tuple[object, ...] | None:
    """Return the sort key of a version: numbers, a letter, suffixes, the build."""
    match = _VERSION.fullmatch(version[:_TEXT_LIMIT])
    if match is None:
        return None
    first, *others = match[1].split(".")
    numbers = [_number(first), *map(_fraction, others)]
    suffixes = [
        (_SUFFIX_RANK.get(word, 5), _number(number)) for word, number in _SUFFIX.findall(match[3])
    ]
    return numbers, match[2], [*suffixes, (0, _number(""))], _number(match[4] or "")


def _number(digits: str) -> tuple[int, int, str]:
    digits = digits.lstrip("0")
    return 1, len(digits), digits


def _fraction(digits: str) -> tuple[int, int, str]:
    """Return the sort key of a number after a dot; a leading zero makes it a decimal fraction."""
    return (0, 0, digits) if digits.startswith("0") else _number(digits)


def _source_facts(evidence: Evidence, path: str, package: str | None) -> Iterator[Fact]:
    old, new = _addresses(evidence.old.read(path)), _addresses(evidence.new.read(path))
    hosts = {_host(address) for address in old}
    for address in new:
        if address not in old:
            yield _source(address, path, package, is_known=_host(address) in hosts)
    gone = [address for address in old if address not in new]
    if gone:
        marks = tuple(f"−{address}" for address in gone[:6])
        yield Fact("config.changed", path, path, evidence=(path,), marks=marks)


def _addresses(content: bytes | None) -> dict[str, None]:
    """Return the URLs of a repository list, in order: `@edge http://host/edge`."""
    found: dict[str, None] = {}
    for line in (content or b"").decode("utf-8", "replace").split("\n"):
        words = line.partition("#")[0].split()
        if words:
            found[shown_address(words[-1])] = None
    return found


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _source(
    subject: str, path: str, package: str | None, *marks: str, is_known: bool = False
) -> Fact:
    severity = Severity.NOTE if is_known else Severity.HIGH
    return Fact(
        "source.added",
        "apk",
        subject,
        after=None if subject == path else path,
        direct=package is None,
        severity=severity if package is None else Severity.NONE,
        evidence=(path,),
        marks=marks,
    )
