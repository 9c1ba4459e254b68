"""Failures table: tool calls of agents that failed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from clew.model.failed_call import FailedCall
from clew.model.ids import CheckpointId
from clew.policy.labels import label
from clew.store.database import Database


class FailureRows:
    """The rows of the failures table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, workspace: bytes, failures: Iterable[FailedCall]) -> None:
        """Add failed calls in the order in which they failed."""
        with self._database.transaction():
            self._database.execute_many(
                "INSERT INTO failures (workspace, session, before, checkpoint, call, reason, time)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (workspace, one.session, one.before, one.checkpoint,
                     label(one.call), label(one.reason), one.time_ns)
                    for one in failures
                ],
            )  # fmt: skip

    def newest_first(
        self, workspace: bytes, sessions: Collection[bytes] | None = None
    ) -> Iterator[FailedCall]:
        """Yield the failed calls of a workspace, of some sessions or of all."""
        rows = self._database.execute(
            "SELECT call, reason, time, session, before, checkpoint FROM failures"
            " WHERE workspace = ? ORDER BY id DESC",
            (workspace,),
        )
        for call, reason, time_ns, session, before, checkpoint in rows:
            if sessions is None or session in sessions:
                yield FailedCall(
                    label(call), label(reason), time_ns, session,
                    CheckpointId(before), CheckpointId(checkpoint),
                )  # fmt: skip
