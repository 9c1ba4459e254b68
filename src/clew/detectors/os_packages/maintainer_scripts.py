"""Files that maintainer scripts create and no file list names.

A script that installs or removes a package names the files it creates: `/etc/locale.gen`,
`/var/log/nginx/access.log`.
A file that it names by absolute path was created along with the package.
That does not exclude other writers, so ownership is not assigned: warnings remain, and files with
content are still reported, only as indirect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.os_packages.conffiles import conffile, is_edited
from clew.detectors.os_packages.dpkg_status import INFO, real, root_links
from clew.detectors.os_packages.dpkg_steps import DpkgStep, package_steps
from clew.model.entry import Entry, EntryKind
from clew.model.named_tuple import NamedTuple

_SCRIPTS = ("preinst", "postinst", "prerm", "postrm", "config")
_SCRIPT_LIMIT = 1 << 20
_TOTAL_LIMIT = 16 << 20
_PATH = re.compile(rb"(?<![\w.}/])/((?:etc|var|run|srv|usr/local)/[\w.+@:/-]{1,200}+)")
_ROOT = re.compile(rb"\$\{?DPKG_ROOT(?::-)?\}?")
_SAFE_DEPTH = 2
"""Slashes in a directory whose content a script may remove as a whole: `var/log/nginx`."""
_PLACES = ("etc/", "var/", "run/", "srv/", "usr/local/", "tmp/hsperfdata_")
_UNITS = re.compile(
    rb"(?<![\w@:.-])[\w@:-]{1,200}+(?:\.[\w@:-]{1,100}+)*?\.(?:service|socket|timer|path|target|mount)\b"
)

_MADE_FOR = {
    "postgresql-common": (
        "etc/postgresql/",
        "var/log/postgresql",
        "var/cache/postgresql",
        "run/postgresql",
    ),
    "ssl-cert": ("etc/ssl/private/ssl-cert-snakeoil.key",),
    "openssh-server": ("etc/ssh/ssh_host_",),
    "mariadb-server": ("etc/mysql/debian.cnf",),
    "libpam-systemd": ("etc/pam.d/common-",),
    "libpam-runtime": ("etc/pam.d/common-",),
}
"""Output of programs that scripts call without naming it."""


class ScriptPaths(NamedTuple):
    """Paths that the maintainer scripts of this interval name, and the packages."""

    named: Mapping[str, str]
    made: tuple[str, ...]
    """Prefixes of such paths."""
    units: Mapping[str, str]
    """systemd units that scripts name."""

    def is_named(self, change: PathChange) -> bool:
        """Return whether a path was added or removed along with a package."""
        path = change.path
        if path in self.named or path.startswith(self.made):
            return True
        return change.is_deleted and any(
            above in self.named for above in _above(path) if above.count("/") >= _SAFE_DEPTH
        )

    def trivial_paths(self, evidence: Evidence, shipped: Mapping[str, str]) -> Iterator[str]:
        """Yield paths that need no line: directories, new logs, copies of shipped files."""
        originals = _contents(evidence, shipped)
        for path, change in evidence.changes.items():
            if path in shipped or not path.startswith(_PLACES):
                continue
            if (
                (_is_empty(change) and self.is_named(change))
                or _is_bare_directory(evidence, change)
                or self._is_log(change, shipped)
                or _is_copy(change, originals)
            ):
                yield path

    def ucf_files(self, evidence: Evidence) -> Iterator[tuple[str, str]]:
        """Yield unedited configuration that scripts installed or removed, with the package."""
        packages = evidence.once(package_steps).names
        for path in evidence.changes:
            known = conffile(evidence, path)
            if known is not None and known.package in packages and not is_edited(evidence, path):
                yield path, known.package

    def removed_links(self, evidence: Evidence) -> Iterator[tuple[str, str]]:
        """Yield dangling links of units that scripts removed, with the package."""
        for path, change in evidence.changes.items():
            old = change.old
            if (
                path.startswith("etc/systemd/")
                and change.is_deleted
                and old is not None
                and old.kind == EntryKind.SYMLINK
            ):
                unit = old.target.rpartition(b"/")[2].decode("utf-8", "replace")
                package = self.units.get(unit) or self.units.get(change.name)
                if package is not None and not _has_target(evidence.old, old):
                    yield path, package

    def _is_log(self, change: PathChange, shipped: Mapping[str, str]) -> bool:
        """Return whether this is a log that a script created, or removed with its package."""
        if not change.path.startswith(("var/log/", "var/cache/", "run/")):
            return False
        if change.is_deleted:
            return self.is_named(change)
        is_theirs = change.parent in shipped or change.parent in self.named
        return change.is_added and (change.path in self.named or (is_theirs and _is_empty(change)))


def script_paths(evidence: Evidence) -> ScriptPaths:
    """Return the paths that the scripts of moved packages name; use `evidence.once`."""
    steps = evidence.once(package_steps)
    named: dict[str, str] = {}
    units: dict[str, str] = {}
    budget = _TOTAL_LIMIT
    for step in steps.moved.values():
        for content in _scripts(evidence, step):
            budget -= len(content)
            if budget < 0:
                break
            for path in _PATH.findall(content):
                text = path.decode("ascii", "replace").rstrip("/.:")
                named.setdefault(text, step.name)
            for unit in _UNITS.findall(content):
                units.setdefault(unit.decode("ascii", "replace"), step.name)
    made = [path for name in steps.names for path in _MADE_FOR.get(name, ())]
    return ScriptPaths(named, tuple(made), units)


def _scripts(evidence: Evidence, step: DpkgStep) -> Iterator[bytes]:
    for tree, package in ((evidence.old, step.old), (evidence.new, step.new)):
        if package is not None:
            for stem in (f"{package.name}:{package.architecture}", package.name):
                for ending in _SCRIPTS:
                    path = f"{INFO}/{stem}.{ending}"
                    with evidence.guarded(path):
                        content = tree.read(path, _SCRIPT_LIMIT) or b""
                        yield _ROOT.sub(b"", content)


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _contents(evidence: Evidence, shipped: Mapping[str, str]) -> set[bytes]:
    """Return the digests of shipped files; empty files are omitted."""
    found = set()
    for path in shipped:
        new = evidence.changes[path].new if path in evidence.changes else None
        if new is not None and new.is_file and new.size:
            found.add(bytes(new.content))
    return found


def _is_copy(change: PathChange, originals: set[bytes]) -> bool:
    """Return whether a new non-executable file is a copy of a shipped one."""
    new = change.new
    return (
        change.is_added
        and change.path.startswith("var/")
        and new is not None
        and new.is_file
        and not new.mode & 0o6111
        and bytes(new.content) in originals
    )


def _is_empty(change: PathChange) -> bool:
    """Return whether an empty entry was added or removed."""
    if change.old is not None and change.new is not None:
        return False
    entry = change.old or change.new
    return entry is not None and entry.kind != EntryKind.SYMLINK and not entry.size


def _is_bare_directory(evidence: Evidence, change: PathChange) -> bool:
    """Return whether this is a new empty directory."""
    new = change.new
    return (
        change.is_added
        and new is not None
        and new.is_directory
        and not evidence.new.entries(change.path)
    )


def _has_target(tree: Tree, link: Entry) -> bool:
    target = real(link.target.decode("utf-8", "surrogateescape").lstrip("/"), root_links(tree))
    return tree.entry(target) is not None
