"""Lock readers for Cargo, Gleam and Julia."""

from __future__ import annotations

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import mappings_in, text_of
from clew.detectors.locks.locked import LockBuilder, LockContent, Locked, digests
from clew.detectors.locks.origins import PATH_ORIGIN, Origin, git_origin, registry_origin
from clew.detectors.locks.toml_blocks import TomlEntry, parsed, toml_reader

_CRATES = "github.com/rust-lang/crates.io-index"


def _crate(found: LockBuilder, entry: TomlEntry) -> list[str] | None:
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


def _gleam_package(found: LockBuilder, entry: TomlEntry) -> None:
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


read_cargo_lock = toml_reader("package", _crate, b"\nsource = ")
