"""Reachability: marks every object that a checkpoint or a session needs.

A checkpoint references its record, its tree with everything below, its links, rules and signals, and
the conversation and task list of its position.  A session references its conversation, even when the
checkpoints that stored it are deleted: the next checkpoint continues from it.
Each tree is followed once, regardless of how many checkpoints share it.
An unreadable object stops the marking, because its references would appear dead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from clew.errors import ObjectMissing, StoreDamaged
from clew.model import conversation
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.ids import CheckpointId, ObjectId, ObjectType, short
from clew.model.record import Record
from clew.model.tree import references

if TYPE_CHECKING:
    from clew.store.store import Store

Reference = tuple[int, ObjectId]
"""Type and id of a referenced object."""

Get = Callable[[ObjectId], bytes]
Follow = Callable[[int, ObjectId], list[Reference]]

FOLLOWED = (ObjectType.TREE, ObjectType.CHUNKLIST, ObjectType.CONVERSATION)
"""The types that reference other objects."""


def follower(get: Get) -> Follow:
    """Return a function that lists the references of an object of a type in `FOLLOWED`."""

    def follow(kind: int, identifier: ObjectId) -> list[Reference]:
        try:
            return list(_references_in(kind, get(identifier)))
        except ValueError as error:
            raise StoreDamaged(f"Object {identifier.hex()} cannot be read: {error}") from error

    return follow


def of_record(identifier: CheckpointId, record: Record) -> list[Reference]:
    """Return the direct references of a checkpoint."""
    found = [
        (ObjectType.RECORD, ObjectId(identifier)),
        (ObjectType.LINKS, record.links),
        (ObjectType.RULES, record.rules),
        (ObjectType.TREE, record.tree),
    ]
    if record.signals is not None:
        found.append((ObjectType.SIGNALS, record.signals))
    if record.position.conversation is not None:
        found.append((ObjectType.CONVERSATION, record.position.conversation))
    if record.position.tasks is not None:
        found.append((ObjectType.BLOB, record.position.tasks))
    return found


class ReachableObjects:
    """The set of objects reachable from the checkpoints added; it never shrinks."""

    def __init__(self, follow: Follow) -> None:
        self.objects: set[ObjectId] = set()
        self.records: set[CheckpointId] = set()
        self._follow = follow
        self._followed: set[ObjectId] = set()

    def add(self, identifier: CheckpointId, record: Record) -> None:
        """Mark the objects that a checkpoint reaches."""
        self._follow_from(of_record(identifier, record))
        self.records.add(identifier)

    def add_new(self, store: Store) -> None:
        """Mark the objects reached by checkpoints not yet added, and by all sessions."""
        for identifier, record in live_records(store, self.records):
            self.add(identifier, record)
        for wanted in store.sessions.conversations():
            self._follow_from([(ObjectType.CONVERSATION, wanted)])

    def _follow_from(self, pending: list[Reference]) -> None:
        while pending:
            kind, reached = pending.pop()
            self.objects.add(reached)
            if kind in FOLLOWED and reached not in self._followed:
                self._followed.add(reached)
                pending += self._follow(kind, reached)


def require_held(store: Store, record: Record) -> None:
    """Raise `ObjectMissing` unless all objects of a record are intact; reads all their frames."""
    reachable = ReachableObjects(follower(store.objects.get))
    reachable.add(CheckpointId(b""), record)
    wanted = sorted(reachable.objects - {b""})
    missing = set(wanted) - store.verified().known(wanted)
    if missing:
        raise ObjectMissing(min(missing))


def live_records(
    store: Store, known: Iterable[CheckpointId] = ()
) -> Iterator[tuple[CheckpointId, Record]]:
    """Yield the checkpoints of all workspaces that were not deleted, except `known` ones."""
    rows = store.database.execute("SELECT id FROM checkpoints WHERE deleted IS NULL")
    for identifier in {row[0] for row in rows}.difference(known):
        row = store.database.one(
            "SELECT record FROM checkpoints WHERE id = ? AND deleted IS NULL", (identifier,)
        )
        if row is not None:  # deleted since
            yield identifier, _decoded(identifier, row[0])


def _decoded(identifier: CheckpointId, content: bytes | None) -> Record:
    try:
        return Record.decode(content or b"")
    except ValueError as error:
        raise StoreDamaged(
            f"The record of checkpoint {short(identifier)} cannot be read: {error}"
        ) from error


def _references_in(kind: int, content: bytes) -> Iterator[Reference]:
    if kind == ObjectType.TREE:
        for named, identifier, size in references(content):
            yield (ObjectType.CHUNKLIST if size > BLOB_LIMIT else named), identifier
    elif kind == ObjectType.CONVERSATION:
        yield from conversation.references(content)
    else:
        for token in decode_chunklist(content):
            if isinstance(token, Chunk):
                yield ObjectType.BLOB, token.blob
