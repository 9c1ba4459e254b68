"""Rebuilding: a new catalogue out of the packs, for when the old one cannot be trusted.

    annotations   whatever the old catalogue still gives, else the backup
    objects       every pack is read and proved, byte by byte
    checkpoints   those in the packs of which nobody knows are brought back

A pack with damage is copied without it and set aside in quarantine/, like the old catalogue: a
repair deletes nothing.  What was lost has no row afterwards, so the next save stores it again.
The new catalogue is made in `tmp/`, verified as a whole, and only then put in place
(`replacing.py`).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import groupby

from clew.errors import ClewError, ObjectCorrupt, StoreError, StoreFull, StoreReadOnly
from clew.model.checkpoint import Labels
from clew.model.ids import CheckpointId, ObjectType, short
from clew.model.record import Origin, Record
from clew.model.reference import UNNAMED
from clew.model.results import CheckResult
from clew.model.retention import RetentionRule
from clew.model.small_objects import Rules
from clew.monitor import Monitor
from clew.store.backup import backup
from clew.store.check import check
from clew.store.frame import read_frame, read_payload, verify_payload
from clew.store.layout import Layout
from clew.store.locks import Locks
from clew.store.new_database import new_database, remove_database
from clew.store.purge import begin_purge
from clew.store.replace_catalogue import begin_replacing, finish_replacing, is_replacing
from clew.store.reserve import with_reserve
from clew.store.salvage import Salvaged, salvage
from clew.store.store import Store
from clew.store.survey import Flaw, survey
from clew.store.writer import NewPack, ObjectRow, ObjectWriter


def rebuild(layout: Layout, monitor: Monitor) -> CheckResult:
    """Put a new catalogue in place of the old one, and check the store with it.

    Nobody may hold the store open, or its lock, in this process.
    """
    uuid = layout.open()
    if not layout.is_writable():
        raise StoreReadOnly(layout.root)
    layout.make_directories()  # those that are missing
    locks = Locks(layout.locks)
    with locks.collecting(monitor), locks.exclusive(monitor):
        finish_replacing(layout)  # of a rebuild that was cut short
        notes = with_reserve(layout, lambda: _Rebuilding(layout, uuid, monitor).run())
        layout.refill_reserve()
    store = Store.open(layout.root)
    try:
        with suppress(StoreError, OSError):  # the one that is there stays, and is checked next
            backup(store, monitor)
        result = check(store, False, monitor)
    finally:
        store.close()
    return result._replace(notes=(*notes, *result.notes), rebuilt=True)


class _Rebuilding:
    def __init__(self, layout: Layout, uuid: str, monitor: Monitor) -> None:
        self._layout = layout
        self._uuid = uuid
        self._monitor = monitor
        self._notes: list[str] = []
        self._damaged: list[str] = []
        self._named: list[str] = []
        """Packs that the new catalogue names: they are told so when it is in place."""
        self._written: list[str] = []
        self._records: dict[CheckpointId, bytes] = {}

    def run(self) -> list[str]:
        path = os.path.join(self._layout.tmp, f"catalog-{os.urandom(8).hex()}.db")
        try:
            with new_database(path) as database:
                self._store = Store(self._layout, self._uuid, database, writable=True)
                try:
                    self._fill()
                finally:
                    self._store.transport.close()
            begin_replacing(self._layout, path)
        except BaseException:
            remove_database(path)
            if not is_replacing(self._layout):
                for name in self._written:
                    self._store.transport.remove(name)
            raise
        self._put_in_place()
        return self._notes

    def _fill(self) -> None:
        store = self._store
        store.prepare()
        salvaged = salvage(self._layout, store.database)
        self._notes += salvaged.notes
        if salvaged.purging:
            begin_purge(store)
        # A cache made under the old catalogue may name what is gone, so it must not fit the new one.
        generation = (salvaged.generation or int(time.time())) + 1
        store.database.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation,))
        names = [name for name in sorted(store.transport.names()) if self._counts(name, salvaged)]
        for done, name in enumerate(names):
            self._monitor.progress("rebuild", done, len(names))
            self._add_pack(name)
        self._mend_records(salvaged)
        self._bring_back()

    def _counts(self, name: str, salvaged: Salvaged) -> bool:
        """Tell whether a pack is part of the store, and not the left-over of a save that was killed.

        A catalogue that could be read whole says which; what it never named was never acknowledged,
        and a collection sweeps it.  Otherwise every pack counts.
        """
        if salvaged.packs is None or name in salvaged.packs:
            return True
        return self._store.transport.is_settled(name)

    # Objects

    def _add_pack(self, name: str) -> None:
        store = self._store
        rows, flaws = self._proved(name)
        if flaws:
            if self._copy(name, rows):
                self._damaged.append(name)
                self._notes.append(f"packs/{name} is damaged in {flaws} places; set aside")
                return
            self._notes.append(f"packs/{name} is damaged in {flaws} places; no room to mend it")
        with store.database.transaction():
            store.index.add([NewPack(name, store.transport.size(name))], rows)
        self._named.append(name)

    def _proved(self, name: str) -> tuple[list[ObjectRow], int]:
        """Return what of a pack is as it was, and the number of places that are not."""
        rows: list[ObjectRow] = []
        flaws = 0
        transport = self._store.transport
        for part in survey(transport, name):
            if isinstance(part, Flaw):
                flaws += 1
                continue
            try:
                raw = read_payload(transport, name, part.frame)
            except ObjectCorrupt:
                flaws += 1
                continue
            bad = set(verify_payload(raw, part.frame))
            flaws += bool(bad)
            for kind, identifier, position, length in part.frame.places:
                if identifier in bad:
                    continue
                rows.append(ObjectRow(identifier, kind, name, part.offset, position, length))
                if kind == ObjectType.RECORD and not part.searched:
                    content = raw[position : position + length]
                    self._records[CheckpointId(identifier)] = content
        return rows, flaws

    def _copy(self, name: str, rows: list[ObjectRow]) -> bool:
        """Copy what is good of a damaged pack into a new one, if there is room."""
        store = self._store
        writer = ObjectWriter(store.transport, store.index.known)
        try:
            for offset, group in groupby(rows, key=lambda row: row.frame):
                raw = read_payload(store.transport, name, read_frame(store.transport, name, offset))
                for row in group:
                    writer.put(row.kind, raw[row.position : row.position + row.length])
            writer.finish()
        except StoreFull:
            writer.abort()
            return False
        self._commit(writer)
        return True

    def _commit(self, writer: ObjectWriter) -> None:
        """Add rows of new packs; nobody is told of them before the catalogue is in place."""
        names = [pack.name for pack in writer.packs]
        self._written += names
        self._named += names
        with self._store.database.transaction():
            self._store.index.add(writer.packs, writer.rows)

    # Checkpoints

    def _mend_records(self, salvaged: Salvaged) -> None:
        """See to checkpoints whose record is in no pack."""
        store = self._store
        writer = ObjectWriter(store.transport, store.index.known)
        buried: list[CheckpointId] = []
        rows = store.database.execute("SELECT id, record FROM checkpoints WHERE deleted IS NULL")
        for identifier, content in rows:
            record = _decoded(content or b"")
            if record is None or store.index.locate(identifier) is not None:
                continue
            if store.index.locate(record.tree) is not None:
                writer.put(ObjectType.RECORD, content)
            elif salvaged.is_old:
                # Deleted since the backup was made: not even its record is left.
                buried.append(identifier)
        writer.finish()
        self._commit(writer)
        if buried:
            with store.database.transaction():
                store.checkpoints.bury(buried, purge=False, rule=RetentionRule.LOST)
            self._notes.append(f"{len(buried)} checkpoints of the backup are gone")

    def _bring_back(self) -> None:
        """Add the checkpoints that only the packs know, and make every trail lead somewhere."""
        store = self._store
        found = [
            (identifier, _decoded(content))
            for identifier, content in self._records.items()
            if not store.checkpoints.is_known(identifier)
        ]
        strangers = [(identifier, record) for identifier, record in found if record is not None]
        with store.database.transaction():
            for identifier, record in sorted(strangers, key=lambda item: item[1].sequence):
                self._add_checkpoint(identifier, record)
            for info in store.workspaces.all():
                self._mend_trail(info.uuid)
        if strangers:
            self._notes.append(f"{len(strangers)} checkpoints were found in the packs")

    def _add_checkpoint(self, identifier: CheckpointId, record: Record) -> None:
        store = self._store
        if store.workspaces.get(record.workspace) is None:
            # Nobody knows where it was: it is found again with `init --attach`.
            store.database.execute(
                "INSERT INTO workspaces (uuid, path, inode, machine, created)"
                " VALUES (?, x'', 0, ?, ?)",
                (record.workspace, int(self._is_machine(record)), time.time_ns()),
            )
            self._notes.append(f"Workspace {record.workspace.hex()} has lost its path")
        store.checkpoints.add(identifier, record)
        store.checkpoints.label(identifier, Labels(name=f"{UNNAMED}{record.sequence}"))
        if record.origin != Origin.RESCUE:
            store.trails.append(record.workspace, [identifier])

    def _is_machine(self, record: Record) -> bool:
        try:
            return Rules.decode(self._store.objects.get(record.rules)).machine
        except (ClewError, ValueError):
            return False

    def _mend_trail(self, workspace: bytes) -> None:
        store = self._store
        if store.trails.here(workspace) is not None:
            return
        newest = next(store.checkpoints.newest_first(workspace), None)
        if newest is not None:
            store.trails.append(workspace, [newest.id])
            self._notes.append(f"The trail was lost; here is {short(newest.id)} now")

    # Files

    def _put_in_place(self) -> None:
        layout = self._layout
        aside = finish_replacing(layout)
        if aside is not None:
            self._notes.append(f"The old catalogue is quarantine/{aside}")
        for name in self._named:
            self._store.transport.settle(name)
        for name in self._damaged:
            os.rename(os.path.join(layout.packs, name), os.path.join(layout.quarantine, name))
        for name in os.listdir(layout.cache):
            _forget(os.path.join(layout.cache, name))


def _decoded(content: bytes) -> Record | None:
    try:
        return Record.decode(content)
    except ValueError:
        return None


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
