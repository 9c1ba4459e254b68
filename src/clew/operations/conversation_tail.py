"""The end of a conversation, read from its end: it may be larger than memory."""

from __future__ import annotations

from clew.model.conversation import Get, blobs, decode_parts
from clew.model.ids import ObjectId

_MOST_BYTES = 4 << 20
"""As far back as anybody looks for the beginning of a line."""


def last_lines(conversation: ObjectId | None, get: Get, count: int) -> list[bytes]:
    """Return the last whole lines, oldest first; fewer where a line is larger than we look at."""
    if conversation is None or count <= 0:
        return []
    found = b""
    is_whole = True
    for part in blobs(decode_parts(get(conversation)), get, from_the_end=True):
        if len(found) >= _MOST_BYTES or found.count(b"\n") > count:
            is_whole = False
            break
        found = get(part.identifier) + found
    lines = found.split(b"\n")
    if not is_whole:
        lines = lines[1:]  # its beginning was not read
    return [line for line in lines if line.strip()][-count:]
