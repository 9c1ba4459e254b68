"""Format file: identifies a store and the versions that may write it; see docs/format.md, 2."""

from __future__ import annotations

import re
from zlib import crc32

from clew.errors import NotAStore, StoreDamaged, StoreTooNew

VERSION = "1"
_FIXED_FIELDS = {
    "version": VERSION,
    "hash": "blake3-256",
    "chunker": "fastcdc-2020 65536 262144 1048576",
    "id-key": "none",
}
_TITLE = "clew store"
_UUID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_OTHER_VERSION = re.compile(rb"version [0-9]+|id-key .+")
_MAX_WRONG_LINES = 2
"""A damaged byte changes one line, or joins or splits two."""


def format_content(uuid: str) -> bytes:
    """Return the content of a format file."""
    lines = [_TITLE, f"version {VERSION}", f"uuid {uuid}"]
    lines += [f"{key} {value}" for key, value in _FIXED_FIELDS.items() if key != "version"]
    body = "".join(line + "\n" for line in lines).encode()
    return body + b"check %08x\n" % crc32(body)


def parse_format(content: bytes, root: str) -> str:
    """Return the uuid of the store; raise an error if it is damaged, or of another version."""
    try:
        lines = content.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise StoreDamaged(f"The format file is damaged: {root!r}") from error
    if not lines or lines[0] != _TITLE:
        raise NotAStore(root)
    body = content[: content.rfind(b"check ")]
    if lines[-1] != f"check {crc32(body):08x}":
        raise StoreDamaged(f"The format file is damaged: {root!r}")
    fields = dict(line.split(" ", 1) for line in lines[1:-1])
    if fields.get("version") != VERSION:
        raise StoreTooNew(root, fields.get("version", "unknown"))
    uuid = fields.pop("uuid", "")
    if fields != _FIXED_FIELDS:
        raise StoreTooNew(root, "with unknown features")
    return uuid


def repaired_uuid(content: bytes, catalogue_uuid: str) -> str | None:
    """Return the uuid for a new format file, or None if the damaged one may be of another version.

    A catalogue that this version can read is evidence enough, unless the file contradicts it.
    """
    found = _UUID.search(content)
    uuid = catalogue_uuid or (found[0].decode() if found else "")
    expected = format_content(uuid).splitlines()
    lines = content.splitlines()
    if not uuid or lines[-1:] == expected[-1:]:  # the checksum of the content that it had
        return uuid or None
    wrong = [line for line in lines[:-1] if line not in expected]
    is_other = any(_OTHER_VERSION.fullmatch(line) for line in wrong)
    is_close = bool(catalogue_uuid) or len(wrong) <= _MAX_WRONG_LINES
    return uuid if is_close and not is_other else None
