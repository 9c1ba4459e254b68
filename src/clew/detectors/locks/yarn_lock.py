"""yarn lock reader: `yarn.lock` of version 1, and of version 2 and later.

left-pad@^1.3.0:                                  "left-pad@npm:^1.3.0":
  version "1.3.0"                                   version: 1.3.0
  resolved "https://…/left-pad-1.3.0.tgz#5b8a…"     resolution: "left-pad@npm:1.3.0"
  integrity sha512-…                                checksum: 10c0/3fb5…
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from clew.detectors.locks.locked import Digest, LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.npm_lock import npm_origin
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, OriginKind, registry_origin

_LOCAL = ("workspace:", "file:", "link:", "portal:", "patch:")
_WANTED = ("dependencies", "devDependencies", "optionalDependencies")


def read_yarn_lock(content: bytes) -> LockContent:
    """Return the content of a `yarn.lock`."""
    found = LockBuilder()
    requested: set[str] = set()
    has_members = False
    for key, values, wanted in _blocks(content.decode("utf-8", "replace")):
        first = key.partition(",")[0].strip(" \"'")
        name = first[: max(first.find("@", 1), 0)]
        if "@workspace:" in key:
            has_members = True
            requested.update(wanted)
        if name and not _is_member(values):
            found.add(name, _locked(name, values))
    return found.content(requested if has_members else None)


def _is_member(values: dict[str, str]) -> bool:
    return "@workspace:" in values.get("resolution", "")


def _blocks(text: str) -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """Yield the specifiers of each entry, its values, and the names it depends on."""
    key, section = "", ""
    values: dict[str, str] = {}
    wanted: list[str] = []
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if not line.startswith(" "):
            if key:
                yield key, values, wanted
            key, section, values, wanted = stripped.rstrip(":"), "", {}, []
            continue
        name, value = _setting(stripped)
        if not line.startswith("   "):
            section = "" if value else name
            values[name] = value
        elif section in _WANTED:
            wanted.append(name)
    if key:
        yield key, values, wanted


def _setting(text: str) -> tuple[str, str]:
    """Split `version "1.3.0"`, `version: 1.3.0` or `"@a/b": "npm:1"`."""
    if text[0] == '"':
        name, _, value = text[1:].partition('"')
        return name, value.lstrip(": ").strip('"')
    name, _, value = text.partition(" ")
    return name.rstrip(":"), value.strip().strip('"')


def _locked(name: str, values: dict[str, str]) -> Locked:
    resolved = values.get("resolved", "")
    origin = npm_origin(resolved) if resolved else _resolution(name, values.get("resolution", ""))
    address = resolved or values.get("resolution", "")
    is_git = origin is not None and origin.kind == OriginKind.GIT
    found = digests(values.get("integrity", "").split())
    if not is_git and "#" in resolved:  # the SHA-1 that version 1 writes behind the address
        found |= {Digest("", "sha1", resolved.rpartition("#")[2])}
    if "checksum" in values:
        cache, slash, value = values["checksum"].rpartition("/")
        found |= {Digest("", f"yarn {cache}" if slash else "yarn", value)}
    commit = address.replace("commit=", "").rpartition("#")[2][:40] if is_git else ""
    return Locked(
        values.get("version", ""), frozenset((origin,) if origin else ()), found, False, commit
    )


def _resolution(name: str, resolution: str) -> Origin | None:
    """Return the origin in `name@npm:1.3.0`, which names the archive only if it is elsewhere."""
    address = resolution.removeprefix(f"{name}@")
    if address.startswith(_LOCAL):
        return PATH_ORIGIN
    if address.startswith("npm:"):
        archive = address.partition("__archiveUrl=")[2]
        return registry_origin(unquote(archive)) if archive else None
    return npm_origin(address)
