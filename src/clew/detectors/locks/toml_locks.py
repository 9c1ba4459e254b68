"""Lock readers for TOML: uv, Poetry, PDM, `pylock.toml`, Cargo, Julia, Gleam.

All write one block for each package.  Blocks that are equal in the old and the new file are not
parsed, unless another version of the same package differs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import mappings_in, text_of
from clew.detectors.locks.locked import (
    Digest,
    LockBuilder,
    LockContent,
    Locked,
    LockReader,
    digest,
    digests,
)
from clew.detectors.locks.origins import (
    PATH_ORIGIN,
    Origin,
    git_origin,
    registry_origin,
    url_origin,
)
from clew.detectors.python.python_metadata import normalised

_MAX_SIZE = 4 << 20
"""Of what is parsed: tomllib needs a second for it."""
_MAX_DOTS = 100
"""Per line: for a key of 100,000 parts tomllib exhausts memory."""
_NAME = re.compile(rb"""^\s*+["']?name["']?\s*+=\s*+["']([^"'\n]{1,300})["']""", re.M)
_FILES_APART = (b"[metadata.files]", b'"checksum ')
"""Old forms of Poetry, PDM and Cargo keep digests at the end of the file."""
_CRATES = "github.com/rust-lang/crates.io-index"

_Entry = Mapping[str, object]
_Add = Callable[[LockBuilder, _Entry], list[str] | None]
"""Adds the package of an entry, or returns what it wants if it is the project itself."""


def toml_reader(table: str, add: _Add, registry: bytes = b"") -> LockReader:
    """Return a reader of a lock whose packages are in an array of tables.

    A block without `registry` may be the project itself.
    """
    header = f"[[{table}]]".encode()

    def read(old: bytes | None, new: bytes | None) -> tuple[LockContent, LockContent]:
        was, now = _blocks(old, header), _blocks(new, header)
        names = {_name(block) for block in {*was} ^ {*now}}
        is_old_form = any(sign in side[-1] for side in (was, now) for sign in _FILES_APART)

        def is_read(block: bytes) -> bool:
            return is_old_form or registry not in block or _name(block) in names

        return tuple(  # type: ignore[return-value]  # of two
            _content([block for block in side if is_read(block)], table, add) for side in (was, now)
        )

    return read


def _blocks(content: bytes | None, header: bytes) -> list[bytes]:
    """Return the text of a file, cut before each header of a package."""
    text = (content or b"").removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    parts = (b"\n" + text).split(b"\n" + header)
    return [parts[0], *(header + part for part in parts[1:])]


def _name(block: bytes) -> bytes:
    found = _NAME.search(block)
    return found[1] if found else b""


def _content(blocks: list[bytes], table: str, add: _Add) -> LockContent:
    data = parsed(b"\n".join(blocks))
    metadata = mapping(data.get("metadata"))
    found = LockBuilder()
    requested: set[str] = set()
    has_project = False
    for entry in mappings_in(data.get(table)):
        wanted = add(found, _with_files(entry, metadata) if metadata else entry)
        if wanted is not None:
            has_project = True
            requested.update(wanted)
    return found.content(requested if has_project else None)


def _with_files(entry: _Entry, metadata: _Entry) -> _Entry:
    """Return an entry with the digests that old forms keep at the end of the file."""
    name, version = text_of(entry.get("name")), text_of(entry.get("version"))
    files = mapping(metadata.get("files"))
    known = files.get(name) or files.get(f"{name} {version}")
    checksum = metadata.get(f"checksum {name} {version} ({text_of(entry.get('source'))})")
    added = {"files": known} if known else {"checksum": checksum} if checksum else {}
    return {**added, **entry} if entry.get("files") else {**entry, **added}


def parsed(content: bytes) -> Mapping[str, object]:
    """Return parsed TOML; raises ValueError for what is no TOML, or too large."""
    text = content.decode("utf-8")
    dots = max((line.partition("=")[0].count(".") for line in text.splitlines()), default=0)
    if len(text) > _MAX_SIZE or dots > _MAX_DOTS:
        raise ValueError("too large")
    return tomllib.loads(text)


# Python


def _uv_package(found: LockBuilder, entry: _Entry) -> list[str] | None:
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


def _uv_wanted(entry: _Entry) -> Iterator[str]:
    groups = [entry.get("dependencies")]
    for part in ("optional-dependencies", "dev-dependencies"):
        groups += mapping(entry.get(part)).values()
    for group in groups:
        for one in mappings_in(group):
            yield normalised(text_of(one.get("name")))


def _python_source(source: _Entry) -> Origin | None:
    """Return the origin in a table with one of the keys of uv, PDM, Pipenv or `pylock.toml`."""
    for key, make in (("registry", registry_origin), ("index", registry_origin), ("git", git_origin),
                      ("hg", git_origin), ("url", url_origin)):  # fmt: skip
        address = source.get(key)
        if isinstance(address, str) and address:
            is_path = address.startswith((".", "/", "file:"))
            return PATH_ORIGIN if is_path else make(address)
    is_local = any(key in source for key in ("path", "directory", "file"))
    return PATH_ORIGIN if is_local else None


def _file_origin(file: _Entry) -> Origin | None:
    address = text_of(file.get("url"))
    return registry_origin(address) if address else None


def _file_digests(file: _Entry) -> Iterator[Digest]:
    """Yield the digests of a file: `hash = "sha256:…"` or `hashes = {sha256 = "…"}`."""
    name = text_of(file.get("file")) or text_of(file.get("name"))
    name = name or text_of(file.get("url")).partition("#")[0].rpartition("/")[2][:200]
    found = digest(file.get("hash"), name)
    if found:
        yield found
    for algorithm, value in mapping(file.get("hashes")).items():
        if isinstance(value, str):
            yield Digest(name, algorithm[:12].lower(), value)


def _poetry_package(found: LockBuilder, entry: _Entry) -> None:
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


def _pdm_package(found: LockBuilder, entry: _Entry) -> None:
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


def _pylock_package(found: LockBuilder, entry: _Entry) -> None:
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


# Rust and others


def _crate(found: LockBuilder, entry: _Entry) -> list[str] | None:
    source = text_of(entry.get("source"))
    if not source:  # a member of the workspace
        wanted = entry.get("dependencies")
        return (
            [text_of(one).partition(" ")[0] for one in wanted] if isinstance(wanted, list) else []
        )
    is_git = source.startswith("git+")
    address = source.partition("+")[2]
    origin = git_origin(address) if is_git else cargo_registry(address)
    found.add(
        text_of(entry.get("name")),
        Locked(
            text_of(entry.get("version")),
            frozenset((origin,)),
            digests([f"sha256:{entry['checksum']}"] if "checksum" in entry else []),
            commit=source.rpartition("#")[2][:40] if is_git and "#" in source else "",
        ),
    )
    return None


def cargo_registry(address: str) -> Origin:
    """Return the origin of a registry of Cargo: crates.io had its index on github.com."""
    origin = registry_origin(address)
    return origin._replace(host="crates.io") if _CRATES in address else origin


def _gleam_package(found: LockBuilder, entry: _Entry) -> None:
    source, address = text_of(entry.get("source")), text_of(entry.get("repo"))
    origin = PATH_ORIGIN if source == "local" else git_origin(address) if source == "git" else None
    checksum = entry.get("outer_checksum")
    found.add(
        text_of(entry.get("name")),
        Locked(
            text_of(entry.get("version")),
            frozenset((origin,) if origin else ()),
            digests([f"sha256:{checksum}"] if checksum else []),
            commit=text_of(entry.get("commit"))[:40],
        ),
    )


def read_gleam_lock(content: bytes) -> LockContent:
    """Return the content of Gleam's `manifest.toml`."""
    data = parsed(content)
    found = LockBuilder()
    for entry in mappings_in(data.get("packages")):
        _gleam_package(found, entry)
    return found.content(mapping(data.get("requirements")))


def read_julia_lock(content: bytes) -> LockContent:
    """Return the content of Julia's `Manifest.toml`, whose tables are named after packages."""
    data = parsed(content)
    packages = mapping(data.get("deps")) or data  # version 1 has them at the top
    found = LockBuilder()
    for name, value in packages.items():
        for entry in mappings_in(value):
            address, version = text_of(entry.get("repo-url")), text_of(entry.get("version"))
            origin = git_origin(address) if address else PATH_ORIGIN if "path" in entry else None
            tree = text_of(entry.get("git-tree-sha1"))
            found.add(
                name,
                Locked(
                    version, frozenset((origin,) if origin else ()),
                    digests([f"tree:{tree}"] if tree and not address else []),
                    commit=tree[:40] if address else "",
                ),
            )  # fmt: skip
    return found.content()


read_uv_lock = toml_reader("package", _uv_package, b"source = { registry")
read_poetry_lock = toml_reader("package", _poetry_package)
read_pdm_lock = toml_reader("package", _pdm_package)
read_pylock = toml_reader("packages", _pylock_package)
read_cargo_lock = toml_reader("package", _crate, b"\nsource = ")
