"""Sessions table: agent sessions, and their messages since the last checkpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.model.ids import ObjectId
from clew.model.session import SessionInfo
from clew.policy.labels import label
from clew.store.database import Database, Row

_COLUMNS = """
SELECT id, workspace, agent, version, native, format, transcript, conversation, length, state,
  attached, began, seen, origin, ended, process
FROM sessions
"""


class SessionRows:
    """The rows of the sessions and messages tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session: SessionInfo) -> SessionInfo:
        """Add a session; assign an id and a time if it has none."""
        with self._database.transaction():
            return self.insert(session)

    def insert(self, session: SessionInfo) -> SessionInfo:
        """Add a session, as part of a larger transaction."""
        now = self._database.now_ns()
        session = session._replace(
            id=session.id or os.urandom(16), started_ns=session.started_ns or now, seen_ns=now
        )
        if session.attached:
            self._detach_all(session.workspace)
        placeholders = ", ".join("?" * len(session))
        self._database.execute(f"INSERT INTO sessions VALUES ({placeholders})", _row(session))
        return session

    def update(self, session: SessionInfo) -> None:
        """Write the row of a session, as part of a larger transaction; set the times it lacks."""
        now = self._database.now_ns()
        session = session._replace(
            started_ns=session.started_ns or now, seen_ns=session.seen_ns or now
        )
        if session.attached:
            self._detach_all(session.workspace)
        placeholders = ", ".join("?" * len(session))
        self._database.execute(
            f"INSERT OR REPLACE INTO sessions VALUES ({placeholders})", _row(session)
        )

    def get(self, identifier: bytes) -> SessionInfo | None:
        row = self._database.one(_COLUMNS + " WHERE id = ?", (identifier,))
        return _info(row) if row else None

    def of(self, workspace: bytes) -> list[SessionInfo]:
        """Return the sessions of a workspace, newest first."""
        rows = self._database.execute(
            _COLUMNS + " WHERE workspace = ? ORDER BY began DESC, id", (workspace,)
        )
        return [_info(row) for row in rows]

    def attached(self, workspace: bytes) -> SessionInfo | None:
        """Return the attached session of a workspace, whose position its checkpoints record."""
        row = self._database.one(
            _COLUMNS + " WHERE workspace = ? AND attached = 1 LIMIT 1", (workspace,)
        )
        return _info(row) if row else None

    def attach(self, session: SessionInfo) -> None:
        """Make a session the attached one of its workspace, until it is detached."""
        with self._database.transaction():
            self._detach_all(session.workspace)
            self._database.execute(
                "UPDATE sessions SET attached = 1, ended = 0, process = '' WHERE id = ?",
                (session.id,),
            )

    def end(self, identifier: bytes) -> None:
        """Record that the agent of a session has ended."""
        self._database.execute(
            "UPDATE sessions SET ended = ? WHERE id = ?", (self._database.now_ns(), identifier)
        )

    def detach(self, session: SessionInfo) -> None:
        self._database.execute("UPDATE sessions SET attached = 0 WHERE id = ?", (session.id,))

    def moved(self, identifier: bytes, conversation: ObjectId | None, length: int) -> None:
        """Set the stored conversation and its length; inside the transaction of the checkpoint."""
        self._database.execute(
            "UPDATE sessions SET conversation = ?, length = ?, seen = ? WHERE id = ?",
            (conversation, length, self._database.now_ns(), identifier),
        )

    def set_state(self, identifier: bytes, state: bytes | None) -> None:
        """Store the agent's own data, as JSON."""
        self._database.execute(
            "UPDATE sessions SET state = ?, seen = ? WHERE id = ?",
            (state, self._database.now_ns(), identifier),
        )

    def conversations(self) -> list[ObjectId]:
        """Return the current conversation of every session."""
        rows = self._database.execute(
            "SELECT DISTINCT conversation FROM sessions WHERE conversation IS NOT NULL"
        )
        return [ObjectId(row[0]) for row in rows]

    def drop_conversation(self, conversation: ObjectId) -> None:
        """Remove the reference to a conversation that is being purged; inside a transaction."""
        self._database.execute(
            "UPDATE sessions SET conversation = NULL, length = 0 WHERE conversation = ?",
            (conversation,),
        )

    def say(self, identifier: bytes, contents: Sequence[bytes]) -> None:
        """Add messages, pending until the next checkpoint stores them."""
        with self._database.transaction():
            self.add_pending(identifier, contents)

    def add_pending(self, identifier: bytes, contents: Sequence[bytes]) -> None:
        """Add pending messages, as part of a larger transaction."""
        row = self._database.one(
            "SELECT ifnull(max(number), 0) FROM messages WHERE session = ?", (identifier,)
        )
        first = (row[0] if row else 0) + 1
        self._database.execute_many(
            "INSERT INTO messages VALUES (?, ?, ?)",
            [(identifier, first + at, content) for at, content in enumerate(contents)],
        )

    def pending(self, identifier: bytes) -> list[tuple[int, bytes]]:
        """Return the pending messages in order: number and JSON."""
        rows = self._database.execute(
            "SELECT number, content FROM messages WHERE session = ? ORDER BY number", (identifier,)
        )
        return [(row[0], row[1]) for row in rows]

    def forget_pending(self, identifier: bytes, up_to: int) -> None:
        """Delete messages that the stored conversation contains; inside a transaction."""
        self._database.execute(
            "DELETE FROM messages WHERE session = ? AND number <= ?", (identifier, up_to)
        )

    def touch(self, identifier: bytes, path: bytes, how: str, sequence: int) -> None:
        """Record that a file was read or changed, known since checkpoint `sequence`."""
        self._database.execute(
            "INSERT OR IGNORE INTO touched VALUES (?, ?, ?, ?, ?)",
            (identifier, path, how, sequence, self._database.now_ns()),
        )

    def touched(self, identifier: bytes) -> list[tuple[bytes, str, int]]:
        """Return path, access and sequence of every file the agent reported."""
        rows = self._database.execute(
            "SELECT path, how, sequence FROM touched WHERE session = ? ORDER BY path, how, sequence",
            (identifier,),
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def _detach_all(self, workspace: bytes) -> None:
        self._database.execute(
            "UPDATE sessions SET attached = 0 WHERE workspace = ? AND attached = 1", (workspace,)
        )


def _row(session: SessionInfo) -> tuple[object, ...]:
    kept = _redacted(session)
    return tuple(int(value) if isinstance(value, bool) else value for value in kept)


def _info(row: Row) -> SessionInfo:
    return _redacted(SessionInfo._make((*row[:10], bool(row[10]), *row[11:])))


def _redacted(session: SessionInfo) -> SessionInfo:
    """Return a session with its labels redacted; its `state` is not changed."""
    return session._replace(
        agent=label(session.agent), version=label(session.version), native=label(session.native)
    )
