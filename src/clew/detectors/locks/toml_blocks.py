"""Lock files in TOML: uv, Poetry, PDM, pip and Cargo write one block for each package.

Blocks that are equal in the old and the new file are not parsed, unless another version of the same
package differs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping

from clew.detectors.files.json_values import mapping
from clew.detectors.locks.json_reading import mappings_in, text_of
from clew.detectors.locks.locked import LockBuilder, LockContent, LockReader

_MAX_SIZE = 4 << 20
"""Of what is parsed: tomllib needs a second for it."""
_MAX_DOTS = 100
"""Per line: for a key of 100,000 parts tomllib exhausts memory."""
_NAME = re.compile(rb"""^\s*+["']?name["']?\s*+=\s*+["']([^"'\n]{1,300})["']""", re.M)
_FILES_APART = (b"[metadata.files]", b'"checksum ')
"""Old forms of Poetry, PDM and Cargo keep digests at the end of the file."""

TomlEntry = Mapping[str, object]
AddEntry = Callable[[LockBuilder, TomlEntry], list[str] | None]
"""Adds the package of an entry, or returns what it wants if it is the project itself."""


def toml_reader(table: str, add: AddEntry, registry: bytes = b"") -> LockReader:
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

        before, after = ([block for block in side if is_read(block)] for side in (was, now))
        return _content(before, table, add), _content(after, table, add)

    return read


def _blocks(content: bytes | None, header: bytes) -> list[bytes]:
    """Return the text of a file, cut before each header of a package."""
    text = (content or b"").removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    parts = (b"\n" + text).split(b"\n" + header)
    return [parts[0], *(header + part for part in parts[1:])]


def _name(block: bytes) -> bytes:
    found = _NAME.search(block)
    return found[1] if found else b""


def _content(blocks: list[bytes], table: str, add: AddEntry) -> LockContent:
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


def _with_files(entry: TomlEntry, metadata: TomlEntry) -> TomlEntry:
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
