"""Archive detector: the number of members, read from the archive's directory without unpacking.

A zip lists its members at its end; a tar has a header before each.
A compressed tar is decompressed up to a limit, which defuses decompression bombs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence

from clew.detectors.data.data_facts import (
    bytes_to_read,
    ending,
    file_finding,
    split_crowds,
    unclaimed_files,
)
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text

_ZIPS = (".zip", ".whl", ".jar", ".war", ".ear", ".egg")
_TARS = (".tar",)
_PACKED_TARS = (".tar.gz", ".tgz")
_SIZED = (".tar.bz2", ".tar.xz", ".tar.zst", ".tbz2", ".txz", ".7z", ".rar")
_READ_LIMIT = 256 << 20
"""The read limit for one archive."""
_UNPACKED_LIMIT = 64 << 20
_TAIL = 4 << 20
_END, _MEMBER = b"PK\x05\x06", b"PK\x01\x02"
_LARGE_END = b"PK\x06\x06"
_NO_MEMBERS = b"xgLK"
"""Tar header types that only extend the next member."""


class Archives:
    """Reports added and deleted archives, and changes in the number of members."""

    name = "data/archive"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(
        suffixes=(*_ZIPS, *_TARS, ".gz", ".tgz", ".bz2", ".xz", ".zst", ".tbz2", ".txz", ".7z", ".rar")
    )  # fmt: skip

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        known = (*_ZIPS, *_TARS, *_PACKED_TARS, *_SIZED)
        mine = [change for change in changes if change.name.lower().endswith(known)]
        alone, crowded = split_crowds("archive", unclaimed_files(evidence, mine))
        yield from crowded
        left = _READ_LIMIT
        for change in alone:
            with evidence.guarded(change.path):
                left -= bytes_to_read(change)
                before, after = (
                    _text(tree, change.path, is_read=left > 0)
                    for tree in (evidence.old, evidence.new)
                )
                yield file_finding("archive", change.path, before, after, "content changed")


def zip_members(tail: bytes) -> int | None:
    """Return the number of members in a zip's central directory, or None if it is incomplete."""
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + 22:
        return None
    size = int.from_bytes(tail[end + 12 : end + 16], "little")
    large = tail.rfind(_LARGE_END, 0, end)
    if large >= 0:
        end, size = large, int.from_bytes(tail[large + 40 : large + 48], "little")
    at = end - size
    if at < 0:
        return None
    members = 0
    while tail[at : at + 4] == _MEMBER and at + 46 <= end:
        name, extra, comment = (
            int.from_bytes(tail[at + offset : at + offset + 2], "little") for offset in (28, 30, 32)
        )
        is_directory = tail[at + 45 + name : at + 46 + name] == b"/"
        members += 0 if is_directory else 1
        at += 46 + name + extra + comment
    return members


def tar_members(pieces: Iterable[bytes], limit: int) -> int | None:
    """Return the number of members of a tar stream, or None if it exceeds the limit."""
    members, skip, seen, rest = 0, 0, 0, b""
    for piece in pieces:
        seen += len(piece)
        if seen > limit:
            return None
        at = min(skip, len(piece)) if not rest else 0
        skip -= at
        whole = rest + piece
        while len(whole) - at >= 512:
            header = whole[at : at + 512]
            if not header.strip(b"\0"):
                return members
            members += header[156] not in _NO_MEMBERS and header[156:157] != b"5"
            size = (_octal(header[124:136]) + 511) // 512 * 512
            here = min(size, len(whole) - at - 512)
            skip = size - here
            at += 512 + here
        rest = whole[at:]
    return members


def _octal(field: bytes) -> int:
    """Return a size field: octal digits, or binary for large sizes."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits, 8) if digits.isdigit() else 0


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the decompressed content of a gzip stream in pieces."""
    stream = zlib.decompressobj(31)
    for piece in pieces:
        waiting = piece
        while waiting and not stream.eof:
            yield stream.decompress(waiting, 1 << 18)
            waiting = stream.unconsumed_tail


def _text(tree: Tree, path: str, *, is_read: bool) -> str | None:
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return None
    number = archive_members(tree, path) if is_read else None
    size = size_text(entry.size)
    return size if number is None else f"{counted(number, 'file')}, {size}"


def archive_members(tree: Tree, path: str) -> int | None:
    """Return the number of files in an archive, or None if its format is not read."""
    name = path.lower()
    if name.endswith(_ZIPS):
        return zip_members(ending(tree, path, _TAIL))
    if name.endswith(_TARS):
        return tar_members(tree.pieces(path), _READ_LIMIT)
    if name.endswith(_PACKED_TARS):
        return tar_members(_unpacked(tree.pieces(path)), _UNPACKED_LIMIT)
    return None
