"""What `package.json` and locks of Node's package managers say, whatever somebody wrote into them.

A package's own `package.json` that cannot be read costs its version, not the story of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.detectors.detector import TooLarge, Tree
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.model.named_tuple import NamedTuple

MANIFEST_LIMIT = 1 << 20
"""The largest `package.json` that is read; the largest on the registry are far below."""

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
"""What installing changes.  What may run at installation, or replace a package, is not of it."""
_INSTALL_SCRIPTS = ("preinstall", "install", "postinstall")


class Manifest(NamedTuple):
    """What one `package.json` says."""

    version: str | None = None
    has_install_script: bool = False
    wanted: Mapping[str, str] = {}
    """What it asks for by name, and how: `^4.17.0`, `git+https://…`."""
    has_workspaces: bool = False


def manifest_at(tree: Tree, directory: str) -> Manifest | None:
    """Return the manifest in a directory, an empty one if it cannot be read, None without one."""
    path = f"{directory}/package.json" if directory else "package.json"
    try:
        content = tree.read(path, MANIFEST_LIMIT)
        return None if content is None else manifest_of(json_object(content))
    except (TooLarge, ValueError, RecursionError):
        return Manifest()


def manifest_of(found: Mapping[str, object]) -> Manifest:
    """Return what matters of a decoded `package.json`."""
    scripts = mapping(found.get("scripts"))
    return Manifest(
        version_text(found.get("version")),
        any(isinstance(scripts.get(word), str) for word in _INSTALL_SCRIPTS),
        wanted_of(found),
        bool(found.get("workspaces")),
    )


def wanted_of(found: Mapping[str, object]) -> dict[str, str]:
    """Return what a manifest, or a lock's copy of one, asks for."""
    return {
        name: spec if isinstance(spec, str) else ""
        for section in _ASKED_FOR
        for name, spec in mapping(found.get(section)).items()
    }


def is_explained(old: bytes | None, new: bytes | None, names: Collection[str]) -> bool:
    """Return whether two manifests, or one and nothing, ask for others of these packages, no more."""
    try:
        before, after = (json_object(content) if content else {} for content in (old, new))
    except (ValueError, RecursionError):
        return False
    keys = {*before, *after}
    if any(before.get(key) != after.get(key) for key in keys - _DEPENDENCY_SECTIONS):
        return False
    was, now = wanted_of(before), wanted_of(after)
    return all(name in names for name in {*was, *now} if was.get(name) != now.get(name))
