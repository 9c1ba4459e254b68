"""Graph databases: checkpoints of LangGraph graphs, their channel values and pending writes.

Each workspace has its own database, `graphs/<workspace>.db`, beside the catalogue: it is not part of
any checkpoint, a rebuild of the catalogue does not touch it, and it can be deleted separately.
Its values come from an external serializer: opaque bytes with a type name.

A value that several graph checkpoints (table `moments`) share is stored once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from blake3 import blake3

from clew.errors import StoreDamaged
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database, Row
from clew.store.layout import Layout
from clew.store.pages import damaged_pages

VERSION = 1

_TABLES = """
-- checkpoints of a graph, without the values of their channels
CREATE TABLE moments (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL,
    parent TEXT, run TEXT,
    files TEXT,                       -- the checkpoint of the workspace, in hex
    body_kind TEXT NOT NULL, body BLOB NOT NULL,
    metadata_kind TEXT NOT NULL, metadata BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, id)
);
CREATE INDEX moments_by_run ON moments (run) WHERE run IS NOT NULL;
-- deduplicated bytes
CREATE TABLE contents (
    number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, content BLOB NOT NULL
);
-- the value of a channel in a graph checkpoint
CREATE TABLE channels (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, moment TEXT NOT NULL, channel TEXT NOT NULL,
    content INTEGER NOT NULL,
    PRIMARY KEY (thread, namespace, moment, channel)
) WITHOUT ROWID;
CREATE INDEX channels_by_content ON channels (content);
-- writes of the tasks in the step after a graph checkpoint
CREATE TABLE writes (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, moment TEXT NOT NULL,
    task TEXT NOT NULL, number INTEGER NOT NULL,
    path TEXT NOT NULL, channel TEXT NOT NULL, kind TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, moment, task, number)
);
-- the graph checkpoint of each thread whose files are in the workspace
CREATE TABLE standing (thread TEXT PRIMARY KEY, moment TEXT NOT NULL);
"""
_DEPENDENT_TABLES = ("channels", "writes")

_BY_KEY = "thread = ? AND namespace = ? AND id = ?"
_BY_MOMENT = "thread = ? AND namespace = ? AND moment = ?"
_COLUMNS = "thread, namespace, id, parent, files, body_kind, body, metadata_kind, metadata"


class Typed(NamedTuple):
    """A serialized value."""

    kind: str
    content: bytes


class GraphCheckpointKey(NamedTuple):
    """The key of one graph checkpoint."""

    thread: str
    namespace: str
    id: str


class GraphCheckpoint(NamedTuple):
    """One graph checkpoint, without the values of its channels."""

    spot: GraphCheckpointKey
    parent: str | None
    files: str | None
    """The checkpoint of the workspace's files, in hex."""
    body: Typed
    metadata: Typed


class Write(NamedTuple):
    """A write of a task to a channel."""

    task: str
    number: int
    """Its index among the task's writes; negative for writes a task has only one of."""
    path: str
    channel: str
    value: Typed


