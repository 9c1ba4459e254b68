"""Looks table: what running database servers said after a checkpoint was taken."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.database_look import DatabaseLook


class Looks:
    """The rows of the looks table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, checkpoint: CheckpointId) -> DatabaseLook | None:
        """Return the look of a checkpoint; None if there is none or it cannot be read."""
        row = self._database.one(
            "SELECT time, content FROM looks WHERE checkpoint = ?", (checkpoint,)
        )
        if row is None:
            return None
        from clew.model.database_look import DatabaseLook  # most checkpoints have none

        try:
            return DatabaseLook.decode(row[0], row[1])
        except ValueError:
            return None

    def put(self, checkpoint: CheckpointId, look: DatabaseLook) -> None:
        """Store the look of a checkpoint, unless it has one or was deleted."""
        self._database.execute(
            "INSERT OR IGNORE INTO looks SELECT id, ?, ? FROM checkpoints"
            " WHERE id = ? AND deleted IS NULL",
            (look.time_ns, look.encode(), checkpoint),
        )
