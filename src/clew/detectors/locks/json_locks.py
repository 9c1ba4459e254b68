"""Lock readers for JSON: Pipenv, Composer, Swift, NuGet, Nix, renv, Conan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.locks.json_reading import mappings_in, text_of, texts_in
from clew.detectors.locks.locked import Digest, LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.origins import (
    FORGES,
    PATH_ORIGIN,
    Origin,
    git_origin,
    registry_origin,
    url_origin,
)
from clew.detectors.python.python_metadata import normalised

_Entry = Mapping[str, object]

_TAG = re.compile(r"v?\d+(?:\.\d+){0,3}(?:-(?:alpha|beta|RC|rc|p)[.\d]*)?")
"""A released version of Composer; `1.x-dev` is a branch."""


def read_pipfile_lock(content: bytes) -> LockContent:
    """Return the content of a `Pipfile.lock`."""
    lock = json_object(content)
    sources = {
        text_of(one.get("name")): text_of(one.get("url"))
        for one in mappings_in(mapping(lock.get("_meta")).get("sources"))
    }
    found = LockBuilder()
    for section, packages in lock.items():
        for name, value in mapping(packages).items() if section != "_meta" else ():
            entry = mapping(value)
            found.add(
                normalised(name),
                Locked(
                    text_of(entry.get("version")).removeprefix("=="),
                    frozenset(_pipenv_origins(entry, sources)),
                    digests(texts_in(entry.get("hashes"))),
                    commit=text_of(entry.get("ref"))[:40],
                ),
            )
    return found.content()


def _pipenv_origins(entry: _Entry, sources: Mapping[str, str]) -> Iterator[Origin]:
    if "git" in entry:
        yield git_origin(text_of(entry.get("git")))
    elif "file" in entry or "path" in entry:
        address = text_of(entry.get("file"))
        yield url_origin(address) if address.startswith("http") else PATH_ORIGIN
    else:
        address = sources.get(text_of(entry.get("index"))) or next(iter(sources.values()), "")
        if address:
            yield registry_origin(address)


def read_composer_lock(content: bytes) -> LockContent:
    """Return the content of a `composer.lock`."""
    lock = json_object(content)
    found = LockBuilder()
    for part in ("packages", "packages-dev"):
        for entry in mappings_in(lock.get(part)):
            dist, source = mapping(entry.get("dist")), mapping(entry.get("source"))
            shasum, version = text_of(dist.get("shasum")), text_of(entry.get("version"))
            commit = text_of(source.get("reference") or dist.get("reference"))[:40]
            checked = digests([f"sha1:{shasum}"] if shasum else [])
            if commit and _TAG.fullmatch(version):  # which must not move
                checked |= {Digest("", "git", commit)}
            found.add(
                text_of(entry.get("name")).lower(),
                Locked(
                    version.removeprefix("v"), frozenset(_composer_origins(dist, source)),
                    checked, commit=commit,
                ),
            )  # fmt: skip
    return found.content()


def _composer_origins(dist: _Entry, source: _Entry) -> Iterator[Origin]:
    """Yield the repository of a package, which Packagist names, and where its archive is."""
    address, kind = text_of(dist.get("url")), text_of(dist.get("type"))
    if kind == "path":
        yield PATH_ORIGIN
    elif address:
        archive = registry_origin(address)
        if archive.host not in FORGES:
            yield archive
    repository = text_of(source.get("url"))
    if repository:
        yield git_origin(repository)


def read_swift_lock(content: bytes) -> LockContent:
    """Return the content of a `Package.resolved`, versions 1 to 3."""
    lock = json_object(content)
    pins = lock.get("pins") or mapping(lock.get("object")).get("pins")
    found = LockBuilder()
    for pin in mappings_in(pins):
        state = mapping(pin.get("state"))
        address = text_of(pin.get("location")) or text_of(pin.get("repositoryURL"))
        is_registry = pin.get("kind") == "registry"
        origin = registry_origin(address) if is_registry else git_origin(address)
        version, commit = text_of(state.get("version")), text_of(state.get("revision"))[:40]
        found.add(
            (text_of(pin.get("identity")) or text_of(pin.get("package"))).lower(),
            Locked(
                version or text_of(state.get("branch")), frozenset((origin,) if address else ()),
                frozenset((Digest("", "git", commit),) if version and commit else ()),
                commit=commit,
            ),
        )  # fmt: skip
    return found.content()


def read_nuget_lock(content: bytes) -> LockContent:
    """Return the content of NuGet's `packages.lock.json`."""
    found = LockBuilder()
    requested = set()
    for packages in mapping(json_object(content).get("dependencies")).values():
        for name, value in mapping(packages).items():
            entry = mapping(value)
            if entry.get("type") == "Direct":
                requested.add(name)
            checked = text_of(entry.get("contentHash"))
            if entry.get("type") != "Project":
                found.add(
                    name,
                    Locked(
                        text_of(entry.get("resolved")),
                        digests=digests([f"sha512:{checked}"] if checked else []),
                    ),
                )
    return found.content(requested)


