"""Packages in a `node_modules` of npm, yarn or bun.

The tree is authoritative: a package is installed where its `package.json` is.
A lock supplies the version, which is faster, and the origin of a package; unless the lock is
unchanged while the `package.json` changed, because then it is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.node.node_manifest import Manifest, manifest_at
from clew.detectors.node.node_modules import followed, name_at, places, split_place
from clew.detectors.tools.package_scopes import inside
from clew.model.named_tuple import NamedTuple

MAX_PACKAGES = 20_000
"""How many places of one `node_modules` are read; large projects have two thousand."""
FROM_GIT, FROM_PATH, FROM_URL = "from git", "from a local path", "from a URL"


class Copy(NamedTuple):
    """One package at one place, or a lock's record of it."""

    version: str | None = None
    source: str = ""
    """Its origin, worded as a mark; empty for a registry."""
    commit: str = ""
    """The commit, if it came from git."""
    has_install_script: bool = False


class Lock(NamedTuple):
    """A package manager's record of what it installed."""

    content: bytes = b""
    places: Mapping[str, Copy] = {}
    """By place, if the lock records places."""
    sources: Mapping[str, Copy] = {}
    """By `name@version`, or by name alone, if it does not."""
    wanted: Mapping[str, str] = {}
    """The dependencies of workspace members."""


class InstalledPackages:
    """Packages of one `node_modules` in one tree."""

    def __init__(self, evidence: Evidence, tree: Tree, directory: str, lock: Lock) -> None:
        self._evidence = evidence
        self._tree = tree
        self._directory = directory
        self._lock = lock
        self._by_name: dict[str, list[str]] = {}
        self.manifest = manifest_at(tree, directory)

    def prepare(self, changed: Iterable[str]) -> None:
        """Collect where copies of a name may be, in addition to the changed places."""
        known = {*changed, *self._lock.places}
        if not self._lock.places:
            known.update(places(self._tree, self._directory, MAX_PACKAGES))
        for place in sorted(known):
            self._by_name.setdefault(name_at(place), []).append(place)

    def copies(self, name: str, stale: frozenset[str]) -> dict[str, Copy]:
        """Return the installed copies of a package by place, the top-level one first."""
        found = {}
        for place in dict.fromkeys((name, *self._by_name.get(name, ()))):
            copy = self._copy(place, is_stale=place in stale)
            if copy is not None:
                found[place] = copy
        return found

    def is_requested(self, name: str, copies: Mapping[str, Copy]) -> bool:
        """Return whether a package was requested explicitly and is therefore at the top level."""
        copy = copies.get(name)
        if copy is None:
            return False
        if self.manifest is None:  # no manifest, as in a global directory
            return True
        if name in self.manifest.wanted:
            return True
        is_members = copy.source == FROM_PATH or name in self._lock.wanted
        return self.manifest.has_workspaces and is_members

    def source(self, name: str, copy: Copy) -> str:
        if copy.source or self.manifest is None:
            return copy.source
        spec = self.manifest.wanted.get(name, "")
        return FROM_URL if spec.startswith(("https://", "http://")) else ""

    def _copy(self, place: str, *, is_stale: bool) -> Copy | None:
        path = inside(self._directory, "node_modules", place)
        entry = self._tree.entry(path)
        if entry is None:
            return None
        if entry.target:
            return self._linked(path, self._lock.places.get(place, Copy()))
        manifest_entry = self._tree.entry(f"{path}/package.json")
        if manifest_entry is None or not manifest_entry.is_file:
            return None
        locked = self._lock.places.get(place)
        if locked is not None and locked.version and not is_stale:
            return locked
        manifest = manifest_at(self._tree, path) or Manifest()
        name, sources = name_at(place), self._lock.sources
        noted = locked or sources.get(f"{name}@{manifest.version}") or sources.get(name) or Copy()
        return noted._replace(
            version=manifest.version, has_install_script=manifest.has_install_script
        )

    def _linked(self, path: str, noted: Copy) -> Copy:
        target = followed(self._tree, path, machine=self._evidence.machine)
        manifest = manifest_at(self._tree, target) if target is not None else None
        is_store_link = (
            target is not None and "/node_modules/." in f"/{target}"
        )  # store of pnpm or bun
        version = manifest.version if manifest else noted.version
        return Copy(version, "" if is_store_link else FROM_PATH)


class ChangedPackage(NamedTuple):
    """Changes in one `node_modules`, split by whether the package may differ."""

    places: tuple[str, ...]
    """Places with an added, removed or changed `package.json`."""
    inner: Mapping[str, tuple[str, ...]]
    """The changed files of each package, by place."""


def changed_places(evidence: Evidence, directory: str, paths: Iterable[str]) -> ChangedPackage:
    """Return the places that the changed paths of a `node_modules` belong to."""
    skip = len(inside(directory, "node_modules")) + 1
    found: dict[str, None] = {}
    inner: dict[str, list[str]] = {}
    for path in paths:
        place, rest = split_place(path[skip:])
        change = evidence.changes[path]
        if not place or path in evidence.owners:  # shipped by another manager
            continue
        if rest == "package.json" or (not rest and _is_link(change)):
            found[place] = None
        entry = change.new or change.old
        if entry and not entry.is_directory and not rest.startswith("node_modules/"):
            inner.setdefault(place, []).append(path)
    if len(found) > MAX_PACKAGES:
        evidence.problem(inside(directory, "node_modules"), "too many packages to look at them all")
    chosen = tuple(sorted(found, key=lambda place: (place.count("/"), place))[:MAX_PACKAGES])
    return ChangedPackage(chosen, {place: tuple(files) for place, files in inner.items()})


def _is_link(change: PathChange) -> bool:
    return any(entry is not None and entry.target for entry in (change.old, change.new))
