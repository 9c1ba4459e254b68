"""What verification commands said, keyed by the state they looked at."""

from __future__ import annotations

from clew.model.checkpoint import Verdict
from clew.model.ids import CheckpointId, StateId
from clew.store.database import Database, Row

VERDICT_COLUMNS = "v.command, v.exit_code, v.duration, v.output, v.time, v.place, v.state"


def verdict_of(row: Row) -> Verdict | None:
    """Return the verdict in columns `VERDICT_COLUMNS`, if there is one."""
    if row[0] is None:
        return None
    command, exit_code, duration, output, time_ns, place, state = row
    return Verdict(command, exit_code, duration, output, time_ns, place, StateId(state))


class Verdicts:
    """The rows of the verdicts table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, checkpoint: CheckpointId, verdict: Verdict) -> None:
        self._database.execute(
            "INSERT INTO verdicts (state, checkpoint, command, exit_code, duration, output, time,"
            " place) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                verdict.state,
                checkpoint,
                verdict.command,
                verdict.exit_code,
                verdict.duration_ns,
                verdict.output,
                verdict.time_ns,
                verdict.where,
            ),
        )