def read_flake_lock(content: bytes) -> LockContent:
    """Return the content of a `flake.lock`."""
    lock = json_object(content)
    root = text_of(lock.get("root")) or "root"
    found = LockBuilder()
    nodes = mapping(lock.get("nodes"))
    for name, value in nodes.items():
        locked = mapping(mapping(value).get("locked"))
        if locked:
            found.add(name, _flake_input(locked))
    wanted = mapping(mapping(nodes.get(root)).get("inputs"))
    return found.content(one if isinstance(one, str) else name for name, one in wanted.items())


def _flake_input(locked: _Entry) -> Locked:
    kind, address = text_of(locked.get("type")), text_of(locked.get("url"))
    host = text_of(locked.get("host")) or {
        "github": "github.com",
        "gitlab": "gitlab.com",
        "sourcehut": "git.sr.ht",
    }.get(kind, "")
    if host:
        place = f"{text_of(locked.get('owner'))}/{text_of(locked.get('repo'))}"
        origin = git_origin(f"https://{host}/{place}")
    elif kind == "path":
        origin = PATH_ORIGIN
    else:
        origin = git_origin(address) if kind == "git" else url_origin(address)
    revision = text_of(locked.get("rev"))[:40]
    checked = text_of(locked.get("narHash"))
    found = digests([checked], revision) if checked else frozenset[Digest]()
    return Locked("", frozenset((origin,)), found, commit=revision)


def read_renv_lock(content: bytes) -> LockContent:
    """Return the content of R's `renv.lock`."""
    lock = json_object(content)
    repositories = {
        text_of(one.get("Name")): text_of(one.get("URL"))
        for one in mappings_in(mapping(lock.get("R")).get("Repositories"))
    }
    found = LockBuilder()
    for name, value in mapping(lock.get("Packages")).items():
        entry = mapping(value)
        address = repositories.get(text_of(entry.get("Repository")), "")
        remote = text_of(entry.get("RemoteHost")) or text_of(entry.get("RemoteUrl"))
        place = f"{text_of(entry.get('RemoteUsername'))}/{text_of(entry.get('RemoteRepo'))}"
        origin = registry_origin(address) if address else None
        if entry.get("Source") in ("GitHub", "GitLab", "Bitbucket", "Git", "git2r"):
            host = remote.removeprefix("api.").partition("/")[0] if "://" not in remote else ""
            origin = git_origin(f"https://{host}/{place}" if host else remote)
        commit = text_of(entry.get("RemoteSha"))[:40]
        origins = frozenset((origin,) if origin else ())
        found.add(name, Locked(text_of(entry.get("Version")), origins, commit=commit))
    return found.content()


def read_conan_lock(content: bytes) -> LockContent:
    """Return the content of a `conan.lock`, version 2: `zlib/1.2.13#revision%time`."""
    lock = json_object(content)
    found = LockBuilder()
    for part in ("requires", "build_requires", "python_requires"):
        for text in texts_in(lock.get(part)):
            reference, _, revision = text.partition("#")
            name, _, version = reference.partition("/")
            found.add(name, Locked(version, commit=revision.partition("%")[0][:40]))
    return found.content()
