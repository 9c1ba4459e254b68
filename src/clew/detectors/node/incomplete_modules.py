"""Detector of incomplete `node_modules`: an installation that was interrupted, or half deleted.

npm, yarn and pnpm write their record into `node_modules` last, so one with packages and without a
record is incomplete; the lock next to it says how many packages should be there.
npm does not delete the record while it adds packages: then there are directories without a
`package.json`, or an old copy such as `.lodash-AbC12dEf` that it moved aside.
A package that somebody deleted is still in the record of npm, or required by a manifest that did not
change; what a manager removes is in neither.
Not incomplete: dependencies of development, of other platforms and of peers that were left out, and
a `node_modules` that git tracks, such as data of tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.node.node_manifest import MANIFEST_LIMIT
from clew.detectors.node.node_modules import changed_node_modules, split_place
from clew.detectors.repositories.git_tracking import GitTracking
from clew.detectors.tools.package_scopes import inside, scope_of
from clew.detectors.tools.toolchain_homes import came_with_toolchain
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_DIRECTORY = "node_modules"
_LOCK_LIMIT = 16 << 20
_MAX_PACKAGES = 20_000
_OLD_LOCK = 1
"""The version of a `package-lock.json` of npm 6, which wrote no record."""
_MOVED_ASIDE = re.compile(r"\.(@?[\w.+-]{1,200})-[A-Za-z0-9+_-]{8}")
_NAMED, _NAMED_LENGTH = 2, 40
"""So many missing packages are named, if their names are short."""
_LEFT_OUT = ("optional", "devOptional", "peer", "link", "inBundle", "extraneous")


class _Manager(NamedTuple):
    name: str
    lock: str
    """The file next to `package.json` that shows who installs."""
    records: tuple[str, ...]
    """What it writes into `node_modules` last; any of these."""


_MANAGERS = (
    _Manager("pnpm", "pnpm-lock.yaml", (".modules.yaml",)),
    _Manager("yarn", "yarn.lock", (".yarn-integrity", ".yarn-state.yml")),
    _Manager("bun", "bun.lock", ()),
    _Manager("bun", "bun.lockb", ()),
    _Manager("npm", "package-lock.json", (".package-lock.json",)),
    _Manager("npm", "npm-shrinkwrap.json", (".package-lock.json",)),
)


class IncompleteModules:
    """Reports a `node_modules` that lacks packages."""

    name = "node/incomplete"
    version = 2
    kinds: tuple[str, ...] = ("broken.install",)
    watch = WatchedPaths(directories=(_DIRECTORY,))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for directory, paths in changed_node_modules(evidence).items():
            with evidence.guarded(inside(directory, _DIRECTORY)):
                marks, manager = _incomplete(evidence, directory, paths)
                if marks:
                    fact = Fact(
                        "broken.install", scope_of(manager, directory), _DIRECTORY,
                        severity=Severity.HIGH, evidence=(inside(directory, _DIRECTORY),),
                        marks=marks,
                    )  # fmt: skip
                    yield Finding((fact,), evidence.unclaimed(paths))
                elif _is_completed(evidence, inside(directory, _DIRECTORY)):
                    left = evidence.unclaimed(paths)
                    text = f"installation completed ({inside(directory, _DIRECTORY)})"
                    yield Finding((), left, text)


def _incomplete(
    evidence: Evidence, directory: str, paths: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    """Return what shows that a `node_modules` is incomplete, and its manager."""
    modules = inside(directory, _DIRECTORY)
    names = evidence.new.entries(directory)
    manager = next((one for one in _MANAGERS if one.lock in names), None)
    if manager is None or _DIRECTORY not in names or not names[_DIRECTORY].is_directory:
        return (), ""
    if came_with_toolchain(evidence, directory):
        return (), ""
    if evidence.once(GitTracking).tracks_below(modules):
        return (), ""
    broken = _half_unpacked(evidence, modules, paths)
    if not broken and not _is_unrecorded(evidence, modules, manager):
        listed = _listed(evidence, directory, manager)
        deleted = [place for place in _deleted(evidence, modules, paths) if place in listed]
        return tuple(_marks(deleted, len(listed), [], manager.name)) * bool(deleted), manager.name
    wanted = _wanted(evidence.new, directory, manager)
    missing = [place for place in wanted if not _is_installed(evidence.new, modules, place)]
    if not missing and not broken:
        return (), ""
    return tuple(_marks(missing, len(wanted), broken, manager.name)), manager.name


def _deleted(evidence: Evidence, modules: str, paths: Sequence[str]) -> list[str]:
    """Return the places of packages that are gone as a whole, while `node_modules` is there."""
    places = dict.fromkeys(split_place(path[len(modules) + 1 :])[0] for path in paths)
    return [
        place
        for place in places
        if place and not _is_there(evidence.new, modules, place)
        if _is_installed(evidence.old, modules, place)
    ][:_MAX_PACKAGES]


def _listed(evidence: Evidence, directory: str, manager: _Manager) -> frozenset[str]:
    """Return the places that should be there according to what no uninstallation left as it is."""
    if manager.name == "npm":
        record = inside(directory, _DIRECTORY, manager.records[0])
        packages = mapping(_json(evidence.new, record, _LOCK_LIMIT).get("packages"))
        start = f"{_DIRECTORY}/"
        return frozenset(key[len(start) :] for key in packages if key.startswith(start))
    if any(inside(directory, name) in evidence.changes for name in (manager.lock, "package.json")):
        return frozenset()
    return frozenset(_wanted(evidence.new, directory, manager))


def _is_unrecorded(evidence: Evidence, modules: str, manager: _Manager) -> bool:
    """Return whether a manager has not completed a `node_modules` that it began in this interval."""
    before, after = evidence.old.entries(modules), evidence.new.entries(modules)
    if not manager.records:  # bun keeps no record
        return not before
    if any(name in after for name in manager.records):
        return False
    return not before or any(name in before for name in manager.records)


def _is_completed(evidence: Evidence, modules: str) -> bool:
    """Return whether a manager wrote its record into a `node_modules` that had none."""
    before, after = evidence.old.entries(modules), evidence.new.entries(modules)
    records = [name for manager in _MANAGERS for name in manager.records]
    return bool(before) and any(name in after and name not in before for name in records)


def _marks(missing: list[str], total: int, broken: list[str], manager: str) -> Iterator[str]:
    if missing:
        named = " and ".join(missing)
        of = f"{len(missing):,} of {counted(total, 'package')}"
        is_short = len(missing) <= _NAMED and len(named) <= _NAMED_LENGTH
        yield f"{named} missing ({of})" if is_short else f"{of} missing"
    if broken and not missing:
        more = f" and {len(broken) - 1:,} more" if len(broken) > 1 else ""
        yield f"{broken[0]}{more} not unpacked"
    yield manager


def _wanted(tree: Tree, directory: str, manager: _Manager) -> list[str]:
    """Return the places of packages that must be installed."""
    if manager.name == "npm":
        found = _locked(tree, inside(directory, manager.lock))
        if found:
            return found
    manifest = _json(tree, inside(directory, "package.json"), MANIFEST_LIMIT)
    optional = mapping(manifest.get("optionalDependencies"))
    return [name for name in mapping(manifest.get("dependencies")) if name not in optional]


def _locked(tree: Tree, path: str) -> list[str] | None:
    """Return the places in a lock of npm, without those that may be left out; None if it has none."""
    lock = _json(tree, path, _LOCK_LIMIT)
    packages = mapping(lock.get("packages"))
    if lock.get("lockfileVersion") == _OLD_LOCK or not packages:
        return None
    found: dict[str, bool] = {}
    for key, value in list(packages.items())[:_MAX_PACKAGES]:
        if key.startswith(f"{_DIRECTORY}/") and isinstance(value, dict):
            if not any(value.get(flag) for flag in _LEFT_OUT) and not _is_of_platform(value):
                found[key[len(_DIRECTORY) + 1 :]] = bool(value.get("dev"))
    modules = inside(path.rpartition("/")[0], _DIRECTORY)
    has_dev = any(is_dev and _is_there(tree, modules, place) for place, is_dev in found.items())
    return [place for place, is_dev in found.items() if has_dev or not is_dev]


def _is_of_platform(package: Mapping[str, object]) -> bool:
    return any(package.get(key) for key in ("os", "cpu", "libc"))


def _is_there(tree: Tree, modules: str, place: str) -> bool:
    return tree.entry(f"{modules}/{place}") is not None


def _is_installed(tree: Tree, modules: str, place: str) -> bool:
    entry = tree.entry(f"{modules}/{place}")
    if entry is None:
        return False
    return bool(entry.target) or tree.entry(f"{modules}/{place}/package.json") is not None


def _half_unpacked(evidence: Evidence, modules: str, paths: Sequence[str]) -> list[str]:
    """Return packages that were being written: without `package.json`, or with an old copy aside."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    for path in paths:
        rest = path[len(modules) + 1 :]
        aside = _MOVED_ASIDE.fullmatch(rest.partition("/")[0])
        if aside and evidence.changes[path].new is not None:
            if evidence.new.entry(f"{modules}/{aside[0]}/package.json") is not None:
                found[aside[1]] = None
        if rest == ".staging":
            found[".staging"] = None
        place, _ = split_place(rest)
        if not place or place in seen:
            continue
        seen.add(place)
        is_scope = place.startswith("@") and "/" not in place
        entry = evidence.new.entry(f"{modules}/{place}")
        if entry is None or not entry.is_directory or is_scope:
            continue
        if not _is_installed(evidence.new, modules, place):
            was = evidence.old.entry(f"{modules}/{place}/package.json")
            if was is not None or evidence.old.entry(f"{modules}/{place}") is None:
                found[place] = None
    return list(found)


def _json(tree: Tree, path: str, limit: int) -> Mapping[str, object]:
    try:
        return json_object(tree.read(path, limit) or b"{}")
    except (TooLarge, ValueError, RecursionError):
        return {}