class Graphs:
    """The database of all graphs in one workspace."""

    def __init__(self, layout: Layout, workspace: bytes) -> None:
        os.makedirs(layout.graphs, mode=0o700, exist_ok=True)
        self._path = graphs_path(layout, workspace)
        self._database = Database(self._path)
        self._prepare()

    def close(self) -> None:
        self._database.close()

    # Reading

    def get(
        self, thread: str, namespace: str, identifier: str | None = None
    ) -> GraphCheckpoint | None:
        """Return one graph checkpoint, by default the newest."""
        if identifier is not None:
            row = self._database.one(
                f"SELECT {_COLUMNS} FROM moments WHERE {_BY_KEY}", (thread, namespace, identifier)
            )
        else:
            row = self._database.one(
                f"SELECT {_COLUMNS} FROM moments WHERE thread = ? AND namespace = ?"
                " ORDER BY id DESC LIMIT 1",
                (thread, namespace),
            )
        return _graph_checkpoint(row) if row is not None else None

    def spots(
        self,
        *,
        thread: str | None,
        namespace: str | None,
        identifier: str | None,
        before: str | None,
    ) -> list[GraphCheckpointKey]:
        """Return the keys of matching graph checkpoints, newest first; None matches all."""
        wanted = {"thread = ?": thread, "namespace = ?": namespace, "id = ?": identifier}
        filters = {**wanted, "id < ?": before}
        chosen = {clause: value for clause, value in filters.items() if value is not None}
        where = f" WHERE {' AND '.join(chosen)}" if chosen else ""
        rows = self._database.execute(
            f"SELECT thread, namespace, id FROM moments{where} ORDER BY id DESC",
            tuple(chosen.values()),
        )
        return [GraphCheckpointKey(*row) for row in rows]

    def children(self, thread: str, namespace: str, parent: str | None) -> list[GraphCheckpoint]:
        """Return the graph checkpoints with this parent, or without one, newest first."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM moments WHERE thread = ? AND namespace = ? AND parent IS ?"
            " ORDER BY id DESC",
            (thread, namespace, parent),
        )
        return [_graph_checkpoint(row) for row in rows]

    def values(
        self, spot: GraphCheckpointKey, channels: Sequence[str] | None = None
    ) -> dict[str, Typed]:
        """Return the channel values of a graph checkpoint, of all channels or of `channels`."""
        rows = self._database.execute(
            "SELECT channel, kind, contents.content FROM channels"
            f" JOIN contents ON contents.number = channels.content WHERE {_BY_MOMENT}"
            " ORDER BY channel",
            spot,
        )
        return {
            channel: Typed(kind, content)
            for channel, kind, content in rows
            if channels is None or channel in channels
        }

    def writes(self, spot: GraphCheckpointKey) -> list[Write]:
        """Return the writes of tasks since a graph checkpoint, in the order they are applied."""
        rows = self._database.execute(
            f"SELECT task, number, path, channel, kind, content FROM writes WHERE {_BY_MOMENT}"
            " ORDER BY path, task, number",
            spot,
        )
        return [Write(row[0], row[1], row[2], row[3], Typed(*row[4:])) for row in rows]

    def standing(self, thread: str) -> str | None:
        """Return the graph checkpoint of a thread whose files are in the workspace, if known."""
        row = self._database.one("SELECT moment FROM standing WHERE thread = ?", (thread,))
        return row[0] if row is not None else None

    def threads_with(self, files: str) -> list[str]:
        """Return the threads with a graph checkpoint that refers to a checkpoint of the workspace."""
        rows = self._database.execute(
            "SELECT DISTINCT thread FROM moments WHERE files = ? ORDER BY thread", (files,)
        )
        return [row[0] for row in rows]

    # Writing

    def put(
        self, moment: GraphCheckpoint, values: Mapping[str, Typed], *, run: str | None, stands: bool
    ) -> None:
        """Store a graph checkpoint, replacing one with the same key."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO moments"
                " (thread, namespace, id, parent, files, body_kind, body, metadata_kind, metadata,"
                " run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*moment.spot, moment.parent, moment.files, *moment.body, *moment.metadata, run),
            )
            self._database.execute(f"DELETE FROM channels WHERE {_BY_MOMENT}", moment.spot)
            for channel, value in values.items():
                self._database.execute(
                    "INSERT INTO channels VALUES (?, ?, ?, ?, ?)",
                    (*moment.spot, channel, self._number_of(value)),
                )
            if stands:
                self._stand(moment.spot.thread, moment.spot.id)

    def put_writes(self, spot: GraphCheckpointKey, writes: Iterable[Write]) -> None:
        """Store the writes of a task; existing ones are replaced only if their number is negative."""
        with self._database.transaction():
            for write in writes:
                conflict = "IGNORE" if write.number >= 0 else "REPLACE"
                self._database.execute(
                    f"INSERT OR {conflict} INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*spot, *write[:4], *write.value),
                )

    def stand(self, thread: str, identifier: str) -> None:
        """Record that the workspace has the files of this graph checkpoint."""
        with self._database.transaction():
            self._stand(thread, identifier)

    def copy(self, source: str, target: str) -> None:
        """Copy all rows of a thread to another thread."""
        with self._database.transaction():
            for table in ("moments", *_DEPENDENT_TABLES, "standing"):
                names = [row[1] for row in self._database.execute(f"PRAGMA table_info({table})")]
                others = ", ".join(name for name in names if name != "thread")
                self._database.execute(
                    f"INSERT OR REPLACE INTO {table} (thread, {others})"
                    f" SELECT ?, {others} FROM {table} WHERE thread = ?",
                    (target, source),
                )

    # Deleting

    def delete_thread(self, thread: str) -> None:
        """Delete a thread."""
        with self._database.transaction():
            for table in ("moments", *_DEPENDENT_TABLES, "standing"):
                self._database.execute(f"DELETE FROM {table} WHERE thread = ?", (thread,))
            self._drop_unused()
        self._truncate_log()

    def delete_runs(self, runs: Sequence[str]) -> None:
        """Delete the graph checkpoints of some runs."""
        with self._database.transaction():
            for run in runs:
                rows = self._database.execute(
                    "SELECT thread, namespace, id FROM moments WHERE run = ?", (run,)
                )
                self._delete(GraphCheckpointKey(*row) for row in rows)
            self._drop_unused()
        self._truncate_log()

    def delete(self, spots: Iterable[GraphCheckpointKey]) -> None:
        """Delete graph checkpoints."""
        with self._database.transaction():
            self._delete(spots)
            self._drop_unused()
        self._truncate_log()

    def _delete(self, spots: Iterable[GraphCheckpointKey]) -> None:
        for spot in spots:
            self._database.execute(f"DELETE FROM moments WHERE {_BY_KEY}", spot)
            for table in _DEPENDENT_TABLES:
                self._database.execute(f"DELETE FROM {table} WHERE {_BY_MOMENT}", spot)

    def _drop_unused(self) -> None:
        self._database.execute(
            "DELETE FROM contents WHERE NOT EXISTS"
            " (SELECT 1 FROM channels WHERE channels.content = contents.number)"
        )

    def _truncate_log(self) -> None:
        """Truncate the write-ahead log, so that it holds no deleted data unless it is being read."""
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _stand(self, thread: str, identifier: str) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO standing VALUES (?, ?)", (thread, identifier)
        )

    def _number_of(self, value: Typed) -> int:
        digest = blake3(value.kind.encode() + b"\x00" + value.content).digest()
        known = self._database.one("SELECT number FROM contents WHERE digest = ?", (digest,))
        if known is None:
            known = self._database.one(
                "INSERT INTO contents (digest, kind, content) VALUES (?, ?, ?) RETURNING number",
                (digest, *value),
            )
        assert known is not None
        return int(known[0])

    def _prepare(self) -> None:
        if self._version() == 0:
            with self._database.transaction():
                if self._version() == 0:  # not created by another process meanwhile
                    self._database.script(_TABLES)
                    self._database.script(f"PRAGMA user_version = {VERSION}")
        if self._version() != VERSION:
            raise StoreDamaged(f"The memory of graphs has an unknown version: {self._path!r}")

    def _version(self) -> int:
        row = self._database.one("PRAGMA user_version")
        return int(row[0]) if row is not None else 0


