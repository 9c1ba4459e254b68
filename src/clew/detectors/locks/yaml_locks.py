"""Lock readers for YAML: Dart, CocoaPods, conda, pixi, Helm, Stack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import items_of, mappings_in, text_of, texts_in
from clew.detectors.locks.locked import Digest, LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.origins import (
    PATH_ORIGIN,
    Origin,
    git_origin,
    registry_origin,
    url_origin,
)
from clew.detectors.locks.simple_yaml import read_yaml
from clew.detectors.python.python_metadata import normalised

_POD = re.compile(r"([A-Za-z0-9_.+-]{1,200})(?:/\S{1,200})? \(([^()]{1,100})\)$")
_SPECS = ("trunk", "cdn.cocoapods.org", "cocoapods/specs")
_ARCHIVE = re.compile(r"(.{1,200})-([^-/]{1,100})-[^-/]{1,100}?\.(?:conda|tar\.bz2)$")
_WHEEL = re.compile(r"([A-Za-z0-9_.]{1,200})-([0-9][A-Za-z0-9_.!+]{0,100})-.{1,200}\.whl$")
_HACKAGE = re.compile(r"([A-Za-z0-9-]{1,200})-([0-9.]{1,60})@sha256:([0-9a-f]{64})")

_Entry = Mapping[str, object]


def read_pubspec_lock(content: bytes) -> LockContent:
    """Return the content of Dart's `pubspec.lock`."""
    found = LockBuilder()
    requested = set()
    for name, value in mapping(mapping(read_yaml(content)).get("packages")).items():
        entry = mapping(value)
        if text_of(entry.get("dependency")).startswith("direct"):
            requested.add(name)
        description = mapping(entry.get("description"))
        checked = text_of(description.get("sha256"))
        origin = _pub_origin(text_of(entry.get("source")), description)
        found.add(
            name,
            Locked(
                text_of(entry.get("version")), frozenset((origin,) if origin else ()),
                digests([f"sha256:{checked}"] if checked else []),
                commit=text_of(description.get("resolved-ref"))[:40],
            ),
        )  # fmt: skip
    return found.content(requested)


def _pub_origin(source: str, description: _Entry) -> Origin | None:
    address = text_of(description.get("url"))
    match source:
        case "hosted" if address:
            return registry_origin(address)
        case "git":
            return git_origin(address)
        case "path":
            return PATH_ORIGIN
        case _:
            return None


def read_podfile_lock(content: bytes) -> LockContent:
    """Return the content of a `Podfile.lock`; parts of a pod count as the pod."""
    lock = mapping(read_yaml(content))
    origins = dict(_pod_origins(lock))
    checked = mapping(lock.get("SPEC CHECKSUMS"))
    found = LockBuilder()
    for item in items_of(lock.get("PODS")):
        match = _POD.match(item if isinstance(item, str) else next(iter(mapping(item)), ""))
        if match:
            digest = text_of(checked.get(match[1]))
            origin = origins.get(match[1])
            found.add(
                match[1],
                Locked(
                    match[2], frozenset((origin,) if origin else ()),
                    digests([f"sha1:{digest}"] if digest else []),
                ),
            )  # fmt: skip
    wanted = texts_in(lock.get("DEPENDENCIES"))
    return found.content(text.partition(" ")[0].partition("/")[0] for text in wanted)


def _pod_origins(lock: _Entry) -> Iterator[tuple[str, Origin]]:
    for address, names in mapping(lock.get("SPEC REPOS")).items():
        is_public = any(sign in address.lower() for sign in _SPECS)
        for name in texts_in(names):
            yield name, registry_origin("https://cdn.cocoapods.org" if is_public else address)
    for name, value in mapping(lock.get("EXTERNAL SOURCES")).items():
        source = {key.lstrip(":"): one for key, one in mapping(value).items()}
        if "git" in source:
            yield name.partition("/")[0], git_origin(text_of(source["git"]))
        elif "http" in source or "podspec" in source:
            address = text_of(source.get("http") or source.get("podspec"))
            yield name, url_origin(address) if address.startswith("http") else PATH_ORIGIN
        elif "path" in source:
            yield name.partition("/")[0], PATH_ORIGIN


def read_conda_lock(content: bytes) -> LockContent:
    """Return the content of a `conda-lock.yml`."""
    found = LockBuilder()
    for entry in mappings_in(mapping(read_yaml(content)).get("package")):
        address = text_of(entry.get("url"))
        hashes = mapping(entry.get("hash"))
        file = address.partition("#")[0].rpartition("/")[2][:200]
        known = {Digest(file, name, one) for name, one in hashes.items() if isinstance(one, str)}
        origins = frozenset((registry_origin(address),) if address else ())
        package = Locked(text_of(entry.get("version")), origins, frozenset(known))
        found.add(normalised(text_of(entry.get("name"))), package)
    return found.content()


def read_pixi_lock(content: bytes) -> LockContent:
    """Return the content of a `pixi.lock`, whose packages are named by their archives."""
    found = LockBuilder()
    for entry in mappings_in(mapping(read_yaml(content)).get("packages")):
        address = text_of(entry.get("conda") or entry.get("pypi") or entry.get("url"))
        file = address.partition("#")[0].rpartition("/")[2][:400]
        match = _ARCHIVE.match(file) or _WHEEL.match(file)
        name = text_of(entry.get("name")) or (match[1] if match else "")
        version = text_of(entry.get("version")) or (match[2] if match else "")
        known = {
            Digest(file, key, text_of(entry.get(key))) for key in ("sha256", "md5") if key in entry
        }
        is_local = not address.startswith("http")
        origin = PATH_ORIGIN if is_local else registry_origin(address)
        found.add(normalised(name), Locked(version, frozenset((origin,)), frozenset(known)))
    return found.content()


def read_helm_lock(content: bytes) -> LockContent:
    """Return the content of Helm's `Chart.lock`."""
    found = LockBuilder()
    for entry in mappings_in(mapping(read_yaml(content)).get("dependencies")):
        address = text_of(entry.get("repository"))
        origin = registry_origin(address) if "://" in address else PATH_ORIGIN
        version = text_of(entry.get("version"))
        found.add(text_of(entry.get("name")), Locked(version, frozenset((origin,))))
    return found.content()


def read_stack_lock(content: bytes) -> LockContent:
    """Return the content of Haskell's `stack.yaml.lock`."""
    found = LockBuilder()
    for entry in mappings_in(mapping(read_yaml(content)).get("packages")):
        completed = mapping(entry.get("completed"))
        match = _HACKAGE.match(text_of(completed.get("hackage")))
        if match:
            found.add(match[1], Locked(match[2], digests=digests([f"sha256:{match[3]}"])))
        elif completed.get("git"):
            origins = frozenset((git_origin(text_of(completed.get("git"))),))
            commit, version = (
                text_of(completed.get("commit"))[:40],
                text_of(completed.get("version")),
            )
            found.add(text_of(completed.get("name")), Locked(version, origins, commit=commit))
    return found.content()
