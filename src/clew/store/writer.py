"""Object writer: groups objects into frames, compresses them and writes whole packs.

File content and other objects use separate frames, so that reading a tree decompresses no files.
Small saves use one thread; from the third frame on, a thread pool compresses and writes while the
caller continues to read (zstd, checksums and writes all release the GIL).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.named_tuple import NamedTuple
from clew.store.frame import PACK_HEADER, FrameEntry, StoredObject, encode_end, encode_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from queue import Queue
    from threading import Lock, Thread
    from typing import Any

    from clew.store.claims import Claims
    from clew.store.transport import Transport

CONTENT_FRAME = 512 << 10
OTHER_FRAME = 128 << 10
PACK_BYTES = 32 << 20

Known = Callable[[Iterable[ObjectId]], set[ObjectId]]


class ObjectRow(NamedTuple):
    """The index row of one new object."""

    identifier: ObjectId
    kind: int
    pack: str
    frame: int
    position: int
    length: int


class NewPack(NamedTuple):
    """A pack that was written."""

    name: str
    size: int


class ObjectWriter:
    """Writes new objects into packs; they become part of the store when the rows are committed."""

    def __init__(self, transport: Transport, known: Known, claims: Claims | None = None) -> None:
        """`claims` is shared by the writers of one save that uses several processes."""
        self._transport = transport
        self._known = known
        self._claims = claims
        self._seen: set[ObjectId] = set()
        self._content = _FrameGroup(CONTENT_FRAME)
        self._other = _FrameGroup(OTHER_FRAME)
        self._assembler = _PackAssembler(transport)
        self._pool: _CompressionPool | None = None
        self._frames = 0
        self.may_be_committed = False
        """The catalogue may reference the packs: `abort` must not remove them."""

    def sibling(self, transport: Transport, known: Known) -> ObjectWriter:
        """Return a writer for another process of the same save."""
        return ObjectWriter(transport, known, self._claims)

    def share_claims(self) -> None:
        """Prepare for siblings; call right before forking."""
        if self._claims is not None:
            self._claims.share()

    @property
    def rows(self) -> list[ObjectRow]:
        return self._assembler.rows

    @property
    def packs(self) -> list[NewPack]:
        return self._assembler.packs

    @property
    def new_bytes(self) -> int:
        return sum(pack.size for pack in self.packs)

    def put(self, kind: int, content: bytes) -> ObjectId:
        """Store `content` and return its id; content that is already stored is not written again."""
        identifier = object_id(kind, content)
        if identifier not in self._seen:
            self._seen.add(identifier)
            if self._claims is not None and not self._claims.claim(identifier):
                return identifier  # another process of this save stores it
            group = self._content if kind == ObjectType.BLOB else self._other
            if group.add(StoredObject(kind, identifier, content)):
                self._close(group)
        return identifier

    @property
    def has_threads(self) -> bool:
        """Whether compression threads run: then forking is no longer safe."""
        return self._pool is not None

    def hand_over(self) -> tuple[list[Any], list[Any]]:
        """Finish, and return packs and rows as plain tuples for the process that commits."""
        self.finish()
        return [tuple(pack) for pack in self.packs], [tuple(row) for row in self.rows]

    def adopt(self, packs: list[Any], rows: list[Any]) -> None:
        """Add packs and rows from another process's `hand_over`, to commit or abort with this writer's."""
        self.packs.extend(NewPack(*pack) for pack in packs)
        self.rows.extend(ObjectRow(ObjectId(row[0]), *row[1:]) for row in rows)

    def finish(self) -> None:
        """Write the remaining objects; afterwards every object put is durable."""
        self._close(self._content)
        self._close(self._other)
        if self._pool is not None:
            self._pool.finish()
        self._assembler.close_pack()

    def abort(self) -> None:
        """Remove the packs of a save that will not be committed."""
        if self.may_be_committed:
            return
        if self._pool is not None:
            self._pool.abandon()
        for pack in self.packs:
            self._transport.remove(pack.name)

    def _close(self, group: _FrameGroup) -> None:
        objects = group.take()
        known = self._known(item.identifier for item in objects) if objects else set()
        new = [item for item in objects if item.identifier not in known]
        if not new:
            return
        self._frames += 1
        if self._frames <= 2:
            self._assembler.add(new)
            return
        if self._pool is None:
            self._pool = _CompressionPool(self._assembler)
        self._pool.add(new)


class _FrameGroup:
    """Objects collected until their frame is full."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._objects: list[StoredObject] = []
        self._size = 0

    def add(self, item: StoredObject) -> bool:
        self._objects.append(item)
        self._size += len(item.content)
        return self._size >= self._limit

    def take(self) -> list[StoredObject]:
        taken, self._objects, self._size = self._objects, [], 0
        return taken


class _PackAssembler:
    """Collects frames into packs.  `lock` protects it when several threads add."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.rows: list[ObjectRow] = []
        self.packs: list[NewPack] = []
        self.lock: Lock | None = None
        self._begin()

    def _begin(self) -> None:
        self._name = os.urandom(16).hex() + ".pack"
        self._parts = [PACK_HEADER]
        self._size = len(PACK_HEADER)

    def add(self, objects: list[StoredObject]) -> None:
        """Compress `objects` into a frame and append it to the current pack."""
        frame, places = encode_frame(objects)
        if self.lock is None:
            full = self._append(frame, places)
        else:
            with self.lock:
                full = self._append(frame, places)
        if full is not None:
            self._write(*full)

    def _append(self, frame: bytes, places: list[FrameEntry]) -> tuple[str, list[bytes]] | None:
        for kind, identifier, position, length in places:
            row = ObjectRow(identifier, kind, self._name, self._size, position, length)
            self.rows.append(row)
        self._parts.append(frame)
        self._size += len(frame)
        return self._take() if self._size >= PACK_BYTES else None

    def _take(self) -> tuple[str, list[bytes]]:
        name, parts = self._name, self._parts
        parts.append(encode_end(len(parts) - 1))
        self.packs.append(NewPack(name, self._size + len(parts[-1])))
        self._begin()
        return name, parts

    def close_pack(self) -> None:
        """Write the last pack, unless it is empty."""
        if len(self._parts) > 1:
            self._write(*self._take())

    def _write(self, name: str, parts: list[bytes]) -> None:
        self._transport.write_new(name, parts)


class _CompressionPool:
    """Threads that compress frames; the first failure is raised in the caller."""

    def __init__(self, assembler: _PackAssembler) -> None:
        from queue import Queue
        from threading import Lock, Thread

        assembler.lock = Lock()
        self._assembler = assembler
        size = min(4, os.cpu_count() or 1)
        self._jobs: Queue[list[StoredObject] | None] = Queue(2 * size)
        self._failure: BaseException | None = None
        self._threads: list[Thread] = [Thread(target=self._work, daemon=True) for _ in range(size)]
        for thread in self._threads:
            thread.start()

    def add(self, objects: list[StoredObject]) -> None:
        if self._failure is not None:
            raise self._failure
        self._jobs.put(objects)

    def finish(self) -> None:
        self._stop()
        if self._failure is not None:
            raise self._failure

    def abandon(self) -> None:
        self._failure = self._failure or RuntimeError("abandoned")
        self._stop()

    def _stop(self) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _work(self) -> None:
        while (objects := self._jobs.get()) is not None:
            if self._failure is not None:
                continue  # keep draining the queue, so that `add` does not block for ever
            try:
                self._assembler.add(objects)
            except BaseException as error:  # noqa: BLE001 - re-raised in the caller
                self._failure = error
