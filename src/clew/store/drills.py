"""Drills table: the last restore drill of each checkpoint."""

from __future__ import annotations

from clew.model.drill import Drill, decode_differences
from clew.model.ids import CheckpointId
from clew.store.database import Database, Row

DRILL_COLUMNS = "d.time, d.outcome, d.differing, d.details"


def drill_of(row: Row) -> Drill | None:
    """Return the drill in columns `DRILL_COLUMNS`, if there is one."""
    time_ns, outcome, differing, details = row
    if time_ns is None:
        return None
    try:
        differences = decode_differences(details)
    except (ValueError, TypeError):
        differences = ()  # the count remains
    return Drill(time_ns, outcome, differing, differences)


class DrillRows:
    """The rows of the drills table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, checkpoint: CheckpointId, drill: Drill) -> None:
        """Store the drill of a checkpoint in place of its last one, unless it was deleted."""
        self._database.execute(
            "INSERT OR REPLACE INTO drills SELECT id, ?, ?, ?, ? FROM checkpoints"
            " WHERE id = ? AND deleted IS NULL",
            (
                drill.time_ns,
                drill.outcome,
                drill.differing_count,
                drill.encode_differences(),
                checkpoint,
            ),
        )

    def latest(self, workspace: bytes) -> CheckpointId | None:
        """Return the checkpoint of the workspace's last drill."""
        return self._first(workspace, "1")

    def latest_failed(self, workspace: bytes) -> CheckpointId | None:
        """Return the checkpoint of the last drill that failed and was not repeated with success."""
        return self._first(workspace, "d.outcome = 'failed'")

    def checkpoints(self, workspace: bytes) -> set[CheckpointId]:
        """Return the checkpoints of a workspace that were drilled."""
        rows = self._database.execute(
            "SELECT c.id FROM drills d JOIN checkpoints c ON c.id = d.checkpoint"
            " WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]) for row in rows}

    def _first(self, workspace: bytes, condition: str) -> CheckpointId | None:
        row = self._database.one(
            "SELECT c.id FROM drills d JOIN checkpoints c ON c.id = d.checkpoint"
            f" WHERE c.workspace = ? AND {condition} ORDER BY d.time DESC LIMIT 1",
            (workspace,),
        )
        return CheckpointId(row[0]) if row else None
