"""Position: the state of an agent's session in a checkpoint; see docs/format.md, 3.6."""

from __future__ import annotations

from clew.model.bencode import Value, bytes_of, list_of, number_of
from clew.model.ids import ID_BYTES, ObjectId
from clew.model.named_tuple import NamedTuple

SESSION_BYTES = 16


class Position(NamedTuple):
    """The session part of a record."""

    session: bytes = b""
    """Its id; empty if no session was attached."""
    agent: str = ""
    version: str = ""
    conversation: ObjectId | None = None
    length: int = 0
    """Of the conversation, in bytes."""
    tasks: ObjectId | None = None
    """A blob with the task list."""
    effects: int = 0
    """The number of the workspace's last effect."""
    forgotten: tuple[int, ...] = ()
    """Effects up to that one that are not part of this line of history, sorted."""

    @property
    def is_empty(self) -> bool:
        return self == _EMPTY

    def as_dict(self) -> dict[bytes, Value]:
        """Return the fields for the record; an empty dictionary for an empty position."""
        if self.is_empty:
            return {}
        return {
            b"id": self.session,
            b"agent": self.agent.encode(),
            b"version": self.version.encode(),
            b"conversation": self.conversation or b"",
            b"length": self.length,
            b"tasks": self.tasks or b"",
            b"effects": self.effects,
            b"forgotten": list(self.forgotten),
        }

    @classmethod
    def from_dict(cls, found: Value) -> Position:
        """Return the position in a record; raise KeyError or TypeError if it is invalid."""
        if not isinstance(found, dict):
            raise TypeError(found)
        if not found:
            return _EMPTY
        return cls(
            session=_optional(found[b"id"], SESSION_BYTES),
            agent=bytes_of(found[b"agent"]).decode(),
            version=bytes_of(found[b"version"]).decode(),
            conversation=ObjectId(_optional(found[b"conversation"], ID_BYTES)) or None,
            length=number_of(found[b"length"]),
            tasks=ObjectId(_optional(found[b"tasks"], ID_BYTES)) or None,
            effects=number_of(found[b"effects"]),
            forgotten=tuple(number_of(number) for number in list_of(found[b"forgotten"])),
        )


_EMPTY = Position()


def _optional(value: Value, length: int) -> bytes:
    return bytes_of(value, length) if value else b""
