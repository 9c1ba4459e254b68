"""Conversations: stored as they grow, and read back.

The stored parts are compared with the current content, so a rewritten transcript is stored as it
is, and one that only grew costs what was added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.errors import StoreDamaged
from clew.model.conversation import (
    PART_LIMIT,
    ConversationPart,
    Get,
    Put,
    blobs,
    decode_parts,
    encode_parts,
    grouped,
)
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.named_tuple import NamedTuple

Read = Callable[[int], bytes]
"""Reads up to that many bytes of a conversation; empty at its end."""


class Taken(NamedTuple):
    """A conversation in the store."""

    conversation: ObjectId | None
    length: int
    kept: int = 0
    """How many leading bytes were stored before."""


def take(
    previous: ObjectId | None, read: Read, get: Get, put: Put, *, again: bool = False
) -> Taken:
    """Store the conversation that `read` returns, reusing the parts in `previous`.

    With `again`, reused parts are passed to `put` too: the store may have lost them.
    """
    kept, rest = _still_there(_parts_of(previous, get), read, get, put if again else None)
    return _stored(kept, _pieces(rest, read), put)


def extend(previous: ObjectId | None, added: Iterable[bytes], get: Get, put: Put) -> Taken:
    """Store a conversation with added lines, each without its newline."""
    return extend_parts(parts_of(previous, get), added, put)


def extend_parts(before: list[ConversationPart], added: Iterable[bytes], put: Put) -> Taken:
    """Store a conversation of some parts with added lines."""
    content = b"".join(line + b"\n" for line in added)
    pieces = (content[at : at + PART_LIMIT] for at in range(0, len(content), PART_LIMIT))
    return _stored(before, pieces, put)


def parts_of(conversation: ObjectId | None, get: Get) -> list[ConversationPart]:
    """Return the parts of a conversation."""
    return decode_parts(get(conversation)) if conversation is not None else []


def readable_parts(conversation: ObjectId | None, get: Get) -> list[ConversationPart]:
    """Return the blobs of a conversation that the store can read."""
    found: list[ConversationPart] = []
    ahead = _parts_of(conversation, get)[::-1]
    while ahead:
        part = ahead.pop()
        try:
            inner = get(part.identifier)
            if part.depth == 0:
                found.append(part)
            else:
                ahead.extend(decode_parts(inner)[::-1])
        except (StoreDamaged, ValueError):
            continue
    return found


def _parts_of(conversation: ObjectId | None, get: Get) -> list[ConversationPart]:
    """Return the parts of a conversation; none if the store cannot read it."""
    try:
        return parts_of(conversation, get)
    except (StoreDamaged, ValueError):
        return []


def content(conversation: ObjectId | None, get: Get) -> Iterator[bytes]:
    """Yield the bytes of a conversation, at most 1 MiB at a time."""
    if conversation is None:
        return
    for part in blobs(decode_parts(get(conversation)), get):
        yield get(part.identifier)


def lines(conversation: ObjectId | None, get: Get) -> Iterator[bytes]:
    """Yield the lines of a conversation without newlines; the last may be incomplete."""
    begun: list[bytes] = []
    for piece in content(conversation, get):
        first, *others = piece.split(b"\n")
        begun.append(first)
        for other in others:
            yield b"".join(begun)
            begun = [other]
    if rest := b"".join(begun):
        yield rest


def _still_there(
    parts: list[ConversationPart], read: Read, get: Get, put: Put | None
) -> tuple[list[ConversationPart], bytes]:
    """Return the parts whose bytes are unchanged, and what was read beyond them."""
    kept: list[ConversationPart] = []
    for part in parts:
        same: list[ConversationPart] = []
        try:
            for blob in blobs([part], get):
                piece = _exactly(blob.length, read)
                if object_id(ObjectType.BLOB, piece) != blob.identifier:
                    return kept + same, piece
                if put is not None:
                    put(ObjectType.BLOB, piece)
                same.append(blob)
        except StoreDamaged:  # a group is lost; its blobs that were read are known
            return kept + same, b""
        kept.append(part)
    return kept, b""


def _pieces(rest: bytes, read: Read) -> Iterator[bytes]:
    piece = rest + _exactly(PART_LIMIT - len(rest), read)
    while piece:
        yield piece
        piece = _exactly(PART_LIMIT, read)


def _exactly(length: int, read: Read) -> bytes:
    """Read `length` bytes, or as many as there are."""
    found = b""
    while len(found) < length and (piece := read(length - len(found))):
        found += piece
    return found


def _stored(kept: list[ConversationPart], pieces: Iterable[bytes], put: Put) -> Taken:
    parts = list(kept)
    for piece in pieces:
        parts.append(ConversationPart(0, len(piece), put(ObjectType.BLOB, piece)))
    if not parts:
        return Taken(None, 0)
    parts = grouped(parts, put)
    length = sum(part.length for part in parts)
    before = sum(part.length for part in kept)
    return Taken(put(ObjectType.CONVERSATION, encode_parts(parts)), length, before)
