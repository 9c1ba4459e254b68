"""pnpm lock reader: `pnpm-lock.yaml`, versions 5 to 9, with origins and digests."""

from __future__ import annotations

from clew.detectors.locks.locked import LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.npm_lock import npm_origin
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, OriginKind, git_origin
from clew.detectors.node.pnpm_lock import lock_settings, split_key

_DEPENDENCIES = frozenset(("dependencies", "devDependencies", "optionalDependencies"))


def read_pnpm_lock(content: bytes) -> LockContent:
    """Return the content of a `pnpm-lock.yaml`."""
    entries: dict[str, dict[str, str]] = {}
    requested: set[str] = set()
    for path, value in lock_settings(content):
        if path[0] == "packages" and len(path) > 1:
            entry = entries.setdefault(path[1], {})
            if len(path) > 2:
                entry[".".join(path[2:])] = value
        else:
            name = _requested(path)
            requested.update((name,) if name else ())
    found = LockBuilder()
    for key, entry in entries.items():
        name, number = split_key(key)
        found.add(name or entry.get("name", ""), _locked(number, entry))
    return found.content(requested)


def _requested(path: tuple[str, ...]) -> str:
    """Return the package that the root or a member wants, or ""."""
    if path[0] == "importers" and len(path) > 3:
        path = path[2:]
    return path[1] if path[0] in _DEPENDENCIES and len(path) > 1 else ""


def _locked(number: str, entry: dict[str, str]) -> Locked:
    resolution = _inline(entry.get("resolution", ""))
    for key, value in entry.items():  # on lines of its own
        if key.startswith("resolution."):
            resolution[key.partition(".")[2]] = value
    origin = _origin(number, resolution)
    is_number = number[:1].isdecimal() and "/" not in number
    commit = resolution.get("commit", "")
    if not commit and origin is not None and origin.kind == OriginKind.GIT:
        commit = resolution.get("tarball", "").rpartition("/")[2]
    return Locked(
        number if is_number else entry.get("version", ""),
        frozenset((origin,) if origin else ()),
        digests(resolution.get("integrity", "").split()),
        entry.get("requiresBuild") == "true",
        commit[:40],
    )


def _origin(number: str, resolution: dict[str, str]) -> Origin | None:
    if resolution.get("type") == "git":
        return git_origin(resolution.get("repo", ""))
    if resolution.get("type") == "directory" or number.startswith(("file:", "link:")):
        return PATH_ORIGIN
    return npm_origin(resolution["tarball"]) if "tarball" in resolution else None


def _inline(text: str) -> dict[str, str]:
    """Return the values of `{integrity: sha512-…, tarball: https://…}`."""
    found = {}
    for part in text.strip("{} ").split(", ")[:20]:
        key, _, value = part.partition(": ")
        found[key.strip()] = value.strip(" '\"")
    return found
