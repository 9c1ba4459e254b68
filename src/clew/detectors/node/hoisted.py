"""Flat `node_modules` directories, as npm, yarn and bun write them.

Added, removed and changed packages explain everything below such a directory.
Reported separately: files of a package whose version did not change.
They were edited in place, or a script built something there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, Tree
from clew.detectors.node.node_facts import package_facts
from clew.detectors.node.node_manifest import MANIFEST_LIMIT, is_explained, manifest_at
from clew.detectors.node.node_modules import by_manager, name_at
from clew.detectors.node.node_packages import (
    ChangedPackage,
    InstalledPackages,
    Lock,
    changed_places,
)
from clew.detectors.tools.package_files import edited_in_place, generated, own_files
from clew.detectors.tools.package_scopes import inside, label_of, scope_of
from clew.detectors.tools.toolchain_homes import came_with_toolchain
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

_BOOKKEEPING = (
    ".package-lock.json",
    ".yarn-integrity",
    ".yarn-state.yml",
    ".modules.yaml",
    ".pnpm-workspace-state.json",
    ".pnpm-workspace-state-v1.json",
    ".pnpm/lock.yaml",
)
"""Files that package managers write for themselves; they neither explain nor need a fact."""

_CACHES = (".cache", ".vite", ".vite-temp", ".vitest", ".parcel-cache")
_BUNDLED = ("npm/", "corepack/")
"""Packages that a Node installed by a version manager includes."""


class Manager(NamedTuple):
    """A package manager with a flat `node_modules`."""

    name: str
    lock: str
    """Its record of what it installed, from the directory that contains `node_modules`."""
    parse: Callable[[bytes], Lock]
    adjacent: tuple[str, ...]
    """The files it writes next to `package.json`."""


def hoisted_findings(evidence: Evidence, manager: Manager) -> Iterator[Finding]:
    """Yield the changes in every `node_modules` of a manager."""
    for directory, paths in evidence.once(by_manager).get(manager.name, ()):
        with evidence.guarded(inside(directory, "node_modules")):
            yield from _findings(evidence, manager, directory, paths)


def bookkeeping(
    evidence: Evidence, label: str, directory: str, others: Iterable[str] = ()
) -> Iterator[Finding]:
    """Yield a finding about changes in a manager's own files only."""
    written = [inside(directory, "node_modules", name) for name in _BOOKKEEPING]
    written = evidence.unclaimed([*written, *others])
    if written:
        yield Finding((), written, f"bookkeeping of {label} changed")


def adjacent_files(
    evidence: Evidence, directory: str, names: Iterable[str], facts: Iterable[Fact]
) -> list[str]:
    """Return the changed files next to `node_modules` that an installation explains."""
    subjects = {fact.subject for fact in facts}
    found = evidence.unclaimed([inside(directory, name) for name in names])
    manifests = [inside(directory, "package.json"), *_members(evidence, directory)]
    for path in evidence.unclaimed(manifests):
        with evidence.guarded(path):
            old, new = (tree.read(path, MANIFEST_LIMIT) for tree in (evidence.old, evidence.new))
            if new is not None and is_explained(old, new, subjects):
                found.append(path)
    return found


def _members(evidence: Evidence, directory: str) -> Iterator[str]:
    """Yield the changed manifests of existing workspace members."""
    manifest = manifest_at(evidence.new, directory)
    is_pnpm = evidence.new.entry(inside(directory, "pnpm-workspace.yaml")) is not None
    if not is_pnpm and (manifest is None or not manifest.has_workspaces):
        return
    prefix = inside(directory, "")
    for path, change in evidence.changes.items():
        if path.endswith("/package.json") and path.startswith(prefix) and change.old is not None:
            if "node_modules/" not in path:
                yield path


