"""npm lock reader: `package-lock.json` and `npm-shrinkwrap.json` of all versions.

Version 1 nests packages in `dependencies`; versions 2 and 3 list them by place in `packages`.
A package under another name (`"lodash": "npm:other@1.0.0"`) has the version `other@1.0.0`.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.locks.json_reading import text_of
from clew.detectors.locks.locked import LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, OriginKind, origin_of
from clew.detectors.node.node_manifest import wanted_of

_PLACE = "node_modules/"


def read_npm_lock(old: bytes | None, new: bytes | None) -> tuple[LockContent, LockContent]:
    """Return the content of two lock files of npm, without packages that are equal in both."""
    before, after = (_places(json_object(content)) if content else {} for content in (old, new))
    names = {
        _name(place)
        for place in {*before, *after}
        if before.get(place) != after.get(place) and _PLACE in place
    }
    return _content(before, names), _content(after, names)


def npm_origin(resolved: str) -> Origin | None:
    """Return the origin of what npm resolved: an archive over HTTP is one of a registry."""
    found = origin_of(resolved)
    if found is not None and found.kind == OriginKind.URL:
        return found._replace(kind=OriginKind.REGISTRY)
    return found


def _places(lock: Mapping[str, object]) -> Mapping[str, object]:
    """Return the packages by place: `node_modules/a/node_modules/b`."""
    packages = mapping(lock.get("packages"))
    if packages:
        return packages
    found: dict[str, object] = {}
    waiting = [("", mapping(lock.get("dependencies")))]  # nested in version 1
    while waiting:
        above, dependencies = waiting.pop()
        for name, value in dependencies.items():
            place = f"{above}{_PLACE}{name}"
            entry = dict(mapping(value))
            waiting.append((f"{place}/", mapping(entry.pop("dependencies", None))))
            found[place] = entry
    return found


def _content(packages: Mapping[str, object], names: set[str]) -> LockContent:
    found = LockBuilder()
    requested: set[str] = set()
    for place, value in packages.items():
        if _PLACE not in place:  # the project, or a member of its workspace
            requested.update(wanted_of(mapping(value)))
        elif (name := _name(place)) in names:
            entry = mapping(value)
            if entry.get("link") is True:
                target = mapping(packages.get(text_of(entry.get("resolved"))))
                version = text_of(target.get("version"))
                found.add(name, Locked(version, frozenset((PATH_ORIGIN,))))
            else:
                found.add(name, _locked(name, entry))
    return found.content(requested if "" in packages else None)


def _name(place: str) -> str:
    return place.rpartition(_PLACE)[2]


def _locked(name: str, entry: Mapping[str, object]) -> Locked:
    version, resolved = text_of(entry.get("version")), text_of(entry.get("resolved"))
    if version.startswith("npm:"):  # another name in version 1
        version = version.removeprefix("npm:")
    elif origin_of(version) is not None:  # version 1 has an address in place of the version
        version, resolved = "", version
    alias = text_of(entry.get("name"))
    origin = npm_origin(resolved)
    is_git = origin is not None and origin.kind == OriginKind.GIT
    return Locked(
        f"{alias}@{version}" if alias and alias != name else version,
        frozenset((origin,) if origin else ()),
        digests(text_of(entry.get("integrity")).split()),
        entry.get("hasInstallScript") is True,
        resolved.rpartition("#")[2][:40] if is_git and "#" in resolved else "",
    )
