"""Tampering detector: files that differ from what their package shipped.

dpkg stores the MD5 of every shipped file that is not configuration.
A changed file with another MD5 that no package change explains was modified outside dpkg; so was a
maintainer script of an unchanged package.
An edited configuration file is not tampering.

All checksums are read, but only if there is a file to check.
MD5 does not resist deliberate forgery, but dpkg has nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.os_packages.dpkg_footprint import SCRIPTS, did_dpkg_run, info_of, is_generated
from clew.detectors.os_packages.dpkg_status import (
    INFO,
    STATUS,
    STATUS_DIRECTORY,
    checksums,
    diversions,
    has_checksum_of,
    real,
    root_links,
)
from clew.detectors.os_packages.dpkg_steps import package_steps
from clew.model.fact import Fact, Severity

_SCOPE = "apt"
_SHIPPED_BELOW = ("usr", "opt", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "boot", INFO)
_NAMED_FILES = 5
"""How many files of one package are named; more are one fact about their directory."""
_HASHED_BYTES = 1 << 30
_HARMLESS = ("usr/share/doc/", "usr/share/man/", "usr/share/info/", "usr/share/locale/")
"""Directories without executable content."""


class TamperedFiles:
    """Warns about package files that were modified outside dpkg.

    Runs after the detectors of other package managers: `npm install -g npm` overwrites files of
    Debian's `nodejs`, and is reported as such.
    """

    name = "os/tampered"
    version = 1
    kinds: tuple[str, ...] = ("security.tampered",)
    watch = WatchedPaths(below=_SHIPPED_BELOW)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        with evidence.guarded(STATUS):
            for path, package in _planted(evidence, changes):
                yield Finding((_fact(path, package),), (path,))
        with evidence.guarded(INFO):
            suspects = [change for change in changes if _is_suspect(evidence, change)]
            if suspects and evidence.new.entry("var/lib/dpkg") is not None:
                for package, paths in sorted(_tampered(evidence, suspects).items()):
                    yield Finding(tuple(_facts(package, paths)), paths)


def _planted(evidence: Evidence, changes: Sequence[PathChange]) -> list[tuple[str, str]]:
    """Return the scripts and checksums that changed although their package did not."""
    endings = (*SCRIPTS, ".md5sums")
    found = []
    for change in changes:
        info = info_of(change.path)
        if info is not None and info[1] in endings and not change.is_deleted and change.is_content:
            found.append((change.path, info[0].partition(":")[0]))
    if not found or did_dpkg_run(evidence):
        # a reinstall of the same version with other files: the package's own line reports it
        return []
    names = evidence.once(package_steps).names
    return [(path, package) for path, package in found if package not in names]


def _is_suspect(evidence: Evidence, change: PathChange) -> bool:
    path = change.path
    return (
        change.old is not None
        and change.new is not None
        and not change.old.is_directory
        and not change.new.is_directory
        and change.is_content
        and path not in evidence.owners
        and not path.startswith(("usr/local/", "var/"))
        and not is_generated(path)
    )


def _tampered(evidence: Evidence, suspects: Sequence[PathChange]) -> dict[str, list[str]]:
    """Return the files that differ from what their package shipped, by package."""
    found: dict[str, list[str]] = {}
    shipped = _shipped(evidence, {change.path for change in suspects})
    left = _HASHED_BYTES
    for change in suspects:
        known = shipped.get(change.path)
        if known is None or change.new is None:
            continue
        left -= change.new.size
        if left < 0:
            evidence.problem(change.path, f"too large to look into ({change.new.size:,} bytes)")
        elif not change.new.is_file or _md5(evidence.new, change.path) not in known:
            found.setdefault(next(iter(known.values())), []).append(change.path)
    return found


def _shipped(evidence: Evidence, wanted: set[str]) -> dict[str, dict[str, str]]:
    """Return the MD5s that packages shipped a wanted path with, and their names.

    More than one if a package replaced a file of another.
    Read from the old tree: an attacker who changes a file may change its checksum as well.
    """
    tree = evidence.old
    links = root_links(tree)
    diverted = {start: (end, owner) for start, end, owner in diversions(evidence.new)}
    names = _as_listed(wanted, links) | diverted.keys()
    spelled = {name.encode("utf-8", "surrogateescape") for name in names}
    found: dict[str, dict[str, str]] = {}
    for path, package in _checksum_files(tree):
        with evidence.guarded(path):
            content = tree.read(path) or b""
            sums = checksums(content) if has_checksum_of(content, spelled) else {}
            for listed in sums.keys() & names:
                end, owner = diverted.get(listed, (listed, package))
                where = real(end if owner != package else listed, links)
                if where in wanted and not _is_configuration(tree, path, listed):
                    found.setdefault(where, {})[sums[listed]] = package
    return found


def _as_listed(wanted: set[str], links: Mapping[str, str]) -> set[str]:
    """Return every spelling of the wanted paths in a list: `lib/x` for `usr/lib/x`."""
    found = set(wanted)
    for name, target in links.items():
        prefix = f"{target}/"
        found.update(name + path[len(target) :] for path in wanted if path.startswith(prefix))
    return found


def _checksum_files(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield every checksum file with its package."""
    for directory in (INFO, STATUS_DIRECTORY):
        for name in sorted(tree.entries(directory)):
            if name.endswith(".md5sums"):
                yield f"{directory}/{name}", name.removesuffix(".md5sums").partition(":")[0]


def _is_configuration(tree: Tree, sums: str, path: str) -> bool:
    """Return whether a file is a conffile: some packages list checksums of those as well."""
    content = tree.read(sums.removesuffix(".md5sums") + ".conffiles") or b""
    return f"/{path}" in content.decode("utf-8", "surrogateescape").split("\n")


def _md5(tree: Tree, path: str) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    for piece in tree.pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def _facts(package: str, paths: Sequence[str]) -> Iterator[Fact]:
    if len(paths) <= _NAMED_FILES:
        for path in paths:
            yield _fact(path, package)
        return
    directory = _common_directory(paths)
    yield _fact(directory, package, f"{len(paths):,} files", shown=tuple(paths[:_NAMED_FILES]))


def _fact(path: str, *marks: str, shown: tuple[str, ...] = ()) -> Fact:
    return Fact(
        "security.tampered",
        _SCOPE,
        path,
        severity=Severity.NOTE if path.startswith(_HARMLESS) else Severity.HIGH,
        evidence=shown or (path,),
        marks=marks,
    )


def _common_directory(paths: Sequence[str]) -> str:
    first, last = min(paths).split("/"), max(paths).split("/")
    common = []
    for mine, theirs in zip(first[:-1], last[:-1], strict=False):
        if mine != theirs:
            break
        common.append(mine)
    return "/".join(common) or "."
