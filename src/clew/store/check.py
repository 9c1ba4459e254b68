"""Integrity check of a store.

    the format file and every page of the catalogue match their checksums
    every pack is complete from its header to its end; with `read_data`, so is every stored byte
    the index rebuilt from the packs agrees with the one in use
    every object that a checkpoint references exists
    no pack holds a checkpoint that the catalogue has lost
    every page of the graph databases matches its checksum
    the backup of the catalogue is an intact database

Nothing is changed, except that damaged packs are recorded: the next save stores again the objects it
still has.  Each damage names its place and the checkpoints that need the lost objects.
Packs may hold more objects than there are rows: deleted ones are removed by later collections.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

from clew.errors import ObjectCorrupt, StoreDamaged, StoreReadOnly
from clew.model.ids import CheckpointId, ObjectId, ObjectType, object_id, short
from clew.model.record import Record
from clew.model.results import CheckResult, Damage
from clew.monitor import Monitor
from clew.store.frame import read_payload, verify_payload
from clew.store.graphs import damaged_graphs
from clew.store.mark import Follow, ReachableObjects, Reference, follower
from clew.store.needs import Numbers, who_needs
from clew.store.new_database import whole_counts
from clew.store.pack_index import ObjectPlace, PackIndex
from clew.store.pages import damaged_pages
from clew.store.repack import Pack
from clew.store.store import Store
from clew.store.survey import Flaw, FoundFrame, survey
from clew.store.sweep import orphans, unknown_records

CATALOGUE = "catalog.db"
BACKUP = "backup/annotations.db"

_BACKUP_HINT = "the next hourly backup replaces it"
_MISMATCH = "stored bytes do not match their checksum"


def check(store: Store, read_data: bool, monitor: Monitor) -> CheckResult:
    """Check the store, and return the damages with the checkpoints they affect."""
    with store.locks.shared(monitor):
        return _Check(store, read_data, monitor).run()


class _Check:
    def __init__(self, store: Store, read_data: bool, monitor: Monitor) -> None:
        self._store = store
        self._read_data = read_data
        self._monitor = monitor
        self._findings = _Findings()
        self._notes: list[str] = []
        self._index = PackIndex()
        self._packs: dict[int, Pack] = {}
        self._flaws: dict[str, list[Flaw]] = {}
        self._records: list[tuple[CheckpointId, Record]] = []
        self._follow_strict = follower(store.objects.get)
        self._marks = ReachableObjects(self._follow)
        self._objects = 0
        self._read_bytes = 0

    def run(self) -> CheckResult:
        self._step("format", self._check_format)
        self._step(CATALOGUE, self._check_pages)
        # One snapshot of the catalogue, despite concurrent saves.
        self._store.database.execute("BEGIN")
        try:
            self._step(CATALOGUE, self._check_records)
            self._step(CATALOGUE, self._check_packs)
            self._step(CATALOGUE, self._check_reach)
            self._step(CATALOGUE, self._compare_index)
        finally:
            with suppress(StoreDamaged):  # an unreadable page may have ended it already
                self._store.database.execute("ROLLBACK")
        self._step(CATALOGUE, self._check_orphans)
        self._check_graphs()
        self._step(BACKUP, self._check_backup)
        self._note_quarantine()
        return CheckResult(
            self._findings.damages(self._records, self._follow),
            tuple(self._notes),
            len(self._packs),
            self._objects,
            len(self._records),
            self._read_bytes,
        )

    def _step(self, where: str, step: Callable[[], None]) -> None:
        """Run a step; if damage prevents its completion, record the damage."""
        try:
            step()
        except StoreDamaged as error:
            self._findings.add(where, str(error))

    def _check_format(self) -> None:
        self._store.layout.open()

    def _check_pages(self) -> None:
        if self._store.writable:  # so that the newest pages are checked
            self._store.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for number in damaged_pages(self._store.layout.catalog):
            self._findings.add(f"{CATALOGUE}, page {number}", "does not match its checksum")
        for (text,) in self._store.database.execute("PRAGMA integrity_check(20)"):
            if text != "ok":
                self._findings.add(CATALOGUE, text)

    def _check_records(self) -> None:
        rows = self._store.database.stream(
            "SELECT id, workspace, sequence, time, parent, state, origin, record FROM checkpoints"
            " WHERE deleted IS NULL"
        )
        for identifier, *columns, content in rows:
            try:
                record = Record.decode(content or b"")
            except ValueError as error:
                self._findings.add(_record_place(identifier), str(error))
                continue
            expected = [
                record.workspace,
                record.sequence,
                record.time_ns,
                record.parent,
                record.state,
            ]
            if object_id(ObjectType.RECORD, content) != identifier or columns != [
                *expected,
                record.origin,
            ]:
                self._findings.add(_record_place(identifier), "is not what was saved")
            self._records.append((identifier, record))

    def _check_packs(self) -> None:
        rows = self._store.database.execute("SELECT id, name, bytes FROM packs ORDER BY id")
        self._packs = {row[0]: Pack(*row) for row in rows}
        for done, pack in enumerate(self._packs.values()):
            self._monitor.progress("check", done, len(self._packs), self._read_bytes)
            self._check_pack(pack)

    def _check_pack(self, pack: Pack) -> None:
        for part in survey(self._store.transport, pack.name):
            if isinstance(part, Flaw):
                self._flaws.setdefault(pack.name, []).append(part)
                self._store.pack_watch.report(pack.name, part.start)
                self._findings.add(_place(pack.name, part.start), part.what)
                continue
            self._index.add(pack.number, part.offset, part.frame.entries)
            self._read_bytes += part.frame.payload_offset - part.offset
            for place in part.frame.entries:
                if place.kind == ObjectType.RECORD:
                    self._require_known(pack.name, part.offset, CheckpointId(place.identifier))
            if self._read_data:
                self._check_payload(pack, part)
        if pack.name not in self._flaws:
            if self._store.transport.size(pack.name) != pack.size:
                self._findings.add(f"packs/{pack.name}", "the length of the pack has changed")

    def _require_known(self, name: str, offset: int, identifier: CheckpointId) -> None:
        if not self._store.checkpoints.is_known(identifier):
            what = f"holds checkpoint {short(identifier)}, which the catalogue has lost"
            self._findings.add(_place(name, offset), what)

    def _check_payload(self, pack: Pack, part: FoundFrame) -> None:
        frame = part.frame
        self._read_bytes += frame.stored_length
        try:
            raw = read_payload(self._store.transport, pack.name, frame)
        except ObjectCorrupt:
            bad = [place.identifier for place in frame.entries]
        else:
            bad = verify_payload(raw, frame)
        if bad:
            self._store.pack_watch.report(pack.name, part.offset)
            self._findings.add(_place(pack.name, part.offset), _MISMATCH, bad)

    def _check_reach(self) -> None:
        for done, (identifier, record) in enumerate(self._records):
            self._monitor.progress("mark", done, len(self._records))
            self._marks.add(identifier, record)

    def _follow(self, kind: int, identifier: ObjectId) -> list[Reference]:
        """List the references of an object; none if it cannot be read."""
        try:
            return self._follow_strict(kind, identifier)
        except StoreDamaged as error:
            place = self._store.index.locate(identifier)
            # An object without a row is reported as missing later.
            if place is not None and not self._attribute_to_flaw(
                place.pack, place.frame, identifier
            ):
                what = _MISMATCH if isinstance(error, ObjectCorrupt) else str(error)
                self._findings.add(_place(place.pack, place.frame), what, [identifier])
            return []

    def _attribute_to_flaw(self, name: str, frame: int, identifier: ObjectId) -> bool:
        """Attribute the loss of an object to a known flaw of its pack; return whether there is one."""
        flaws = self._flaws.get(name, [])
        covering = [flaw for flaw in flaws if flaw.start <= frame < flaw.end]
        for flaw in (*covering, *flaws[-1:]):
            self._findings.add(_place(name, flaw.start), flaw.what, [identifier])
            return True
        return False

    def _compare_index(self) -> None:
        live = self._marks.objects
        found = 0
        for rows, held in self._index.compare_with(self._store.database):
            self._objects += len(rows)
            for row in rows:
                found += row.identifier in live
                if row not in held:
                    self._add_wrong_row(row)
        if found != len(live):
            self._add_missing()

    def _add_wrong_row(self, row: ObjectPlace) -> None:
        pack = self._packs.get(row.pack)
        name = f"packs/{pack.name}" if pack is not None else "a pack that it does not name"
        if pack is None or not self._attribute_to_flaw(pack.name, row.frame, row.identifier):
            where = f"{CATALOGUE}, objects in {name}"
            self._findings.add(where, "rows point where no such object is", [row.identifier])

    def _add_missing(self) -> None:
        wanted = sorted(self._marks.objects)
        known = self._store.index.known(wanted)
        for identifier in wanted:
            if identifier not in known:
                if self._index.holds(identifier):
                    where, what = f"{CATALOGUE}, objects", "objects that packs hold have no row"
                else:
                    where, what = "packs", "objects are missing"
                self._findings.add(where, what, [identifier])

    def _check_orphans(self) -> None:
        """Check packs without a row: of a running save, an interrupted one, or lost by the catalogue."""
        leftovers = 0
        for name in orphans(self._store):
            try:
                lost = self._store.transport.is_settled(name)
                records = unknown_records(self._store, name) if lost else []
            except FileNotFoundError:  # removed by a save that just failed
                continue
            leftovers += not records
            for identifier in records:
                self._require_known(name, 0, identifier)
        if leftovers:
            self._notes.append(f"{leftovers} packs are not in use; a collection sweeps them")

    def _check_graphs(self) -> None:
        for name, number in damaged_graphs(self._store.layout):
            self._findings.add(f"graphs/{name}, page {number}", "does not match its checksum")

    def _check_backup(self) -> None:
        layout = self._store.layout
        if not os.path.exists(layout.backup):
            if self._records:
                self._notes.append("There is no backup of the catalogue; the next save writes one")
            return
        try:
            tables = whole_counts(layout.backup)
        except (StoreDamaged, StoreReadOnly) as error:
            self._findings.add(BACKUP, f"{error} ({_BACKUP_HINT})")
            return
        if not {"checkpoints", "labels"} <= tables.keys():
            self._findings.add(BACKUP, f"tables are missing ({_BACKUP_HINT})")

    def _note_quarantine(self) -> None:
        layout = self._store.layout
        quarantined = os.listdir(layout.quarantine) if os.path.isdir(layout.quarantine) else []
        if quarantined:
            self._notes.append(
                f"{len(quarantined)} files were set aside in quarantine/ by a repair"
            )


class _Findings:
    """Damages in the order they were found, one per place."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, set[ObjectId]]] = {}

    def add(self, where: str, what: str, objects: Iterable[ObjectId] = ()) -> None:
        """Add a damage, or more objects to the known damage at this place."""
        self._found.setdefault(where, (what, set()))[1].update(objects)

    def damages(
        self, records: Iterable[tuple[CheckpointId, Record]], follow: Follow
    ) -> tuple[Damage, ...]:
        """Return all damages, with the checkpoints that need the damaged objects."""
        wanted: dict[ObjectId, Numbers] = {}
        for number, (_, objects) in enumerate(self._found.values()):
            for identifier in objects:
                wanted[identifier] = wanted.get(identifier, frozenset()) | {number}
        needing = who_needs(records, wanted, follow).checkpoints if wanted else {}
        return tuple(
            Damage(where, what, tuple(map(short, needing.get(number, ()))))
            for number, (where, (what, _)) in enumerate(self._found.items())
        )


def _place(name: str, offset: int) -> str:
    return f"packs/{name} at {offset}" if offset else f"packs/{name}"


def _record_place(identifier: CheckpointId) -> str:
    return f"{CATALOGUE}, checkpoint {short(identifier)}"
