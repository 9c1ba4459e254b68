"""The end of a conversation, read from its end: it may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.model.conversation import Get, Part, decode_parts
from clew.model.ids import ObjectId

_MOST_BYTES = 4 << 20
"""As far back as anybody looks for the beginning of a line."""


def last_lines(conversation: ObjectId | None, get: Get, count: int) -> list[bytes]:
    """Return the last whole lines, oldest first; fewer where a line is larger than we look at."""
    if conversation is None or count <= 0:
        return []
    found = b""
    is_whole = True
    for part in _from_the_end(decode_parts(get(conversation)), get):
        if len(found) >= _MOST_BYTES or found.count(b"\n") > count:
            is_whole = False
            break
        found = get(part.identifier) + found
    lines = found.split(b"\n")
    if not is_whole:
        lines = lines[1:]  # its beginning was not read
    return [line for line in lines if line.strip()][-count:]


def _from_the_end(parts: Iterable[Part], get: Get) -> Iterator[Part]:
    """Yield the blobs behind `parts`, last first, groups opened up as they are met."""
    ahead = list(parts)
    while ahead:
        part = ahead.pop()
        if part.depth == 0:
            yield part
            continue
        inner = decode_parts(get(part.identifier))
        if any(one.depth >= part.depth for one in inner):
            raise ValueError("A group of a conversation holds itself")
        ahead.extend(inner)
