"""What npm, pnpm and yarn say is installed.

One package may be installed in several versions; like clew, this reports one list, lowest first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from evaluation.place import Place
from evaluation.scenario import Told
from evaluation.truth import Versions, package_facts

_PACKAGES = ("package.added", "package.removed", "package.changed")


class _Lists:
    """Compares two lists of packages."""

    kinds = _PACKAGES
    _scope: str

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts(self._scope, cast(Versions, before), cast(Versions, after))


class NpmLs(_Lists):
    """What `npm ls --all` says of a directory."""

    def __init__(self, directory: str = ".") -> None:
        self._directory = directory
        self._scope = f"npm:{directory}"

    def look(self, place: Place) -> Versions:
        if not (place.root / self._directory / "node_modules").exists():
            return {}
        # it fails where something is missing or extraneous, and lists it all the same
        listed = place.run(f"cd {self._directory} && npm ls --all --json", check=False)
        return _flat(_dependencies(json.loads(listed)))


class NpmLocked:
    """What `npm ls --package-lock-only` says of a lock file."""

    kinds = ("lock.added", "lock.removed", "lock.changed")

    def look(self, place: Place) -> Versions:
        listed = place.run("npm ls --all --json --package-lock-only", check=False)
        return _flat(_dependencies(json.loads(listed)))

    def facts(self, before: object, after: object) -> set[Told]:
        found = package_facts("package-lock.json", cast(Versions, before), cast(Versions, after))
        return {(kind.replace("package.", "lock."), *rest) for kind, *rest in found}  # type: ignore[misc]


class NpmGlobal(_Lists):
    """What `npm ls -g --all` says of a prefix."""

    def __init__(self, prefix: str, scope: str) -> None:
        self._prefix = prefix
        self._scope = scope

    def look(self, place: Place) -> Versions:
        if not (place.root / self._prefix).exists():
            return {}
        listed = place.run(f"npm ls -g --prefix {self._prefix} --all --json", check=False)
        return _flat(_dependencies(json.loads(listed)))


class PnpmLs(_Lists):
    """What `pnpm ls --depth Infinity` says of a directory, and of the members of a workspace."""

    def __init__(self, pnpm: str, scope: str = "pnpm:.") -> None:
        self._pnpm = pnpm
        self._scope = scope

    def look(self, place: Place) -> Versions:
        if not (place.root / "node_modules").exists():
            return {}
        recursive = "-r" if (place.root / "pnpm-workspace.yaml").exists() else ""
        listed = json.loads(place.run(f"{self._pnpm} ls {recursive} --json --depth Infinity"))
        return _flat(pair for project in listed for pair in _dependencies(project))


class YarnList(_Lists):
    """What `yarn list` says of a directory, yarn being version 1."""

    def __init__(self, yarn: str, scope: str = "yarn:.") -> None:
        self._yarn = yarn
        self._scope = scope

    def look(self, place: Place) -> Versions:
        if not (place.root / "node_modules").exists():
            return {}
        listed = json.loads(place.run(f"{self._yarn} list --json --silent"))
        return _flat(_trees(listed["data"]["trees"]))


class YarnInfo(_Lists):
    """What `yarn info` says of a directory, yarn being version 2 or later."""

    def __init__(self, yarn: str, scope: str = "yarn:.") -> None:
        self._yarn = yarn
        self._scope = scope

    def look(self, place: Place) -> Versions:
        if not (place.root / "yarn.lock").exists():
            return {}
        lines = place.run(f"{self._yarn} info -A -R --json").splitlines()
        found = (json.loads(line) for line in lines)
        return _flat(
            (one["value"].rpartition("@")[0], one["children"]["Version"])
            for one in found
            if "@workspace:" not in one["value"]
        )


class BunList(_Lists):
    """What `bun pm ls` says of a directory."""

    def __init__(self, bun: str, scope: str = "bun:.") -> None:
        self._bun = bun
        self._scope = scope

    def look(self, place: Place) -> Versions:
        if not (place.root / "node_modules").exists():
            return {}
        listed = place.run(f"{self._bun} pm ls --all")
        return _flat(
            (name, version) for name, version in re.findall(r"(\S+)@(\d\S*)$", listed, re.M)
        )


def _dependencies(listed: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every package below one, with its version; those that are wanted and missing not."""
    for section in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, found in listed.get(section, {}).items():
            if "version" in found and not found.get("missing"):
                yield name, found["version"]
            yield from _dependencies(found)


def _trees(trees: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for tree in trees:
        if tree.get("color") != "dim":  # a mere wish, installed elsewhere
            name, _, version = tree["name"].rpartition("@")
            yield name, version
        yield from _trees(tree.get("children", []))


def _flat(pairs: Iterator[tuple[str, str]]) -> Versions:
    found: dict[str, set[str]] = {}
    for name, version in pairs:
        found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(versions, key=_order)) for name, versions in found.items()}


def _order(version: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"[.+-]", version)
    ]
