"""Verdicts table: results of verification commands, keyed by the verified state."""

from __future__ import annotations

from clew.model.ids import CheckpointId, StateId
from clew.model.verdict import Details, RunEnd, Verdict, Where
from clew.policy.labels import label
from clew.store.database import Database, Row

OWN_CHECK = """
(SELECT as_label(CAST(value AS TEXT)) FROM config
 WHERE key = 'verify' AND workspace IN (x'', c.workspace) ORDER BY length(workspace) DESC LIMIT 1)
"""
"""SQL for the verify setting of checkpoint `c`'s workspace, redacted as in verdicts."""

_IS_CONCLUSIVE = f"changed = 0 AND ended IN ('{RunEnd.EXITED}', '{RunEnd.TIMEOUT}')"

LATEST_VERDICT = f"""
SELECT id FROM verdicts WHERE state = c.state
ORDER BY place = '{Where.BY_HAND}' OR as_label(command) = ifnull({OWN_CHECK}, as_label(command)) DESC,
  {_IS_CONCLUSIVE} DESC, id DESC LIMIT 1
"""
"""SQL for the verdict shown for checkpoint `c`: its own check or a verdict noted by hand first,
conclusive ones first."""

_IS_FLAKY = f"""
(SELECT count(DISTINCT exit_code = 0) > 1 FROM verdicts o
 WHERE o.state = v.state AND o.command = v.command AND exit_code IS NOT NULL AND {_IS_CONCLUSIVE})
"""

VERDICT_COLUMNS = f"""
v.command, v.exit_code, v.duration, v.output, v.time, v.place, v.state, v.ended, v.changed,
v.details, {_IS_FLAKY}
"""


def verdict_of(row: Row) -> Verdict | None:
    """Return the verdict in columns `VERDICT_COLUMNS`, if there is one."""
    if row[0] is None:
        return None
    command, exit_code, duration, output, time_ns, place, state, ended, changed, details, flaky = (
        row
    )
    return Verdict(
        label(command), exit_code, duration, output, time_ns, place, StateId(state), ended, changed,
        Details.decode(details) if details else Details(), bool(flaky),
    )  # fmt: skip


class Verdicts:
    """The rows of the verdicts table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, checkpoint: CheckpointId, verdict: Verdict) -> None:
        self._database.execute(
            "INSERT INTO verdicts (state, checkpoint, command, exit_code, duration, output, time,"
            " place, ended, changed, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                verdict.state,
                checkpoint,
                label(verdict.command),
                verdict.exit_code,
                verdict.duration_ns,
                verdict.output,
                verdict.time_ns,
                verdict.ran_in,
                verdict.end_reason,
                verdict.changed_count,
                verdict.details.encode(),
            ),
        )

    def add_once(self, checkpoint: CheckpointId, verdict: Verdict) -> None:
        """Add a verdict unless it exists: another process may have added it from the spool.

        A verdict for a checkpoint that was deleted while the check ran is dropped.
        """
        with self._database.transaction():
            if self._database.one(
                "SELECT 1 FROM checkpoints WHERE id = ? AND deleted IS NOT NULL", (checkpoint,)
            ):
                return
            known = self._database.one(
                "SELECT 1 FROM verdicts WHERE state = ? AND checkpoint = ? AND command = ?"
                " AND time = ? AND place = ?",
                (verdict.state, checkpoint, verdict.command, verdict.time_ns, verdict.ran_in),
            )
            if known is None:
                self.add(checkpoint, verdict)

    def note(self, checkpoint: CheckpointId, state: StateId, verdict: Verdict | None) -> None:
        """Replace the verdict of a state that was noted by hand; None removes it."""
        with self._database.transaction():
            self._database.execute(
                "DELETE FROM verdicts WHERE state = ? AND place = ?", (state, Where.BY_HAND)
            )
            if verdict is not None:
                self.add(checkpoint, verdict)

    def checkpoints(self, workspace: bytes) -> set[CheckpointId]:
        """Return the checkpoints of a workspace that were verified, removed or not."""
        rows = self._database.execute(
            "SELECT DISTINCT v.checkpoint FROM verdicts v JOIN checkpoints c ON c.id = v.checkpoint"
            " WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]) for row in rows}

    def passed_in_workspace(self, workspace: bytes, command: str) -> CheckpointId | None:
        """Return the checkpoint on whose state a check passed last in the live workspace."""
        row = self._database.one(
            "SELECT c.id FROM verdicts v JOIN checkpoints c ON c.state = v.state"
            f" WHERE c.workspace = ?1 AND c.deleted IS NULL AND v.command = ?2 AND v.place = '{Where.WORKSPACE}'"
            f" AND v.exit_code = 0 AND v.ended = '{RunEnd.EXITED}' AND v.changed = 0 AND NOT {_IS_FLAKY}"
            " ORDER BY v.id DESC LIMIT 1",
            (workspace, command),
        )
        return None if row is None else CheckpointId(row[0])

    def of_state(self, state: StateId, command: str | None = None) -> list[Verdict]:
        """Return all verdicts of a state, of one command or of all, newest first."""
        rows = self._database.execute(
            f"SELECT {VERDICT_COLUMNS} FROM verdicts v WHERE v.state = ?1"
            " AND v.command = ifnull(?2, v.command) ORDER BY v.id DESC",
            (state, command),
        )
        return [found for row in rows if (found := verdict_of(row)) is not None]
