"""Installed and removed packages of a Python environment.

Only packages with a changed `*.dist-info` are read, whatever else is installed.
Packages of other managers (apt, conda, a tool's installer) are left to those.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.python.pep440 import is_older, version_key
from clew.detectors.python.python_environments import (
    MARKER,
    PROGRAMS,
    SITES,
    PythonEnvironment,
    environment_of,
    join,
    target_directory,
    virtual_environment,
)
from clew.detectors.python.python_metadata import Distribution, name_in_path, read_distribution
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_SUFFIXES = (".dist-info", ".egg-info", ".egg-link")
_PROGRAM_DIRECTORIES = ("/bin", "/Scripts")
_DEBIAN = "usr/lib/python3/dist-packages"
_OTHER_MANAGERS = ("debian", "conda", "rpm", "apk")
_SYSTEM = "usr"
"""The prefix of the system's Python: packages there belong to the system unless pip is recorded."""
_PYTHON_MANAGERS = ("pip", "uv")
_SET_ID = 0o6000

RECORD_FILES = ("INSTALLER", "METADATA", "RECORD", "REQUESTED", "WHEEL")
"""Files that identify a package outside any `site-packages`."""
_NO_TARGETS = frozenset((*SITES, "node_modules", "_vendor", "_vendored", "testdata", "fixtures"))

IsDirect = Callable[[Distribution], bool]


class ChangedEnvironment(NamedTuple):
    """An environment, and the packages in it with changes."""

    environment: PythonEnvironment
    touched: dict[str, list[str]]
    """The paths of their `*.dist-info`, each with the changed paths in it."""


class Delta(NamedTuple):
    """Packages before and after, by name, without unchanged ones."""

    before: dict[str, Distribution]
    after: dict[str, Distribution]

    def without(self, names: Collection[str]) -> Delta:
        """Return a delta without some packages."""
        before, after = (
            {name: dist for name, dist in side.items() if name not in names} for side in self
        )
        return Delta(before, after)

    def is_changed(self, name: str) -> bool:
        """Return whether a package changed."""
        old, new = self.before.get(name), self.after.get(name)
        if old is None or new is None:
            return True
        return (old.version, old.origin, old.contents) != (new.version, new.origin, new.contents)


def changed_environments(
    evidence: Evidence, changes: Iterable[PathChange]
) -> dict[str, ChangedEnvironment]:
    """Return the environments, by root, that are new or have an added or removed package."""
    found: dict[str, ChangedEnvironment] = {}
    sites: dict[str, dict[str, list[str]]] = {}
    for change in changes:
        path = _distribution_path(change.path) or _target_path(evidence, change)
        if path is not None:
            site = path.rpartition("/")[0]
            touched = sites.get(site)
            if touched is None:
                is_site = site.rpartition("/")[2] in SITES
                environment = (environment_of if is_site else target_directory)(evidence, site)
                touched = found.setdefault(
                    environment.root, ChangedEnvironment(environment, {})
                ).touched
                sites[site] = touched
            touched.setdefault(path, []).append(change.path)
        elif change.name == MARKER and change.is_content:
            environment = virtual_environment(evidence, change.parent)
            found.setdefault(environment.root, ChangedEnvironment(environment, {}))
        elif change.name in PROGRAMS and change.parent.endswith(_PROGRAM_DIRECTORIES):
            environment = virtual_environment(evidence, change.parent.rpartition("/")[0])
            if environment.is_there and environment.was_there:
                found.setdefault(environment.root, ChangedEnvironment(environment, {}))
    return found


def read_delta(evidence: Evidence, changed: ChangedEnvironment) -> Delta:
    """Return the packages of an environment before and after."""
    touched = [
        path
        for path, inside in changed.touched.items()
        if not any(found in evidence.claimed or found in evidence.owners for found in inside)
    ]
    root = changed.environment.root
    before = _installed(evidence, evidence.old, touched, root)
    after = _installed(evidence, evidence.new, touched, root)
    return Delta(before, after)


def package_facts(delta: Delta, scope: str, is_direct: IsDirect) -> Iterator[Fact]:
    """Yield the facts about each package."""
    for name in sorted({*delta.before, *delta.after}):
        old, new = delta.before.get(name), delta.after.get(name)
        shown = new or old
        if shown is None or not delta.is_changed(name):
            continue
        kind = "added" if old is None else "removed" if new is None else "changed"
        marks = _marks(old, new)
        is_remote = new is not None and new.origin is not None and new.origin.is_remote
        yield Fact(
            f"package.{kind}",
            scope,
            name,
            old.version if old else None,
            new.version if new else None,
            direct=is_direct(shown),
            severity=Severity.NOTE if is_remote or "downgrade" in marks else Severity.NONE,
            evidence=(shown.evidence,),
            marks=marks,
        )


