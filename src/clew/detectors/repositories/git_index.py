"""Parser for the git index: tracked paths, and the staged content of each.

Versions 2, 3 and 4, with ids of 20 or 32 bytes.
A split index (`link`) does not contain all entries, so it is rejected.
"""

from __future__ import annotations

import struct

from clew.model.named_tuple import NamedTuple

_HEADER = struct.Struct(">4sII")
_STAT_SIZE = 40
"""Times, device, inode, mode, owner and size."""
_MTIME = struct.Struct(">II")
_MTIME_AT, _MODE_AT, _SIZE_AT = 8, 24, 36
_EXTENDED = 0x4000
_STAGE = 0x3000
_INTENT_TO_ADD = 0x2000
"""In the extended flags: `git add -N`, a path without content."""
_SKIP_WORKTREE = 0x4000
"""In the extended flags: the file is not in the working tree, as in a sparse checkout."""
_GITLINK = 0o160000


class Staged(NamedTuple):
    """The index entry of a path."""

    mode: int
    id: str
    is_conflict: bool = False
    size: int = 0
    mtime_ns: int = 0
    """Of the file when git last compared it: an unchanged file needs no new comparison."""
    is_left_out: bool = False
    """Whether a sparse checkout leaves it out of the working tree."""

    @property
    def is_submodule(self) -> bool:
        return self.mode == _GITLINK


def parse_index(content: bytes, id_size: int = 20) -> dict[str, Staged]:
    """Return every tracked path; raises `ValueError` for an unsupported or damaged index."""
    if len(content) < _HEADER.size + id_size:
        raise ValueError("the index is cut off")
    magic, version, count = _HEADER.unpack_from(content)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index of version 2, 3 or 4")
    found: dict[str, Staged] = {}
    at, path = _HEADER.size, b""
    for _ in range(count):
        at, path, staged = _entry(content, at, path, version, id_size)
        if staged is not None:
            name = path.decode("utf-8", "surrogateescape")
            found[name] = found[name]._replace(is_conflict=True) if name in found else staged
    _refuse_split(content, at, id_size)
    return found


def _entry(
    content: bytes, start: int, before: bytes, version: int, id_size: int
) -> tuple[int, bytes, Staged | None]:
    """Return the offset of the next entry, and this one's path; None for `git add -N`."""
    at = start + _STAT_SIZE + id_size
    if at + 2 > len(content):
        raise ValueError("the index is cut off")
    flags = int.from_bytes(content[at : at + 2], "big")
    at += 2
    extended = 0
    if flags & _EXTENDED:
        extended = int.from_bytes(content[at : at + 2], "big")
        at += 2
    if version == 4:
        at, path = _compressed_path(content, at, before)
    else:
        end = content.find(b"\0", at)
        path = content[at:end]
        # padded with one to eight NULs to a multiple of eight
        at = start + ((end - start) // 8 + 1) * 8
        if end < 0:
            raise ValueError("the index is cut off")
    mode = int.from_bytes(content[start + _MODE_AT : start + _MODE_AT + 4], "big")
    identity = content[start + _STAT_SIZE : start + _STAT_SIZE + id_size].hex()
    seconds, rest = _MTIME.unpack_from(content, start + _MTIME_AT)
    size = int.from_bytes(content[start + _SIZE_AT : start + _SIZE_AT + 4], "big")
    staged = Staged(
        mode,
        identity,
        bool(flags & _STAGE),
        size,
        seconds * 10**9 + rest,
        bool(extended & _SKIP_WORKTREE),
    )
    return at, path, None if extended & _INTENT_TO_ADD else staged


def _compressed_path(content: bytes, at: int, before: bytes) -> tuple[int, bytes]:
    """Return a path of version 4: a length to drop from the previous path, and a suffix."""
    dropped = -1
    for _ in range(5):
        if at >= len(content):
            break
        byte = content[at]
        at += 1
        dropped = ((dropped + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            end = content.find(b"\0", at)
            if end < 0 or dropped > len(before):
                break
            return end + 1, before[: len(before) - dropped] + content[at:end]
    raise ValueError("a path of the index is damaged")


def _refuse_split(content: bytes, at: int, id_size: int) -> None:
    end = len(content) - id_size
    while at + 8 <= end:
        name, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "big")
        if name == b"link":
            raise ValueError("the index is split")
        at += 8 + size
