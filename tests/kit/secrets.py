"""Looks for a secret in every byte below a directory, as somebody would who has stolen the disk.

It shares no code with clew: names, links and attributes are looked at, files are read as they lie
on the disk, the frames of packs are expanded, and so is whatever begins like a zstd frame.
"""

from __future__ import annotations

import base64
import os
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_FRAME = struct.Struct("<4sB3xIIIII")
_ROW_BYTES = 37
_PACK_HEADER_BYTES = 16


def places_holding(root: Path, *secrets: bytes) -> list[str]:
    """Return where any of `secrets` can be found below `root`, in any spelling."""
    spelled = {spelling for secret in secrets for spelling in _spellings(secret)}
    found = []
    for path in _everything(root):
        for where, content in _contents(path):
            if any(spelling in content for spelling in spelled):
                found.append(f"{path.relative_to(root)}: {where}")
                break
    return sorted(found)


def _spellings(secret: bytes) -> Iterator[bytes]:
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    with suppress(UnicodeDecodeError):
        yield secret.decode().encode("utf-16-le")
        yield secret.decode().encode("utf-16-be")
    for shift in range(3):  # the first and the last letters depend on what stands beside it
        whole = base64.b64encode(b"\0" * shift + secret + b"\0" * 3)
        yield whole[4 if shift else 0 : -8]


def _everything(root: Path) -> Iterator[Path]:
    for directory, folders, names in os.walk(root):
        for name in (*folders, *names):
            yield Path(directory, name)


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    yield "its name", os.fsencode(path.name)
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        yield "its target", os.fsencode(os.readlink(path))
        return
    with suppress(OSError):
        for name in os.listxattr(path):
            yield "an attribute", os.fsencode(name) + os.getxattr(path, name)
    if not stat.S_ISREG(found.st_mode):
        return
    content = path.read_bytes()
    yield "its bytes", content
    if content.startswith(b"CLEWPACK"):
        yield from _frames(content)
    yield from _squeezed(content)


def _frames(pack: bytes) -> Iterator[tuple[str, bytes]]:
    at = _PACK_HEADER_BYTES
    while pack[at : at + 4] == b"CLWF":
        _, codec, count, _, stored, _, _ = _FRAME.unpack_from(pack, at)
        payload = at + _FRAME.size + count * _ROW_BYTES
        content = pack[payload : payload + stored]
        yield f"the frame at {at}", zstd.decompress(content) if codec else content
        at = payload + stored


def _squeezed(content: bytes) -> Iterator[tuple[str, bytes]]:
    at = content.find(_ZSTD_MAGIC)
    while at >= 0:
        with suppress(zstd.ZstdError, EOFError):
            machine = zstd.ZstdDecompressor()
            yield f"what is compressed at {at}", machine.decompress(content[at:])
        at = content.find(_ZSTD_MAGIC, at + 1)
