"""Checkpoints table: timelines, labels and tombstones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.errors import StoreDamaged
from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.ids import CheckpointId, StateId
from clew.model.record import Origin, Record
from clew.model.retention import RetentionRule, Tombstone
from clew.model.verdict import Where
from clew.policy.labels import label, labels_of, meta_labels, stored_meta
from clew.store.database import Database, Row
from clew.store.drills import DRILL_COLUMNS, drill_of
from clew.store.verdicts import LATEST_VERDICT, OWN_CHECK, VERDICT_COLUMNS, verdict_of

_COLUMNS = f"""
SELECT c.id, c.record, l.intent, l.name, l.named, l.description, l.pinned,
  n.added, n.modified, n.deleted, n.renamed, n.metadata, {DRILL_COLUMNS}, {VERDICT_COLUMNS}
FROM checkpoints c
LEFT JOIN labels l ON l.checkpoint = c.id
LEFT JOIN counts n ON n.checkpoint = c.id
LEFT JOIN drills d ON d.checkpoint = c.id
LEFT JOIN verdicts v ON v.id = ({LATEST_VERDICT})
WHERE c.deleted IS NULL
"""

_TOMBSTONES = """
SELECT id, sequence, time, parent, deleted, rule FROM checkpoints WHERE deleted IS NOT NULL
"""


class Checkpoints:
    """The timeline of every workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, identifier: CheckpointId, record: Record) -> None:
        """Add a record's row; inside the transaction that commits it."""
        self._database.execute(
            "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            (
                identifier,
                record.workspace,
                record.sequence,
                record.time_ns,
                record.parent,
                record.state,
                record.origin,
                record.encode(),
            ),
        )
        self._database.execute(
            "UPDATE workspaces SET sequence = max(sequence, ?) WHERE uuid = ?",
            (record.sequence, record.workspace),
        )

    def get(self, identifier: CheckpointId) -> Checkpoint | None:
        row = self._database.one(_COLUMNS + " AND c.id = ?", (identifier,))
        return self._checkpoint(row) if row else None

    def newest_first(
        self, workspace: bytes, before: int | None = None, page: int = 256
    ) -> Iterator[Checkpoint]:
        """Yield a workspace's timeline, newest first."""
        upper = before if before is not None else 1 << 62
        while True:
            rows = self._database.execute(
                _COLUMNS + " AND c.workspace = ? AND c.sequence < ?"
                " ORDER BY c.sequence DESC LIMIT ?",
                (workspace, upper, page),
            )
            for row in rows:
                checkpoint = self._checkpoint(row)
                upper = checkpoint.record.sequence
                yield checkpoint
            if len(rows) < page:
                return

    def named(self, workspace: bytes, name: str) -> list[Checkpoint]:
        rows = self._database.execute(
            _COLUMNS + " AND c.workspace = ? AND l.name = ? ORDER BY c.sequence DESC",
            (workspace, name),
        )
        return [self._checkpoint(row) for row in rows]

    def with_prefix(self, workspace: bytes, digits: str) -> list[Checkpoint]:
        """Return the checkpoints whose id begins with some hexadecimal digits."""
        low, high = _id_range(digits)
        rows = self._database.execute(
            _COLUMNS + " AND c.workspace = ? AND c.id BETWEEN ? AND ? ORDER BY c.sequence DESC",
            (workspace, low, high),
        )
        return [self._checkpoint(row) for row in rows]

    def latest(self, workspace: bytes, at_or_before_ns: int | None = None) -> Checkpoint | None:
        """Return the newest checkpoint that is not a rescue, optionally not later than a time."""
        until = at_or_before_ns if at_or_before_ns is not None else (1 << 63) - 1
        row = self._database.one(
            _COLUMNS + " AND c.workspace = ? AND c.origin <> ? AND c.time <= ?"
            " ORDER BY c.sequence DESC LIMIT 1",
            (workspace, Origin.RESCUE, until),
        )
        return self._checkpoint(row) if row else None

    def latest_passing(self, workspace: bytes) -> Checkpoint | None:
        """Return the newest checkpoint that passes the workspace's own check, or any if it has none.

        A verdict noted by hand counts like the own check.
        """
        rows = self._database.stream(
            _COLUMNS + " AND c.workspace = ? AND v.exit_code = 0 AND v.changed = 0"
            f" AND (v.place = '{Where.BY_HAND}'"
            f" OR as_label(v.command) = ifnull({OWN_CHECK}, as_label(v.command)))"
            " ORDER BY c.sequence DESC",
            (workspace,),
        )
        for row in rows:
            checkpoint = self._checkpoint(row)
            if checkpoint.verdict is not None and checkpoint.verdict.is_good:
                return checkpoint
        return None

    def parent(self, identifier: CheckpointId) -> CheckpointId | None:
        """Return the parent of a checkpoint, deleted or not."""
        row = self._database.one("SELECT parent FROM checkpoints WHERE id = ?", (identifier,))
        return CheckpointId(row[0]) if row and row[0] else None

    def surviving(self, identifier: CheckpointId | None) -> tuple[CheckpointId | None, int]:
        """Return the nearest ancestor (or itself) that was not deleted, and how many were skipped."""
        skipped = 0
        while identifier is not None:
            row = self._database.one(
                "SELECT parent, deleted FROM checkpoints WHERE id = ?", (identifier,)
            )
            if row is None:
                return None, skipped
            if row[1] is None:
                return identifier, skipped
            identifier = CheckpointId(row[0]) if row[0] else None
            skipped += 1
        return None, skipped

    # Tombstones

    def tombstone(self, identifier: CheckpointId) -> Tombstone | None:
        """Return the tombstone of a checkpoint; None if it was not removed."""
        row = self._database.one(_TOMBSTONES + " AND id = ?", (identifier,))
        return Tombstone(*row) if row else None

    def tombstones(self, workspace: bytes, digits: str) -> list[Tombstone]:
        """Return the removed checkpoints whose id begins with some hexadecimal digits."""
        low, high = _id_range(digits)
        rows = self._database.execute(
            _TOMBSTONES + " AND workspace = ? AND id BETWEEN ? AND ? ORDER BY sequence DESC",
            (workspace, low, high),
        )
        return [Tombstone(*row) for row in rows]

    def tombstone_of_sequence(self, workspace: bytes, sequence: int) -> Tombstone | None:
        """Return the removed checkpoint with this sequence number."""
        row = self._database.one(
            _TOMBSTONES + " AND workspace = ? AND sequence = ?", (workspace, sequence)
        )
        return Tombstone(*row) if row else None

    def tombstone_since(self, workspace: bytes, sequence: int, until_ns: int) -> Tombstone | None:
        """Return the newest removed checkpoint after a sequence number and not later than a time."""
        row = self._database.one(
            _TOMBSTONES + " AND workspace = ? AND sequence > ? AND time <= ? AND origin <> ?"
            " ORDER BY sequence DESC LIMIT 1",
            (workspace, sequence, until_ns, Origin.RESCUE),
        )
        return Tombstone(*row) if row else None

    def times(self, workspace: bytes) -> list[tuple[int, int]]:
        """Return sequence and time of every checkpoint, deleted or not, oldest first."""
        rows = self._database.execute(
            "SELECT sequence, time FROM checkpoints WHERE workspace = ? ORDER BY sequence",
            (workspace,),
        )
        return [(row[0], row[1]) for row in rows]

    def nearest(self, workspace: bytes, gone: Tombstone) -> CheckpointId | None:
        """Return the nearest remaining checkpoint: an ancestor, else the next newer one."""
        found, _ = self.surviving(gone.parent)
        if found is not None:
            return found
        row = self._database.one(
            "SELECT id FROM checkpoints WHERE workspace = ? AND deleted IS NULL AND sequence > ?"
            " ORDER BY sequence LIMIT 1",
            (workspace, gone.sequence),
        )
        return CheckpointId(row[0]) if row else None

    def live_records(self) -> list[tuple[CheckpointId, Record]]:
        """Return the records of all workspaces that were not deleted."""
        rows = self._database.execute("SELECT id, record FROM checkpoints WHERE deleted IS NULL")
        return [(CheckpointId(row[0]), _record(row[1])) for row in rows]

    def is_known(self, identifier: CheckpointId) -> bool:
        """Return whether the checkpoint has a row, deleted or not."""
        return bool(self._database.one("SELECT 1 FROM checkpoints WHERE id = ?", (identifier,)))

    def holds_state_elsewhere(self, state: StateId, workspace: bytes) -> bool:
        """Return whether a checkpoint of another workspace has a state."""
        return bool(
            self._database.one(
                "SELECT 1 FROM checkpoints WHERE state = ? AND workspace <> ? AND deleted IS NULL"
                " LIMIT 1",
                (state, workspace),
            )
        )

    def count(self, workspace: bytes | None = None) -> int:
        sql = "SELECT count(*) FROM checkpoints WHERE deleted IS NULL"
        row = (
            self._database.one(sql)
            if workspace is None
            else self._database.one(sql + " AND workspace = ?", (workspace,))
        )
        return int(row[0]) if row else 0

    def label(self, identifier: CheckpointId, labels: Labels) -> None:
        """Write all labels of a checkpoint, redacted; inside a transaction."""
        labels = _redacted(labels)
        self._database.execute(
            "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?)",
            (
                identifier,
                labels.intent,
                labels.name,
                int(labels.named),
                labels.description,
                int(labels.pinned),
            ),
        )
        self._database.execute("DELETE FROM meta_values WHERE checkpoint = ?", (identifier,))
        self._database.execute_many(
            "INSERT INTO meta_values VALUES (?, ?, ?)",
            [(identifier, key, value) for key, value in stored_meta(labels)],
        )

    def set_counts(self, identifier: CheckpointId, counts: ChangeCounts) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, ?, ?)", (identifier, *counts)
        )

    def bury(
        self, identifiers: Sequence[CheckpointId], *, purge: bool, rule: str = RetentionRule.DELETE
    ) -> None:
        """Turn checkpoints into tombstones that record the rule; inside a transaction."""
        now = self._database.now_ns()
        for identifier in identifiers:
            self._database.execute(
                "UPDATE checkpoints SET deleted = ?, record = NULL, rule = ? WHERE id = ?",
                (now, rule, identifier),
            )
            for table in (
                "labels",
                "meta_values",
                "counts",
                "stories",
                "drills",
                "failures",
                "looks",
            ):
                self._database.execute(f"DELETE FROM {table} WHERE checkpoint = ?", (identifier,))
            if purge:
                self._database.execute("DELETE FROM verdicts WHERE checkpoint = ?", (identifier,))

    def _checkpoint(self, row: Row) -> Checkpoint:
        identifier = CheckpointId(row[0])
        meta = self._database.execute(
            "SELECT key, value FROM meta_values WHERE checkpoint = ? ORDER BY key", (identifier,)
        )
        labels = Labels(row[2] or "", row[3] or "", bool(row[4]), row[5] or "", bool(row[6]))
        labels = labels_of(labels, ((key, value) for key, value in meta))
        labels = _redacted(labels)  # an older clew may have stored secrets it did not recognize
        counts = ChangeCounts(*row[7:12]) if row[7] is not None else None
        return Checkpoint(
            identifier, _record(row[1]), labels, counts, verdict_of(row[16:]),
            drill=drill_of(row[12:16]),
        )  # fmt: skip


def _redacted(labels: Labels) -> Labels:
    return labels._replace(
        intent=label(labels.intent),
        name=label(labels.name) if labels.named else labels.name,
        description=label(labels.description),
        meta=meta_labels(labels.meta),
        notes=tuple(label(note) for note in labels.notes),
        prompt=label(labels.prompt) if labels.prompt else "",
    )


def _id_range(digits: str) -> tuple[bytes, bytes]:
    """Return the lowest and the highest id that begin with some hexadecimal digits."""
    return bytes.fromhex((digits + "0" * 64)[:64]), bytes.fromhex((digits + "f" * 64)[:64])


def _record(content: bytes | None) -> Record:
    try:
        return Record.decode(content or b"")
    except ValueError as error:
        raise StoreDamaged(f"A record in the catalogue cannot be read: {error}") from error
