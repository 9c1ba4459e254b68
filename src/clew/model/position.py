"""Where an agent was when its files were captured; see docs/format.md, 3.6."""

from __future__ import annotations

from clew.model.bencode import Value, bytes_of, list_of, number_of
from clew.model.ids import ID_BYTES, ObjectId
from clew.model.named_tuple import NamedTuple

SESSION_BYTES = 16


class Position(NamedTuple):
    """The session's side of one moment, part of the record."""

    session: bytes = b""
    """Its id; empty where no session was attached."""
    agent: str = ""
    version: str = ""
    conversation: ObjectId | None = None
    length: int = 0
    """Of the conversation, in bytes."""
    tasks: ObjectId | None = None
    """A blob that holds the task list as it stood."""
    effects: int = 0
    """The number of the workspace's last effect."""
    forgotten: tuple[int, ...] = ()
    """Effects up to that one that this line of history does not know of, sorted."""

    @property
    def is_empty(self) -> bool:
        return self == _NOWHERE

    def as_dict(self) -> dict[bytes, Value]:
        """Return what the record keeps; nothing at all for an empty position."""
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
        """Return the position a record keeps; KeyError or TypeError for anything else."""
        if not isinstance(found, dict):
            raise TypeError(found)
        if not found:
            return _NOWHERE
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


_NOWHERE = Position()


def _optional(value: Value, length: int) -> bytes:
    return bytes_of(value, length) if value else b""
