"""The store: its directory layout, catalogue and objects, opened together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from clew.errors import NotAStore, StoreDamaged, StoreFull, StoreReadOnly
from clew.model.ids import CheckpointId, ObjectId, ObjectType
from clew.model.record import Record
from clew.monitor import Monitor
from clew.store import schema
from clew.store.checkpoints import Checkpoints
from clew.store.database import Database
from clew.store.drills import DrillRows
from clew.store.effects import EffectRows
from clew.store.failures import FailureRows
from clew.store.forks import ForkRows
from clew.store.index import Index
from clew.store.journal import Journal
from clew.store.layout import Layout
from clew.store.limits import DEFAULT, StoreLimits
from clew.store.locks import Locks
from clew.store.looks import Looks
from clew.store.pack_watch import PackWatch
from clew.store.reader import ObjectReader
from clew.store.session_scratch import SessionScratchFiles
from clew.store.sessions import SessionRows
from clew.store.settings import SettingRows
from clew.store.spool import Spool
from clew.store.stories import Stories
from clew.store.tasks import TaskRows
from clew.store.trail import Trails
from clew.store.transport import LocalTransport, Transport
from clew.store.verdicts import Verdicts
from clew.store.workspaces import Workspaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.verified import VerifiedObjects
    from clew.store.writer import ObjectWriter

_WORKING_FILES = 1 << 20
"""Bytes left free for the catalogue's working files when the disk is full."""


PURGING = "purging"
"""Meta key of an unfinished purge."""


class Store:
    """One open store: tables, objects, packs and locks."""

    def __init__(self, layout: Layout, uuid: str, database: Database, writable: bool) -> None:
        self.layout = layout
        self.uuid = uuid
        self.writable = writable
        self.database = database
        self.now_ns = database.now_ns
        self.transport: Transport = LocalTransport(layout.packs, layout.tmp)
        self.index = Index(database)
        self.pack_watch = PackWatch(layout, self.transport, database, writable)
        self.objects = ObjectReader(
            self.transport, self.index.locate, self.index.locate_many, self.pack_watch.report
        )
        self.locks = Locks(layout.locks, self._follow_catalogue)
        self.workspaces = Workspaces(database)
        self.checkpoints = Checkpoints(database)
        self.verdicts = Verdicts(database)
        self.drills = DrillRows(database)
        self.spool = Spool(layout)
        self.trails = Trails(database)
        self.journal = Journal(database)
        self.settings = SettingRows(database)
        self.stories = Stories(database)
        self.looks = Looks(database)
        self.failures = FailureRows(database)
        self.forks = ForkRows(database)
        self.sessions = SessionRows(database)
        self.tasks = TaskRows(database)
        self.effects = EffectRows(database)
        self.desks = SessionScratchFiles(layout.desks)

    @classmethod
    def open(
        cls,
        root: str,
        *,
        create: bool = False,
        now_ns: Callable[[], int] = time.time_ns,
        limits: StoreLimits = DEFAULT,
    ) -> Store:
        """Open the store at `root`; with `create`, create it first if it does not exist."""
        layout = Layout(os.path.abspath(root), limits)
        if create and not layout.exists():
            layout.create()
        uuid = layout.open()
        writable = os.access(layout.root, os.W_OK)
        if writable:
            layout.make_directories()
        writable = writable and layout.is_writable()
        if writable and os.path.exists(layout.new_catalog):
            from clew.store.replace_catalogue import finish_replacing

            with Locks(layout.locks).exclusive(Monitor()):
                finish_replacing(layout)
        if not os.path.exists(layout.catalog) and not writable:
            raise NotAStore(layout.root)
        missing = not os.path.exists(layout.catalog) or not os.path.getsize(layout.catalog)
        if missing and os.listdir(layout.packs):
            raise StoreDamaged(f"The catalogue is missing: {layout.catalog!r}")
        try:
            database = Database(layout.catalog, writable=writable, now_ns=now_ns, limits=limits)
        except StoreFull:
            # No space even for the catalogue's working files: release the reserve.
            if not layout.release_reserve():
                raise
            database = Database(layout.catalog, writable=writable, now_ns=now_ns, limits=limits)
            layout.refill_reserve(spare=_WORKING_FILES)
        store = cls(layout, uuid, database, writable)
        store.prepare()
        return store

    def open_again(self) -> Store:
        """Open the same store once more, with connections of its own."""
        return Store.open(self.layout.root, now_ns=self.now_ns, limits=self.layout.limits)

    def __reduce__(self) -> tuple[Callable[[str], Store], tuple[str]]:
        """Pickle the address: the process that unpickles it opens the store anew."""
        return Store.open, (self.layout.root,)

    @property
    def generation(self) -> int:
        """The generation number, which gc increments; caches of another generation are stale."""
        row = self.database.one("SELECT value FROM meta WHERE key = 'generation'")
        return int(row[0]) if row else 0

    @property
    def cache_owner(self) -> str:
        """The key that a cache of this store's trees is valid for.

        A cache with another key may name objects that no longer exist.
        """
        damage = self.pack_watch.stamp(self.pack_watch.damaged())
        return f"{self.uuid} {self.generation}" + (damage and f" {damage}")

    @property
    def is_purge_unfinished(self) -> bool:
        """Whether a purge was interrupted; cheap enough to check before every command."""
        return self.database.one("SELECT 1 FROM meta WHERE key = ?", (PURGING,)) is not None

    def require_writable(self) -> None:
        """Raise `StoreReadOnly` early, before work that could not be committed."""
        if not self.writable:
            raise StoreReadOnly(self.layout.root)

    @contextmanager
    def writing(self) -> Iterator[ObjectWriter]:
        """Yield a writer; its packs are removed if the body raises."""
        self.require_writable()
        from clew.store.claims import Claims  # imported lazily: only saves write
        from clew.store.writer import ObjectWriter

        writer = ObjectWriter(self.transport, self.verified().known, Claims())
        try:
            yield writer
        except BaseException:
            writer.abort()
            raise

    def commit(
        self, writer: ObjectWriter, record: Record, also: Callable[[CheckpointId], None]
    ) -> CheckpointId:
        """Commit `record` and everything it references: packs first, then one transaction."""
        identifier = CheckpointId(writer.put(ObjectType.RECORD, record.encode()))
        writer.finish()

        def add() -> None:
            self.checkpoints.add(identifier, record)
            also(identifier)

        self._commit(writer, add)
        return identifier

    def commit_objects(self, writer: ObjectWriter, also: Callable[[], None] | None = None) -> None:
        """Commit objects that no record references yet; gc removes them if none ever does.

        `also` writes the rows that reference them, in the same transaction.
        """
        if writer.packs or also is not None:
            self._commit(writer, also or (lambda: None))

    def _commit(self, writer: ObjectWriter, also: Callable[[], None]) -> None:
        try:
            with self.database.transaction():
                self.index.add(writer.packs, writer.rows, self.verified().is_intact)
                also()
                # The commit may have happened even if an exception is raised from here on.
                writer.may_be_committed = True
        except StoreFull:
            writer.may_be_committed = False
            raise
        self.mark_packs_committed(writer)

    def mark_packs_committed(self, writer: ObjectWriter) -> None:
        """Mark the writer's packs as committed; a leftover of a crash never gets the mark."""
        for pack in writer.packs:
            self.transport.settle(pack.name)
        self.pack_watch.record_written(pack.name for pack in writer.packs)

    def verified(self) -> VerifiedObjects:
        """Return a view of the stored objects that verifies their frames."""
        from clew.store.verified import VerifiedObjects

        return VerifiedObjects(self.transport, self.index, self.pack_watch.report)

    def size(self) -> int:
        """Return the size of the history on disk, without the reserve, copies and forks."""
        total = 0
        excluded = (self.layout.copies, self.layout.forks)
        for directory, folders, names in os.walk(self.layout.root):
            folders[:] = [one for one in folders if os.path.join(directory, one) not in excluded]
            for name in names:
                path = os.path.join(directory, name)
                if path != self.layout.reserve:
                    with suppress(FileNotFoundError):  # removed by another process
                        total += os.lstat(path).st_size
        return total

    def close(self) -> None:
        self.transport.close()
        if not self.writable:
            self.database.close()
            return
        with self.locks.try_shared() as is_locked:  # then no other process replaces the catalogue
            self.database.close(leave_log=not is_locked)

    def _follow_catalogue(self) -> None:
        """Reopen the catalogue if a rebuild in another process has replaced it."""
        if self.writable and self.database.is_replaced:
            self.database.reopen()
            self.forget_places()

    def forget_places(self) -> None:
        """Forget where objects are, after gc or a rebuild moved them."""
        self.index.forget()
        self.objects.forget()
        self.transport.close()

    def prepare(self) -> None:
        """Create the tables of a new catalogue, and those that an older one lacks."""
        row = self.database.one("PRAGMA user_version")
        version = row[0] if row else 0
        if version == schema.VERSION:
            return
        if version > schema.VERSION or version < 0 or not (version or self.writable):
            raise StoreDamaged(f"The catalogue has an unknown version: {self.layout.catalog!r}")
        if not self.writable:
            self.database.copy_to_memory()  # an older catalogue is not modified
        with self.database.transaction():
            row = self.database.one("PRAGMA user_version")
            version = row[0] if row else 0
            if version == 0:
                self.database.script(schema.ALL)
                self.database.execute("INSERT INTO meta VALUES ('generation', 1)")
                self.database.execute("INSERT INTO meta VALUES ('uuid', ?)", (self.uuid,))
            else:
                for number in range(version + 1, schema.VERSION + 1):
                    self.database.script(schema.ADDED[number])
            self.database.script(f"PRAGMA user_version = {schema.VERSION}")