def _findings(
    evidence: Evidence, manager: Manager, directory: str, paths: Sequence[str]
) -> Iterator[Finding]:
    label = label_of(manager.name, directory)
    if came_with_toolchain(evidence, directory):
        bundled = tuple(inside(directory, "node_modules", name) for name in _BUNDLED)
        paths = [path for path in paths if not f"{path}/".startswith(bundled)]
    old, new, places, stale, changed = _read(evidence, manager, directory, paths)
    facts = package_facts(scope_of(manager.name, directory), directory, old, new, places, stale)
    explained = {fact.subject for fact in facts}
    edited = {
        place: files
        for place, files in changed.inner.items()
        if name_at(place) not in explained and _is_in_both(evidence, directory, place)
    }
    loose = [path for files in edited.values() for path in files]
    if facts:
        _own(evidence, facts, changed)
        left = {*paths}.difference(loose)
        bins = _global_programs(evidence, directory, explained)
        yield Finding(
            facts,
            [
                *sorted(left),
                *adjacent_files(evidence, directory, manager.adjacent, facts),
                *bins,
            ],
        )
    else:
        yield from bookkeeping(evidence, label, directory)
        caches = sorted(_caches(evidence, directory, paths))
        if caches:
            yield Finding((generated(caches, "cache"),), caches)
    if loose:
        yield edited_in_place(
            evidence, scope_of(manager.name, directory), label, map(name_at, edited), loose
        )


def _caches(evidence: Evidence, directory: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield bundler caches inside `node_modules`: `.cache`, `.vite`."""
    prefixes = tuple(inside(directory, "node_modules", name) + "/" for name in _CACHES)
    for path in paths:
        if path.startswith(prefixes) and not evidence.changes[path].is_directory:
            yield path


def _read(
    evidence: Evidence, manager: Manager, directory: str, paths: Sequence[str]
) -> tuple[InstalledPackages, InstalledPackages, tuple[str, ...], frozenset[str], ChangedPackage]:
    changed = changed_places(evidence, directory, paths)
    before, after = _locks(evidence, manager, directory)
    moved = {
        place
        for place, copy in before.places.items()
        if copy.commit and place in after.places and after.places[place].commit != copy.commit
    }
    places = tuple(sorted({*changed.places, *moved}))
    stale = frozenset(changed.places) if before.content == after.content else frozenset()
    old = InstalledPackages(evidence, evidence.old, directory, before)
    new = InstalledPackages(evidence, evidence.new, directory, after)
    return old, new, places, stale, changed


def _locks(evidence: Evidence, manager: Manager, directory: str) -> tuple[Lock, Lock]:
    path = inside(directory, manager.lock)
    after = _lock(evidence, evidence.new, path, manager.parse)
    if path not in evidence.changes:
        return after, after
    return _lock(evidence, evidence.old, path, manager.parse), after


def _lock(evidence: Evidence, tree: Tree, path: str, parse: Callable[[bytes], Lock]) -> Lock:
    """Return a lock; if it cannot be read, report a problem and return an empty one."""
    with evidence.guarded(path):
        content = tree.read(path)
        if content is not None:
            return parse(content)
    return Lock()


def _is_in_both(evidence: Evidence, directory: str, place: str) -> bool:
    path = inside(directory, "node_modules", place, "package.json")
    return all(tree.entry(path) is not None for tree in (evidence.old, evidence.new))


def _own(evidence: Evidence, facts: Iterable[Fact], changed: ChangedPackage) -> None:
    installed = {fact.subject for fact in facts if fact.kind != "package.removed"}
    for place, files in changed.inner.items():
        if name_at(place) in installed:
            own_files(evidence, name_at(place), files)


def _global_programs(evidence: Evidence, directory: str, explained: set[str]) -> list[str]:
    """Return the links in `bin` next to a global `lib/node_modules` that lead into its packages."""
    above, _, last = f"/{directory}".rpartition("/")
    if last != "lib":
        return []
    programs = inside(above.strip("/"), "bin")
    found = []
    for tree in (evidence.old, evidence.new):
        for name, entry in tree.entries(programs).items():
            path = f"{programs}/{name}"
            target = entry.target.decode("utf-8", "surrogateescape")
            _, _, rest = target.partition("../lib/node_modules/")
            package = "/".join(rest.split("/")[: 2 if rest.startswith("@") else 1])
            if package in explained and path in evidence.changes:
                found.append(path)
                evidence.own([path], package)
    return sorted(set(found))
