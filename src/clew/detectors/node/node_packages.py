"""Packages in a `node_modules` that npm, yarn or bun filled: what each moment holds.

The tree is the truth: a package is installed where its `package.json` lies.
A lock is asked for the version, because that is faster, and for where a package came from; but not
where the lock stayed the same while the `package.json` did not, for then it is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.node.node_manifest import Manifest, manifest_at
from clew.detectors.node.node_modules import followed, name_at, places, split_place
from clew.detectors.tools.package_scopes import inside
from clew.model.named_tuple import NamedTuple

MOST_PACKAGES = 20_000
"""Places that are looked at in one `node_modules`; large projects have two thousand."""
FROM_GIT, FROM_PATH, FROM_URL = "from git", "from a local path", "from a URL"


class Copy(NamedTuple):
    """One package at one place; in a lock, what it says of it."""

    version: str | None = None
    source: str = ""
    """Where it came from, in the words of a mark; empty for a registry."""
    commit: str = ""
    """Which commit, for one that came from git."""
    has_install_script: bool = False


class Lock(NamedTuple):
    """What a package manager noted about what it installed."""

    content: bytes = b""
    places: Mapping[str, Copy] = {}
    """By place; for managers whose lock tells places."""
    sources: Mapping[str, Copy] = {}
    """By `name@version`, or by name alone; for those whose lock does not."""
    wanted: Mapping[str, str] = {}
    """What members of a workspace ask for."""


class InstalledPackages:
    """The packages of one moment in one `node_modules`."""

    def __init__(self, evidence: Evidence, tree: Tree, directory: str, lock: Lock) -> None:
        self._evidence = evidence
        self._tree = tree
        self._directory = directory
        self._lock = lock
        self._by_name: dict[str, list[str]] = {}
        self.manifest = manifest_at(tree, directory)

    def know(self, changed: Iterable[str]) -> None:
        """Learn where copies of a name may be, beside the places that changed."""
        known = {*changed, *self._lock.places}
        if not self._lock.places:
            known.update(places(self._tree, self._directory, MOST_PACKAGES))
        for place in sorted(known):
            self._by_name.setdefault(name_at(place), []).append(place)

    def copies(self, name: str, stale: frozenset[str]) -> dict[str, Copy]:
        """Return the installed copies of a package by place, the one at the top first."""
        found = {}
        for place in dict.fromkeys((name, *self._by_name.get(name, ()))):
            copy = self._copy(place, is_stale=place in stale)
            if copy is not None:
                found[place] = copy
        return found

    def asked_for(self, name: str, copies: Mapping[str, Copy]) -> bool:
        """Return whether somebody asked for a package, so that it is installed at the top."""
        copy = copies.get(name)
        if copy is None:
            return False
        if self.manifest is None:  # nobody says what was asked for, as in a global directory
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
        is_ours = target is not None and "/node_modules/." in f"/{target}"  # pnpm's or bun's store
        version = manifest.version if manifest else noted.version
        return Copy(version, "" if is_ours else FROM_PATH)


class ChangedPackage(NamedTuple):
    """What changed in one `node_modules`, sorted by whether it may be another package."""

    places: tuple[str, ...]
    """Where a package came, went, or has another `package.json`."""
    inner: Mapping[str, tuple[str, ...]]
    """The changed files of each package, by place."""


def changed_places(evidence: Evidence, directory: str, paths: Iterable[str]) -> ChangedPackage:
    """Return what changed paths in a `node_modules` are about."""
    skip = len(inside(directory, "node_modules")) + 1
    found: dict[str, None] = {}
    inner: dict[str, list[str]] = {}
    for path in paths:
        place, rest = split_place(path[skip:])
        change = evidence.changes[path]
        if not place or path in evidence.owners:  # another manager ships it
            continue
        if rest == "package.json" or (not rest and _is_link(change)):
            found[place] = None
        entry = change.new or change.old
        if entry and not entry.is_directory and not rest.startswith("node_modules/"):
            inner.setdefault(place, []).append(path)
    if len(found) > MOST_PACKAGES:
        evidence.problem(inside(directory, "node_modules"), "too many packages to look at them all")
    chosen = tuple(sorted(found, key=lambda place: (place.count("/"), place))[:MOST_PACKAGES])
    return ChangedPackage(chosen, {place: tuple(files) for place, files in inner.items()})


def _is_link(change: PathChange) -> bool:
    return any(entry is not None and entry.target for entry in (change.old, change.new))