class ChildObjects:
    """A child process's own connection to the store's objects, opened on first use."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._index: Index | None = None
        self._objects: ObjectReader | None = None
        self._verified: VerifiedObjects | None = None

    def known(self, identifiers: Iterable[ObjectId]) -> set[ObjectId]:
        """Return the `identifiers` that are stored intact."""
        if self._verified is None:
            from clew.store.verified import VerifiedObjects

            report = self._store.pack_watch.report
            self._verified = VerifiedObjects(self._store.transport, self._open()[0], report)
        return self._verified.known(identifiers)

    def get(self, identifier: ObjectId) -> bytes:
        return self._open()[1].get(identifier)

    def get_many(self, identifiers: Iterable[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        return self._open()[1].get_many(identifiers)

    def in_order(self, identifiers: Iterable[ObjectId]) -> list[ObjectId]:
        return self._open()[1].in_order(identifiers)

    def content(self, identifier: ObjectId, size: int) -> Iterator[bytes]:
        return self._open()[1].content(identifier, size)

    def _open(self) -> tuple[Index, ObjectReader]:
        if self._index is None or self._objects is None:
            database = Database(
                self._store.layout.catalog,
                writable=self._store.writable,
                now_ns=self._store.now_ns,
                limits=self._store.layout.limits,
            )
            self._index = Index(database)
            index, transport = self._index, self._store.transport
            report = self._store.pack_watch.report
            self._objects = ObjectReader(transport, index.locate, index.locate_many, report)
        return self._index, self._objects
