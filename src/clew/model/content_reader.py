"""Content readers: random access to the content of a file, from a store or memory.

A large file is stored as chunks that two versions of it share, so a reader decompresses only what
is asked for, and knows without reading where two versions have the same bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from itertools import accumulate

from clew.model.content import BLOB_LIMIT, Chunk, Token, Zeros, decode_chunklist
from clew.model.ids import ObjectId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.tree import Get

_CACHE_BYTES = 24 << 20

Run = tuple[bytes, int, int]
"""A stored object, an offset in it and a length; zeros have no object."""


class StoredReader:
    """Reads from the objects of a store."""

    def __init__(self, get: Get, content: ObjectId, size: int) -> None:
        self.size = size
        self._get = get
        self._tokens: list[Token] = [Chunk(size, content)]
        if size > BLOB_LIMIT:
            self._tokens = list(decode_chunklist(get(content)))
        self._starts = [0, *accumulate(token.length for token in self._tokens)]
        self._recent: OrderedDict[ObjectId, bytes] = OrderedDict()
        self._recent_bytes = 0
        self._last = 0, 0, b""
        """The chunk that was read last: where it begins and ends, and its bytes."""

    def read(self, at: int, length: int) -> bytes:
        begin, end, blob = self._last
        if begin <= at and at + length <= end:  # most reads follow another one closely
            return blob[at - begin : at - begin + length]
        found = [self._bytes(*span) for span in self._spans(at, length)]
        return found[0] if len(found) == 1 else b"".join(found)

    def runs(self, at: int, length: int) -> tuple[Run, ...]:
        return tuple(
            (token.blob, start, stop - start)
            if isinstance(token, Chunk)
            else (b"", 0, stop - start)
            for token, _, start, stop in self._spans(at, length)
        )

    def _spans(self, at: int, length: int) -> list[tuple[Token, int, int, int]]:
        """Return the tokens that a range is in: where each begins, and the part of it."""
        end = min(at + length, self.size)
        if at < 0 or at >= end:
            return []
        index = bisect_right(self._starts, at) - 1
        found = []
        while at < end and index < len(self._tokens):
            token, begin = self._tokens[index], self._starts[index]
            stop = min(end, begin + token.length)
            if stop > at:
                found.append((token, begin, at - begin, stop - begin))
            at = max(at, stop)
            index += 1
        return found

    def _bytes(self, token: Token, begin: int, start: int, stop: int) -> bytes:
        if isinstance(token, Zeros):
            return bytes(stop - start)
        blob = self._recent.get(token.blob)
        if blob is None:
            blob = self._get(token.blob)
            self._remember(token.blob, blob)
        self._last = begin, begin + len(blob), blob
        return blob[start:stop]

    def _remember(self, identifier: ObjectId, blob: bytes) -> None:
        self._recent[identifier] = blob
        self._recent_bytes += len(blob)
        while self._recent_bytes > _CACHE_BYTES and len(self._recent) > 1:
            self._recent_bytes -= len(self._recent.popitem(last=False)[1])


class BytesReader:
    """Reads from memory."""

    def __init__(self, content: bytes) -> None:
        self.size = len(content)
        self._content = content

    def read(self, at: int, length: int) -> bytes:
        return self._content[at : at + length] if at >= 0 else b""

    def runs(self, at: int, length: int) -> tuple[Run, ...]:
        return ()
