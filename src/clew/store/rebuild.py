"""Rebuild: a new catalogue from the packs, for when the old one is damaged.

    annotations   the readable rows of the old catalogue, else the backup
    objects       every pack is read and verified, byte by byte
    checkpoints   those found in packs without a row are added

The intact objects of a damaged pack are copied to a new one, and the pack is moved to quarantine/, like
the old catalogue: a repair deletes nothing.  Lost objects have no row, so the next save stores them
again.  The new catalogue is created in `tmp/`, verified as a whole, and only then put in place
(`replace_catalogue.py`).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import groupby

from clew.errors import (
    ClewError,
    ObjectCorrupt,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
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
from clew.store.database import Database
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
    """Replace the catalogue by a new one, and check the store with it.

    This process must not have the store open, or hold its lock.
    """
    notes: list[str] = []
    try:
        uuid = layout.open()
    except StoreDamaged:
        uuid = ""
    if not layout.is_writable():
        raise StoreReadOnly(layout.root)
    layout.make_directories()
    locks = Locks(layout.locks)
    with locks.collecting(monitor), locks.exclusive(monitor):
        finish_replacing(layout)  # of an interrupted rebuild
        if not uuid:
            uuid = layout.repair_format(_catalogue_uuid(layout))
            notes.append("The format file was written again; the damaged one is in quarantine/")
        notes += with_reserve(layout, lambda: _Rebuild(layout, uuid, monitor).run())
        layout.refill_reserve()
    store = Store.open(layout.root, limits=layout.limits)
    try:
        with suppress(StoreError, OSError):  # the existing backup remains, and is checked next
            backup(store, monitor)
        result = check(store, False, monitor)
    finally:
        store.close()
    return result._replace(notes=(*notes, *result.notes), rebuilt=True)


def _catalogue_uuid(layout: Layout) -> str:
    """Return the uuid of the store that the catalogue states, or an empty text."""
    with suppress(StoreError, OSError):
        database = Database(layout.catalog, writable=False)
        try:
            row = database.one("SELECT value FROM meta WHERE key = 'uuid'")
        finally:
            database.close()
        return str(row[0]) if row else ""
    return ""


class _Rebuild:
    def __init__(self, layout: Layout, uuid: str, monitor: Monitor) -> None:
        self._layout = layout
        self._uuid = uuid
        self._monitor = monitor
        self._notes: list[str] = []
        self._damaged: list[str] = []
        self._named: list[str] = []
        """Packs named by the new catalogue, to be marked as committed when it is in place."""
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
        # A cache from the old catalogue may name lost objects, so it must not match the new one.
        generation = (salvaged.generation or int(time.time())) + 1
        store.database.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation,))
        names = [
            name
            for name in sorted(store.transport.names())
            if self._is_part_of_store(name, salvaged)
        ]
        for done, name in enumerate(names):
            self._monitor.progress("rebuild", done, len(names))
            self._add_pack(name)
        self._repair_records(salvaged)
        self._add_found_checkpoints()

    def _is_part_of_store(self, name: str, salvaged: Salvaged) -> bool:
        """Return whether a pack is part of the store, and not the leftover of a killed save.

        A fully readable catalogue decides: a pack it never named was never committed, and gc sweeps
        it.  Otherwise every pack counts.
        """
        if salvaged.packs is None or name in salvaged.packs:
            return True
        return self._store.transport.is_settled(name)

    # Objects

    def _add_pack(self, name: str) -> None:
        store = self._store
        rows, flaws = self._verified_rows(name)
        if flaws:
            if self._copy(name, rows):
                self._damaged.append(name)
                self._notes.append(f"packs/{name} is damaged in {flaws} places; set aside")
                return
            self._notes.append(
                f"packs/{name} is damaged in {flaws} places; not enough space to repair it"
            )
        with store.database.transaction():
            store.index.add([NewPack(name, store.transport.size(name))], rows)
        self._named.append(name)

    def _verified_rows(self, name: str) -> tuple[list[ObjectRow], int]:
        """Return the rows of the intact objects of a pack, and the number of damaged places."""
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
            for kind, identifier, position, length in part.frame.entries:
                if identifier in bad:
                    continue
                rows.append(ObjectRow(identifier, kind, name, part.offset, position, length))
                if kind == ObjectType.RECORD and not part.searched:
                    content = raw[position : position + length]
                    self._records[CheckpointId(identifier)] = content
        return rows, flaws

    def _copy(self, name: str, rows: list[ObjectRow]) -> bool:
        """Copy the intact objects of a damaged pack to a new one; return False if there is no space."""
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
        """Add rows of new packs, which are marked as committed when the catalogue is in place."""
        names = [pack.name for pack in writer.packs]
        self._written += names
        self._named += names
        with self._store.database.transaction():
            self._store.index.add(writer.packs, writer.rows)

    # Checkpoints

    def _repair_records(self, salvaged: Salvaged) -> None:
        """Handle checkpoints whose record is in no pack: store the record again, or mark them lost."""
        store = self._store
        writer = ObjectWriter(store.transport, store.index.known)
        lost: list[CheckpointId] = []
        rows = store.database.execute("SELECT id, record FROM checkpoints WHERE deleted IS NULL")
        for identifier, content in rows:
            record = _decoded(content or b"")
            if record is None or store.index.locate(identifier) is not None:
                continue
            if store.index.locate(record.tree) is not None:
                writer.put(ObjectType.RECORD, content)
            elif salvaged.is_old:
                # Deleted since the backup: not even its record is left.
                lost.append(identifier)
        writer.finish()
        self._commit(writer)
        if lost:
            with store.database.transaction():
                store.checkpoints.bury(lost, purge=False, rule=RetentionRule.LOST)
            self._notes.append(f"{len(lost)} checkpoints of the backup are gone")

    def _add_found_checkpoints(self) -> None:
        """Add checkpoints found only in packs, and make sure that every trail has an entry."""
        store = self._store
        found = [
            (identifier, _decoded(content))
            for identifier, content in self._records.items()
            if not store.checkpoints.is_known(identifier)
        ]
        unknown = [(identifier, record) for identifier, record in found if record is not None]
        with store.database.transaction():
            for identifier, record in sorted(unknown, key=lambda item: item[1].sequence):
                self._add_checkpoint(identifier, record)
            for info in store.workspaces.all():
                self._repair_trail(info.uuid)
        if unknown:
            self._notes.append(f"{len(unknown)} checkpoints were found in the packs")

    def _add_checkpoint(self, identifier: CheckpointId, record: Record) -> None:
        store = self._store
        if store.workspaces.get(record.workspace) is None:
            # Its path is unknown; `init --attach` binds it again.
            store.database.execute(
                "INSERT INTO workspaces (uuid, path, inode, machine, created)"
                " VALUES (?, x'', 0, ?, ?)",
                (record.workspace, int(self._is_machine(record)), self._store.now_ns()),
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

    def _repair_trail(self, workspace: bytes) -> None:
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
        old_catalogue = finish_replacing(layout)
        if old_catalogue is not None:
            self._notes.append(f"The old catalogue is quarantine/{old_catalogue}")
        for name in self._named:
            self._store.transport.settle(name)
        for name in self._damaged:
            os.rename(os.path.join(layout.packs, name), os.path.join(layout.quarantine, name))
        for name in os.listdir(layout.cache):
            _unlink(os.path.join(layout.cache, name))


def _decoded(content: bytes) -> Record | None:
    try:
        return Record.decode(content)
    except ValueError:
        return None


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
