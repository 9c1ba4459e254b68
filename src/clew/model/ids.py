"""Ids: 32 bytes of BLAKE3, told apart by type for mypy and by nothing at run time.

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
        """Return the type itself: only a type checker tells them apart."""
        return kind


ObjectId = NewType("ObjectId", bytes)
"""Names the exact bytes and type of one stored object."""

StateId = NewType("StateId", bytes)
"""Names a tree blind to mtimes; see docs/format.md, 3.3."""

CheckpointId = NewType("CheckpointId", bytes)
"""Names one checkpoint: the object id of its record."""

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
    """Return the eight digits shown to people."""
    return identifier.hex()[:SHORT_DIGITS]
