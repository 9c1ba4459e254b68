"""Lock readers for bun and deno."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.files.loose_json import read_json
from clew.detectors.locks.json_reading import items_of, text_of
from clew.detectors.locks.locked import (
    Digest,
    LockBuilder,
    LockContent,
    Locked,
    digest,
    digests,
)
from clew.detectors.locks.npm_lock import npm_origin
from clew.detectors.locks.origins import PATH_ORIGIN, address_of, registry_origin, url_origin
from clew.detectors.node.node_manifest import wanted_of

_VERSIONED = re.compile(r"([^@]{1,200})@v?([0-9][0-9A-Za-z.+-]{0,60})(?:/(.*))?$")
_LOCAL = ("workspace:", "file:", "link:", "root:")


def read_bun_lock(content: bytes) -> LockContent:
    """Return the content of a `bun.lock`: JSON with trailing commas."""
    lock = read_json(content)
    if lock is None:
        raise ValueError("no JSON")
    found = LockBuilder()
    for value in mapping(lock.get("packages")).values():
        entry = items_of(value)
        name, version = _split(text_of(entry[0]) if entry else "")
        if name and not version.startswith("workspace:"):
            found.add(name, _bun_package(version, entry[1:]))
    members = mapping(lock.get("workspaces")).values()
    return found.content({name for member in members for name in wanted_of(mapping(member))})


def _bun_package(version: str, rest: list[object]) -> Locked:
    address = text_of(rest[0]) if rest else ""
    integrity = digests(one for one in rest[1:] if text_of(one).startswith("sha"))
    if version.startswith(_LOCAL):
        return Locked("", frozenset((PATH_ORIGIN,)))
    origin = npm_origin(version)
    if origin is not None:
        return Locked("", frozenset((origin,)), integrity, commit=version.rpartition("#")[2][:40])
    origins = frozenset((registry_origin(address),) if address else ())
    return Locked(version, origins, integrity)


def read_deno_lock(content: bytes) -> LockContent:
    """Return the content of a `deno.lock`."""
    lock = json_object(content)
    found = LockBuilder()
    nested = mapping(lock.get("packages"))  # up to version 3
    for part in ("npm", "jsr"):
        for key, value in {**mapping(nested.get(part)), **mapping(lock.get(part))}.items():
            name, version = _split(key)
            found.add(name, _deno_package(version.partition("_")[0], mapping(value)))
    for name, package in _remote(mapping(lock.get("remote"))):
        found.add(name, package)
    return found.content()


def _deno_package(version: str, entry: Mapping[str, object]) -> Locked:
    tarball = text_of(entry.get("tarball"))
    origins = frozenset((registry_origin(tarball),) if tarball else ())
    return Locked(version, origins, digests([entry.get("integrity")]))


def _remote(remote: Mapping[str, object]) -> Iterator[tuple[str, Locked]]:
    """Yield modules that are fetched by address, one for each version of a library."""
    libraries: dict[tuple[str, str, str], set[Digest]] = {}
    for url, value in remote.items():
        address = address_of(url)
        match = _VERSIONED.match(address.path)
        library, version, file = (
            (match[1], match[2], match[3] or "") if match else (address.path, "", "")
        )
        found = digest(f"sha256:{value}", file) if isinstance(value, str) else None
        known = libraries.setdefault(
            (url.partition("//")[0] + "//" + address.host, library, version), set()
        )
        known.update((found,) if found else ())
    for (base, library, version), known in libraries.items():
        origin = url_origin(base)
        yield f"{origin.host}/{library}", Locked(version, frozenset((origin,)), frozenset(known))


def _split(key: str) -> tuple[str, str]:
    """Split `@scope/name@1.0.0` into name and version."""
    at = key.find("@", 1)
    return (key[:at], key[at + 1 :]) if at > 0 else ("", "")