def graphs_path(layout: Layout, workspace: bytes) -> str:
    """Return the path of a workspace's graph database, which may not exist."""
    return os.path.join(layout.graphs, workspace.hex() + ".db")


def files_of_graphs(layout: Layout, workspace: bytes) -> set[CheckpointId]:
    """Return the checkpoints that a workspace's graphs refer to; empty if it has no graphs."""
    path = graphs_path(layout, workspace)
    if not os.path.exists(path):
        return set()
    database = Database(path)
    try:
        rows = database.execute("SELECT DISTINCT files FROM moments WHERE files IS NOT NULL")
    finally:
        database.close()
    return {CheckpointId(bytes.fromhex(row[0])) for row in rows}


def damaged_graphs(layout: Layout) -> Iterator[tuple[str, int]]:
    """Yield file name and number of each page that does not match its checksum."""
    names = os.listdir(layout.graphs) if os.path.isdir(layout.graphs) else []
    for name in sorted(name for name in names if name.endswith(".db")):
        for number in damaged_pages(os.path.join(layout.graphs, name)):
            yield name, number


def forget_graphs(layout: Layout, workspace: bytes) -> None:
    """Delete the graph database of a workspace; no process may have it open."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(graphs_path(layout, workspace) + suffix)


def _graph_checkpoint(row: Row) -> GraphCheckpoint:
    return GraphCheckpoint(
        GraphCheckpointKey(*row[:3]), row[3], row[4], Typed(*row[5:7]), Typed(*row[7:9])
    )
