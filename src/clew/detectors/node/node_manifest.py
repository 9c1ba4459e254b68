"""Parser for `package.json` and the manifests in lock files, robust against any content.

An unreadable `package.json` of a package costs its version, not the facts about the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.detectors.detector import TooLarge, Tree
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.model.named_tuple import NamedTuple

MANIFEST_LIMIT = 1 << 20
"""The largest `package.json` that is read; the largest in the registry are far smaller."""

_ASKED_FOR = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_DEPENDENCY_SECTIONS = frozenset(
    (
        *_ASKED_FOR,
        "peerDependenciesMeta",
        "bundleDependencies",
        "bundledDependencies",
        "dependenciesMeta",
    )
)
"""The sections that an installation edits; not those that run code or replace packages."""
_INSTALL_SCRIPTS = ("preinstall", "install", "postinstall")


class Manifest(NamedTuple):
    """The relevant content of a `package.json`."""

    version: str | None = None
    has_install_script: bool = False
    wanted: Mapping[str, str] = {}
    """Its dependencies by name, with their specifiers: `^4.17.0`, `git+https://…`."""
    has_workspaces: bool = False


def manifest_at(tree: Tree, directory: str) -> Manifest | None:
    """Return the manifest in a directory, an empty one if unreadable, None if there is none."""
    path = f"{directory}/package.json" if directory else "package.json"
    try:
        content = tree.read(path, MANIFEST_LIMIT)
        return None if content is None else manifest_of(json_object(content))
    except (TooLarge, ValueError, RecursionError):
        return Manifest()


def manifest_of(found: Mapping[str, object]) -> Manifest:
    """Return the relevant content of a decoded `package.json`."""
    scripts = mapping(found.get("scripts"))
    return Manifest(
        version_text(found.get("version")),
        any(isinstance(scripts.get(word), str) for word in _INSTALL_SCRIPTS),
        wanted_of(found),
        bool(found.get("workspaces")),
    )


def wanted_of(found: Mapping[str, object]) -> dict[str, str]:
    """Return the dependencies of a manifest, or of a lock's copy of one."""
    return {
        name: spec if isinstance(spec, str) else ""
        for section in _ASKED_FOR
        for name, spec in mapping(found.get(section)).items()
    }


def is_explained(old: bytes | None, new: bytes | None, names: Collection[str]) -> bool:
    """Return whether two manifests differ only in dependencies on `names`; either may be absent."""
    try:
        before, after = (json_object(content) if content else {} for content in (old, new))
    except (ValueError, RecursionError):
        return False
    keys = {*before, *after}
    if any(before.get(key) != after.get(key) for key in keys - _DEPENDENCY_SECTIONS):
        return False
    was, now = wanted_of(before), wanted_of(after)
    return all(name in names for name in {*was, *now} if was.get(name) != now.get(name))
