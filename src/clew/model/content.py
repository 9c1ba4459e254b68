"""File content: a blob, or a chunklist above 1 MiB; see docs/format.md, 3.1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple

BLOB_LIMIT = 1 << 20
"""The largest file that is one blob."""

BLOCK = 1 << 16
"""Zeros are recognised in aligned blocks of this size."""

CHUNK_SIZES = (1 << 16, 1 << 18, 1 << 20)
"""FastCDC's smallest, average and largest chunk."""

_SIZE = Struct("<Q")
_CHUNK = Struct("<BI32s")
_ZEROS = Struct("<BQ")


class Chunk(NamedTuple):
    """A run of bytes that is stored as a blob."""

    length: int
    blob: ObjectId


class Zeros(NamedTuple):
    """A run of zeros, hole or not."""

    length: int


Token = Chunk | Zeros


def encode_chunklist(tokens: Iterable[Token]) -> bytes:
    """Return the chunklist of a file that consists of `tokens`."""
    size = 0
    parts = [b""]
    for token in tokens:
        size += token.length
        if isinstance(token, Chunk):
            parts.append(_CHUNK.pack(0, token.length, token.blob))
        else:
            parts.append(_ZEROS.pack(1, token.length))
    parts[0] = _SIZE.pack(size)
    return b"".join(parts)


def decode_chunklist(content: bytes) -> Iterator[Token]:
    """Yield the tokens of a chunklist; raise ValueError if its lengths do not add up."""
    if len(content) < _SIZE.size:
        raise ValueError("A chunklist ends early")
    (left,) = _SIZE.unpack_from(content)
    at = _SIZE.size
    while at < len(content):
        kind = content[at]
        size = _CHUNK.size if kind == 0 else _ZEROS.size
        if kind > 1 or at + size > len(content):
            raise ValueError("A chunklist ends early or holds an unknown token")
        token: Token
        if kind == 0:
            _, length, blob = _CHUNK.unpack_from(content, at)
            token = Chunk(length, ObjectId(blob))
        else:
            token = Zeros(_ZEROS.unpack_from(content, at)[1])
        left -= token.length
        if left < 0:  # checked before the token is yielded: it may be 2^64 zeros
            raise ValueError("A chunklist's lengths do not add up")
        at += size
        yield token
    if left:
        raise ValueError("A chunklist's lengths do not add up")
