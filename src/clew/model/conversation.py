"""Conversation objects: append-only lists of parts; see docs/format.md, 3.7.

A part is a blob of at most 1 MiB, or a group: another conversation object.
Groups keep the list short, so that each of a thousand checkpoints adds a few parts, not all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from struct import Struct

from clew.model.ids import ObjectId, ObjectType
from clew.model.named_tuple import NamedTuple

PART_LIMIT = 1 << 20
GROUP = 32
"""The number of consecutive parts that form a group, and of groups that form a larger one."""

_PART = Struct("<BQ32s")
_MAX_DEPTH = 12

Get = Callable[[ObjectId], bytes]
Put = Callable[[int, bytes], ObjectId]


class ConversationPart(NamedTuple):
    """A run of a conversation's bytes."""

    depth: int
    """0 for a blob; the depth of a group is one more than that of its parts."""
    length: int
    identifier: ObjectId


def encode_parts(parts: Iterable[ConversationPart]) -> bytes:
    """Return the conversation object that consists of `parts`."""
    return b"".join(_PART.pack(*part) for part in parts)


def decode_parts(content: bytes) -> list[ConversationPart]:
    """Return the parts of a conversation object; raise ValueError if it is invalid."""
    if len(content) % _PART.size:
        raise ValueError("A conversation ends early")
    parts = []
    for depth, length, identifier in _PART.iter_unpack(content):
        if depth > _MAX_DEPTH or (depth == 0 and not 0 < length <= PART_LIMIT):
            raise ValueError("A conversation holds an impossible part")
        parts.append(ConversationPart(depth, length, ObjectId(identifier)))
    return parts


def references(content: bytes) -> Iterator[tuple[int, ObjectId]]:
    """Yield type and id of the objects that a conversation references."""
    for part in decode_parts(content):
        yield ObjectType.CONVERSATION if part.depth else ObjectType.BLOB, part.identifier


def blobs(
    parts: Iterable[ConversationPart], get: Get, *, from_the_end: bool = False
) -> Iterator[ConversationPart]:
    """Yield the blobs of `parts` in order, or last first; groups are read when reached."""
    step = 1 if from_the_end else -1
    pending = list(parts)[::step]
    while pending:
        part = pending.pop()
        if part.depth == 0:
            yield part
            continue
        inner = decode_parts(get(part.identifier))
        if any(one.depth >= part.depth for one in inner):
            raise ValueError("A group of a conversation holds itself")
        pending.extend(inner[::step])


def grouped(parts: Iterable[ConversationPart], put: Put) -> list[ConversationPart]:
    """Return the same bytes in fewer parts: `GROUP` consecutive ones of a depth become one group."""
    found: list[ConversationPart] = []
    for part in parts:
        found.append(part)
        while len(found) >= GROUP and len({one.depth for one in found[-GROUP:]}) == 1:
            inner = found[-GROUP:]
            length = sum(one.length for one in inner)
            group = put(ObjectType.CONVERSATION, encode_parts(inner))
            found[-GROUP:] = [ConversationPart(inner[0].depth + 1, length, group)]
    return found
