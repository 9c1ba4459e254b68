"""Lock readers for Python in TOML: uv, Poetry, PDM and `pylock.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import mappings_in, text_of
from clew.detectors.locks.locked import Digest, LockBuilder, Locked, digest
from clew.detectors.locks.origins import (
    PATH_ORIGIN,
    Origin,
    git_origin,
    registry_origin,
    url_origin,
)
from clew.detectors.locks.toml_blocks import TomlEntry, toml_reader
from clew.detectors.python.python_metadata import normalised


def _uv_package(found: LockBuilder, entry: TomlEntry) -> list[str] | None:
    source = mapping(entry.get("source"))
    if "virtual" in source or "editable" in source:
        return list(_uv_wanted(entry))
    files = [mapping(entry.get("sdist")), *mappings_in(entry.get("wheels"))]
    origins = {_python_source(source), *(_file_origin(one) for one in files)}
    name = normalised(text_of(entry.get("name")))
    address = text_of(source.get("git"))
    found.add(
        name,
        Locked(
            text_of(entry.get("version")),
            frozenset(origin for origin in origins if origin),
            frozenset(one for file in files for one in _file_digests(file)),
            commit=address.rpartition("#")[2][:40] if "#" in address else "",
        ),
    )
    return None


def _uv_wanted(entry: TomlEntry) -> Iterator[str]:
    groups = [entry.get("dependencies")]
    for part in ("optional-dependencies", "dev-dependencies"):
        groups += mapping(entry.get(part)).values()
    for group in groups:
        for one in mappings_in(group):
            yield normalised(text_of(one.get("name")))


def _python_source(source: TomlEntry) -> Origin | None:
    """Return the origin in a table with one of the keys of uv, PDM, Pipenv or `pylock.toml`."""
    for key, make in (("registry", registry_origin), ("index", registry_origin), ("git", git_origin),
                      ("hg", git_origin), ("url", url_origin)):  # fmt: skip
        address = source.get(key)
        if isinstance(address, str) and address:
            is_path = address.startswith((".", "/", "file:"))
            return PATH_ORIGIN if is_path else make(address)
    is_local = any(key in source for key in ("path", "directory", "file"))
    return PATH_ORIGIN if is_local else None


def _file_origin(file: TomlEntry) -> Origin | None:
    address = text_of(file.get("url"))
    return registry_origin(address) if address else None


def _file_digests(file: TomlEntry) -> Iterator[Digest]:
    """Yield the digests of a file: `hash = "sha256:…"` or `hashes = {sha256 = "…"}`."""
    name = text_of(file.get("file")) or text_of(file.get("name"))
    name = name or text_of(file.get("url")).partition("#")[0].rpartition("/")[2][:200]
    found = digest(file.get("hash"), name)
    if found:
        yield found
    for algorithm, value in mapping(file.get("hashes")).items():
        if isinstance(value, str):
            yield Digest(name, algorithm[:12].lower(), value)


def _poetry_package(found: LockBuilder, entry: TomlEntry) -> None:
    source = mapping(entry.get("source"))
    kind, address = text_of(source.get("type")), text_of(source.get("url"))
    make = {"git": git_origin, "url": url_origin, "legacy": registry_origin}.get(kind)
    origin = PATH_ORIGIN if kind in ("directory", "file") else make(address) if make else None
    found.add(
        normalised(text_of(entry.get("name"))),
        Locked(
            text_of(entry.get("version")),
            frozenset((origin,) if origin else ()),
            frozenset(
                one for file in mappings_in(entry.get("files")) for one in _file_digests(file)
            ),
            commit=text_of(source.get("resolved_reference"))[:40],
        ),
    )


def _pdm_package(found: LockBuilder, entry: TomlEntry) -> None:
    files = list(mappings_in(entry.get("files")))
    origins = {_python_source(entry), *(_file_origin(one) for one in files)}
    found.add(
        normalised(text_of(entry.get("name"))),
        Locked(
            text_of(entry.get("version")),
            frozenset(origin for origin in origins if origin),
            frozenset(one for file in files for one in _file_digests(file)),
            commit=text_of(entry.get("revision"))[:40],
        ),
    )


def _pylock_package(found: LockBuilder, entry: TomlEntry) -> None:
    files = [
        mapping(entry.get("sdist")),
        mapping(entry.get("archive")),
        *mappings_in(entry.get("wheels")),
    ]
    vcs = mapping(entry.get("vcs"))
    origins = {_python_source(entry), *(_file_origin(one) for one in files)}
    if vcs:
        origins.add(git_origin(text_of(vcs.get("url"))))
    found.add(
        normalised(text_of(entry.get("name"))),
        Locked(
            text_of(entry.get("version")),
            frozenset(origin for origin in origins if origin),
            frozenset(one for file in files for one in _file_digests(file)),
            commit=text_of(vcs.get("commit-id"))[:40],
        ),
    )


read_uv_lock = toml_reader("package", _uv_package, b"source = { registry")
read_poetry_lock = toml_reader("package", _poetry_package)
read_pdm_lock = toml_reader("package", _pdm_package)
read_pylock = toml_reader("packages", _pylock_package)