def claim_packages(evidence: Evidence, changed: ChangedEnvironment, delta: Delta) -> list[str]:
    """Return the changed paths that installs and removals explain, and record their owners."""
    found: list[str] = []
    for dist in delta.before.values():
        found += changed.touched.get(dist.path, ())
        for path in _inside(changed.environment, dist):
            change = evidence.changes.get(path)
            if change is not None and change.is_deleted:
                found.append(path)
    for name, dist in delta.after.items():
        shipped = list(changed.touched.get(dist.path, ()))
        if delta.is_changed(name):  # otherwise it is unknown who changed its files
            site = dist.path.rpartition("/")[0]
            for path in _inside(changed.environment, dist):
                change = evidence.changes.get(path)
                # installers rewrite the first line of a script; its recorded size may be outdated
                size = dist.files[path] if is_within(path, site) else None
                if change is not None and can_ship(change, size):
                    shipped.append(path)
        evidence.own(shipped, name)
        found += shipped
    return found


def can_ship(change: PathChange, size: int | None) -> bool:
    """Return whether the new file can match the record; pip never sets setuid."""
    entry = change.new
    if entry is None or entry.is_directory:
        return entry is not None
    return not entry.mode & _SET_ID and (size is None or not entry.is_file or entry.size == size)


def is_within(path: str, directory: str) -> bool:
    """Return whether a path is below a directory."""
    return not directory or path.startswith(directory + "/")


def _distribution_path(path: str) -> str | None:
    """Return the `*.dist-info` at or above a path, if it is directly in a `site-packages`."""
    if ".dist-info" not in path and ".egg-" not in path:
        return None
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in SITES:
            name = parts[number + 1]
            if name.endswith(_SUFFIXES) and not name.startswith("~"):  # leftovers of pip
                return "/".join(parts[: number + 2])
            return None  # vendored inside a package
    return None


def _target_path(evidence: Evidence, change: PathChange) -> str | None:
    """Return the `*.dist-info` of a package installed into a directory outside any Python.

    Only with an installer's record: wheels are unpacked into caches as well.
    """
    path = change.parent
    if change.name not in RECORD_FILES or not path.endswith(".dist-info"):
        return None
    parts = path.split("/")[:-1]
    if any(part.startswith(".") or part in _NO_TARGETS for part in parts) or not parts:
        return None
    signed = f"{path}/INSTALLER"
    if evidence.new.entry(signed) is None and evidence.old.entry(signed) is None:
        return None
    return path


def _installed(
    evidence: Evidence, tree: Tree, touched: Iterable[str], root: str
) -> dict[str, Distribution]:
    found: dict[str, Distribution] = {}
    for path in sorted(_same_packages(tree, touched)):
        with evidence.guarded(path):
            dist = read_distribution(evidence, tree, path)
            if dist is None or _is_other_managers(dist, root):
                continue
            known = found.get(dist.name)
            if known is None or _is_newer(dist, known):
                found[dist.name] = dist
    return found


def _same_packages(tree: Tree, touched: Iterable[str]) -> set[str]:
    """Return the touched paths, and unchanged ones of the same packages."""
    found = set(touched)
    names: dict[str, set[str]] = {}
    for path in found:
        names.setdefault(path.rpartition("/")[0], set()).add(name_in_path(path))
    for site, wanted in names.items():
        for name in tree.entries(site):
            if name.endswith(_SUFFIXES) and name_in_path(name) in wanted:
                found.add(join(site, name))
    return found


def _is_other_managers(dist: Distribution, root: str) -> bool:
    if dist.installer in _OTHER_MANAGERS or dist.path.startswith(_DEBIAN + "/"):
        return True
    return root == _SYSTEM and dist.installer not in _PYTHON_MANAGERS


def _is_newer(dist: Distribution, known: Distribution) -> bool:
    one, other = version_key(dist.version or ""), version_key(known.version or "")
    return one is not None and (other is None or one > other)


def _marks(old: Distribution | None, new: Distribution | None) -> tuple[str, ...]:
    if new is None:
        return ()
    marks = new.origin.marks if new.origin else ()
    if old is None:
        return marks
    if old.version and new.version and is_older(new.version, old.version):
        return ("downgrade", *marks)
    if old.version == new.version and old.origin == new.origin:
        return ("other files", *marks)
    if old.origin and not new.origin:
        return ("from an index", *marks)
    return marks


def _inside(environment: PythonEnvironment, dist: Distribution) -> Iterator[str]:
    """Yield the paths of a package; paths outside the environment are ignored."""
    site = dist.path.rpartition("/")[0]
    is_trusted = environment.is_virtual or environment.root != ""
    for path in dist.files:
        is_module = is_within(path, site) and not environment.is_target
        if is_module or (is_trusted and environment.can_hold(path)):
            yield path
