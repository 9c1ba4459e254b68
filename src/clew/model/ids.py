"""Ids: 32 bytes of BLAKE3, with distinct types for mypy but not at run time.

Ids are plain ``bytes`` because a save handles tens of thousands of them.
Text form is hexadecimal; the short form is its first eight digits.
"""

from __future__ import annotations

from blake3 import blake3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NewType
else:

    def NewType(name, kind):
        """Return the type itself: only type checkers distinguish the new type."""
        return kind


ObjectId = NewType("ObjectId", bytes)
"""The id of one stored object: a hash of its type and bytes."""

StateId = NewType("StateId", bytes)
"""The id of a tree, ignoring mtimes; see docs/format.md, 3.3."""

CheckpointId = NewType("CheckpointId", bytes)
"""The id of one checkpoint: the object id of its record."""

ID_BYTES = 32
SHORT_DIGITS = 8


class ObjectType:
    """The type byte of docs/format.md, 3."""

    BLOB = 1
    CHUNKLIST = 2
    XATTRS = 3
    TREE = 4
    LINKS = 5
    RULES = 6
    SIGNALS = 7
    RECORD = 8
    CONVERSATION = 9

    NAMES = {
        1: "blob",
        2: "chunklist",
        3: "xattrs",
        4: "tree",
        5: "links",
        6: "rules",
        7: "signals",
        8: "record",
        9: "conversation",
    }


_TAGS = [bytes([number]) for number in range(32)]
_STATE_TAG = b"S"


def object_id(kind: int, content: bytes) -> ObjectId:
    """Return the id of `content` stored as an object of type `kind`."""
    return ObjectId(blake3(_TAGS[kind] + content).digest())


def state_id(content: bytes) -> StateId:
    """Return the state id of an mtime-free encoding."""
    return StateId(blake3(_STATE_TAG + content).digest())


def short(identifier: bytes) -> str:
    """Return the first eight digits, as shown to users."""
    return identifier.hex()[:SHORT_DIGITS]
