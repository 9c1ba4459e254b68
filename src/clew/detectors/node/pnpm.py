"""pnpm detector: packages in `node_modules/.pnpm`, and the links into it.

`node_modules/.pnpm/lock.yaml` records what pnpm installed; `pnpm-lock.yaml` next to
`package.json` states what should be installed and is not read.
Directories in `.pnpm` may outlive their package and prove nothing alone; but a package of the lock
without a directory is not installed.
Workspace members contain only links; those belong to the root's line.

A fact names the real package, not an alias; versions as in `node_facts.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.node.hoisted import adjacent_files, bookkeeping
from clew.detectors.node.node_facts import NODE_KINDS, package_facts
from clew.detectors.node.node_manifest import manifest_at
from clew.detectors.node.node_modules import by_manager, places, split_place
from clew.detectors.node.node_packages import FROM_PATH, MAX_PACKAGES, Copy
from clew.detectors.node.pnpm_lock import PnpmLock, parse_pnpm_lock
from clew.detectors.tools.package_files import edited_in_place, own_files
from clew.detectors.tools.package_scopes import inside, label_of, scope_of

_STORE = "node_modules/.pnpm"
_UNSAFE = re.compile(r'[\\/:*?"<>|]')
_MAX_LENGTH = 100
"""Above about this length pnpm truncates directory names and adds a hash."""


class Pnpm:
    """Reports packages that pnpm installed, changed and removed."""

    name = "node/pnpm"
    version = 2
    kinds = NODE_KINDS
    watch = WatchedPaths(directories=("node_modules",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for directory, paths in _by_root(evidence).items():
            with evidence.guarded(inside(directory, _STORE)):
                yield from _findings(evidence, directory, paths)


class PnpmPackages:
    """Installed packages in one tree."""

    def __init__(self, tree: Tree, directory: str, lock: PnpmLock) -> None:
        self._tree = tree
        self._directory = directory
        self._lock = lock
        self._stored: dict[str, str] = {}
        self._other_copies: dict[str, dict[str, Copy]] = {}

    def prepare(self, changed: Iterable[str]) -> None:
        """Collect the stored packages; in a tree from before pnpm, those of another manager."""
        for stored in self._tree.entries(inside(self._directory, _STORE)):
            peers = stored.find("_", stored.find("@", 1))
            self._stored.setdefault(stored[:peers] if peers > 0 else stored, stored)
        if self._lock.content or self._stored:
            return
        names = {*changed}
        for place in places(self._tree, self._directory, MAX_PACKAGES):
            name = place.rpartition("node_modules/")[2]
            manifest = manifest_at(self._tree, inside(self._directory, "node_modules", place))
            if manifest is not None and name in names:
                self._other_copies.setdefault(name, {})[place] = Copy(manifest.version)

    def copies(self, name: str, _stale: frozenset[str]) -> dict[str, Copy]:
        """Return the installed copies of a package; a requested one under its own name."""
        if name in self._lock.linked:
            return self._linked(name)
        found = dict(self._other_copies.get(name, {}))
        requested = self._lock.wanted.get(name)
        for version, copy in self._lock.packages.get(name, {}).items():
            place = self._place(name, version)
            if place is not None:
                found[name if version == requested else place] = self._with_script(copy, place)
        return found

    def is_requested(self, name: str, copies: Mapping[str, Copy]) -> bool:
        return name in copies and (name in self._lock.wanted or name in self._lock.linked)

    def source(self, _name: str, copy: Copy) -> str:
        return copy.source

    def _linked(self, name: str) -> dict[str, Copy]:
        if self._tree.entry(inside(self._directory, "node_modules", name)) is None:
            return {}
        target = inside(self._directory, self._lock.linked[name].strip("/"))
        manifest = manifest_at(self._tree, target)
        return {name: Copy(manifest.version if manifest else None, FROM_PATH)}

    def _place(self, name: str, version: str) -> str | None:
        """Return the directory of a package of the lock; None if it is deleted."""
        wanted = _UNSAFE.sub("+", f"{name}@{version}")
        stored = self._stored.get(wanted)
        if stored is None:
            is_cut = len(wanted) > _MAX_LENGTH or wanted != wanted.lower()
            return wanted if is_cut else None
        place = f"{stored}/node_modules/{name}"
        path = inside(self._directory, _STORE, place, "package.json")
        return place if self._tree.entry(path) is not None else None

    def _with_script(self, copy: Copy, place: str) -> Copy:
        manifest = manifest_at(self._tree, inside(self._directory, _STORE, place))
        if manifest is None:
            return copy
        has_script = copy.has_install_script or manifest.has_install_script
        return copy._replace(has_install_script=has_script)


def _by_root(evidence: Evidence) -> dict[str, list[str]]:
    """Return the changes by the directory that contains `.pnpm`, including workspace members."""
    found: dict[str, list[str]] = {}
    for directory, paths in evidence.once(by_manager).get("pnpm", ()):
        root = directory
        while root and not _has_store(evidence, root):
            root = root.rpartition("/")[0]
        root = root if _has_store(evidence, root) else directory
        found.setdefault(root, []).extend(paths)
    return found


def _has_store(evidence: Evidence, directory: str) -> bool:
    path = inside(directory, _STORE)
    return any(tree.entry(path) is not None for tree in (evidence.new, evidence.old))


def _findings(evidence: Evidence, directory: str, paths: Sequence[str]) -> Iterator[Finding]:
    label = label_of("pnpm", directory)
    before, after = _locks(evidence, directory)
    if before is None or after is None:  # unreadable; already reported
        return
    files = _files_of_packages(evidence, directory, paths)
    old = PnpmPackages(evidence.old, directory, before)
    new = PnpmPackages(evidence.new, directory, after)
    names = _changed_names(before, after, files)
    facts = package_facts(scope_of("pnpm", directory), directory, old, new, names, frozenset())
    facts = tuple(
        fact._replace(evidence=(inside(directory, _STORE, "lock.yaml"),)) for fact in facts
    )
    explained = {fact.subject for fact in facts}
    edited = {
        place: inner
        for place, inner in files.items()
        if _name(place) not in explained and _is_in_both(evidence, directory, place)
    }
    loose = {path for inner in edited.values() for path in inner}
    if facts:
        installed = {fact.subject for fact in facts if fact.kind != "package.removed"}
        for place, inner in files.items():
            if _name(place) in installed:
                own_files(evidence, _name(place), inner)
        left = [path for path in paths if path not in loose]
        yield Finding(
            facts, [*left, *adjacent_files(evidence, directory, ("pnpm-lock.yaml",), facts)]
        )
    else:
        gone = [path for place, inner in files.items() if place not in edited for path in inner]
        yield from bookkeeping(evidence, label, directory, gone)
    if loose:
        yield edited_in_place(
            evidence, scope_of("pnpm", directory), label, map(_name, edited), sorted(loose)
        )


def _locks(evidence: Evidence, directory: str) -> tuple[PnpmLock | None, PnpmLock | None]:
    after = _lock(evidence, evidence.new, directory)
    if inside(directory, _STORE, "lock.yaml") not in evidence.changes:
        return after, after
    return _lock(evidence, evidence.old, directory), after


def _lock(evidence: Evidence, tree: Tree, directory: str) -> PnpmLock | None:
    """Return a lock; an empty one if there is no store, None if it cannot be read."""
    path = inside(directory, _STORE, "lock.yaml")
    found = None if tree.entry(inside(directory, _STORE)) is not None else PnpmLock()
    with evidence.guarded(path):
        content = tree.read(path)
        if content is not None:
            found = parse_pnpm_lock(content)
    return found


def _files_of_packages(
    evidence: Evidence, directory: str, paths: Iterable[str]
) -> dict[str, list[str]]:
    """Return the changed files of packages by their directory in `.pnpm`."""
    prefix = inside(directory, _STORE) + "/"
    found: dict[str, list[str]] = {}
    for path in paths:
        stored, _, rest = path.removeprefix(prefix).partition("/node_modules/")
        if not path.startswith(prefix) or not rest or evidence.changes[path].is_directory:
            continue
        name, inner = split_place(rest)
        if name and inner:
            found.setdefault(f"{stored}/node_modules/{name}", []).append(path)
    return found


def _changed_names(before: PnpmLock, after: PnpmLock, files: Iterable[str]) -> set[str]:
    """Return the names whose copies may differ."""
    names = {*before.packages, *after.packages, *before.linked, *after.linked}
    touched = {_name(place) for place in files}
    return {
        name
        for name in names
        if name in touched
        or before.packages.get(name) != after.packages.get(name)
        or before.linked.get(name) != after.linked.get(name)
    }


def _is_in_both(evidence: Evidence, directory: str, place: str) -> bool:
    path = inside(directory, _STORE, place, "package.json")
    return all(tree.entry(path) is not None for tree in (evidence.old, evidence.new))


def _name(place: str) -> str:
    return place.partition("/node_modules/")[2]
