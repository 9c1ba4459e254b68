"""What graphs remember: their moments, the values of their channels, and writes on their way.

Each workspace has a database of its own, `graphs/<workspace>.db`, beside the catalogue: it is no
part of any checkpoint, a rebuild of the catalogue leaves it alone, and it can be removed by itself.
What is in it was written by a serialiser that we know nothing of: bytes, and the word for their kind.

A value that several moments share is kept once.
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
-- one moment of a graph: what the library calls a checkpoint, without its channels' values
CREATE TABLE moments (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL,
    parent TEXT, run TEXT,
    files TEXT,                       -- the checkpoint of the workspace, in hex
    body_kind TEXT NOT NULL, body BLOB NOT NULL,
    metadata_kind TEXT NOT NULL, metadata BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, id)
);
CREATE INDEX moments_by_run ON moments (run) WHERE run IS NOT NULL;
-- bytes, each once
CREATE TABLE contents (
    number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, content BLOB NOT NULL
);
-- the value of a channel at a moment
CREATE TABLE channels (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, moment TEXT NOT NULL, channel TEXT NOT NULL,
    content INTEGER NOT NULL,
    PRIMARY KEY (thread, namespace, moment, channel)
) WITHOUT ROWID;
CREATE INDEX channels_by_content ON channels (content);
-- what a task of the step after a moment has written
CREATE TABLE writes (
    thread TEXT NOT NULL, namespace TEXT NOT NULL, moment TEXT NOT NULL,
    task TEXT NOT NULL, number INTEGER NOT NULL,
    path TEXT NOT NULL, channel TEXT NOT NULL, kind TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, moment, task, number)
);
-- the moment of a thread whose files the workspace has
CREATE TABLE standing (thread TEXT PRIMARY KEY, moment TEXT NOT NULL);
"""
_OF_MOMENTS = ("channels", "writes")

_ONE = "thread = ? AND namespace = ? AND id = ?"
_OF_ONE = "thread = ? AND namespace = ? AND moment = ?"
_COLUMNS = "thread, namespace, id, parent, files, body_kind, body, metadata_kind, metadata"


class Typed(NamedTuple):
    """A value as its serialiser wrote it."""

    kind: str
    content: bytes


class GraphCheckpointKey(NamedTuple):
    """Names one moment of a graph."""

    thread: str
    namespace: str
    id: str


class GraphCheckpoint(NamedTuple):
    """One moment of a graph, without its channels' values."""

    spot: GraphCheckpointKey
    parent: str | None
    files: str | None
    """The checkpoint of the workspace, in hex."""
    body: Typed
    metadata: Typed


class Write(NamedTuple):
    """What a task has written to a channel."""

    task: str
    number: int
    """Its place among the task's writes; below zero for what a task has only one of."""
    path: str
    channel: str
    value: Typed


class Graphs:
    """The memory of all graphs that work in one workspace."""

    def __init__(self, layout: Layout, workspace: bytes) -> None:
        os.makedirs(layout.graphs, mode=0o700, exist_ok=True)
        self._path = graphs_path(layout, workspace)
        self._database = Database(self._path)
        self._prepare()

    def close(self) -> None:
        self._database.close()

    # Looking

    def get(
        self, thread: str, namespace: str, identifier: str | None = None
    ) -> GraphCheckpoint | None:
        """Return one moment, by default the newest."""
        if identifier is not None:
            row = self._database.one(
                f"SELECT {_COLUMNS} FROM moments WHERE {_ONE}", (thread, namespace, identifier)
            )
        else:
            row = self._database.one(
                f"SELECT {_COLUMNS} FROM moments WHERE thread = ? AND namespace = ?"
                " ORDER BY id DESC LIMIT 1",
                (thread, namespace),
            )
        return _moment(row) if row is not None else None

    def spots(
        self,
        *,
        thread: str | None,
        namespace: str | None,
        identifier: str | None,
        before: str | None,
    ) -> list[GraphCheckpointKey]:
        """Name the moments that fit, newest first; None fits all."""
        wanted = {"thread = ?": thread, "namespace = ?": namespace, "id = ?": identifier}
        asked = {**wanted, "id < ?": before}
        chosen = {clause: value for clause, value in asked.items() if value is not None}
        where = f" WHERE {' AND '.join(chosen)}" if chosen else ""
        rows = self._database.execute(
            f"SELECT thread, namespace, id FROM moments{where} ORDER BY id DESC",
            tuple(chosen.values()),
        )
        return [GraphCheckpointKey(*row) for row in rows]

    def children(self, thread: str, namespace: str, parent: str | None) -> list[GraphCheckpoint]:
        """Return the moments that came right after one, or after none, newest first."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM moments WHERE thread = ? AND namespace = ? AND parent IS ?"
            " ORDER BY id DESC",
            (thread, namespace, parent),
        )
        return [_moment(row) for row in rows]

    def values(
        self, spot: GraphCheckpointKey, channels: Sequence[str] | None = None
    ) -> dict[str, Typed]:
        """Return what the channels held at a moment; `channels` asks for some of them."""
        rows = self._database.execute(
            "SELECT channel, kind, contents.content FROM channels"
            f" JOIN contents ON contents.number = channels.content WHERE {_OF_ONE}"
            " ORDER BY channel",
            spot,
        )
        return {
            channel: Typed(kind, content)
            for channel, kind, content in rows
            if channels is None or channel in channels
        }

    def writes(self, spot: GraphCheckpointKey) -> list[Write]:
        """Return what tasks have written since a moment, in the order in which it is applied."""
        rows = self._database.execute(
            f"SELECT task, number, path, channel, kind, content FROM writes WHERE {_OF_ONE}"
            " ORDER BY path, task, number",
            spot,
        )
        return [Write(row[0], row[1], row[2], row[3], Typed(*row[4:])) for row in rows]

    def standing(self, thread: str) -> str | None:
        """Return the moment of a thread whose files the workspace has, as far as is known."""
        row = self._database.one("SELECT moment FROM standing WHERE thread = ?", (thread,))
        return row[0] if row is not None else None

    def threads_with(self, files: str) -> list[str]:
        """Return the threads of which some moment goes with a checkpoint of the workspace."""
        rows = self._database.execute(
            "SELECT DISTINCT thread FROM moments WHERE files = ? ORDER BY thread", (files,)
        )
        return [row[0] for row in rows]

    # Keeping

    def put(
        self, moment: GraphCheckpoint, values: Mapping[str, Typed], *, run: str | None, stands: bool
    ) -> None:
        """Keep a moment; one of the same name is replaced."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO moments"
                " (thread, namespace, id, parent, files, body_kind, body, metadata_kind, metadata,"
                " run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*moment.spot, moment.parent, moment.files, *moment.body, *moment.metadata, run),
            )
            self._database.execute(f"DELETE FROM channels WHERE {_OF_ONE}", moment.spot)
            for channel, value in values.items():
                self._database.execute(
                    "INSERT INTO channels VALUES (?, ?, ?, ?, ?)",
                    (*moment.spot, channel, self._number_of(value)),
                )
            if stands:
                self._stand(moment.spot.thread, moment.spot.id)

    def put_writes(self, spot: GraphCheckpointKey, writes: Iterable[Write]) -> None:
        """Keep what a task wrote; what it has only one of is replaced, the rest is kept as it was."""
        with self._database.transaction():
            for write in writes:
                word = "IGNORE" if write.number >= 0 else "REPLACE"
                self._database.execute(
                    f"INSERT OR {word} INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*spot, *write[:4], *write.value),
                )

    def stand(self, thread: str, identifier: str) -> None:
        """Remember that the workspace has the files of this moment."""
        with self._database.transaction():
            self._stand(thread, identifier)

    def copy(self, source: str, target: str) -> None:
        """Give another thread all that this one has."""
        with self._database.transaction():
            for table in ("moments", *_OF_MOMENTS, "standing"):
                names = [row[1] for row in self._database.execute(f"PRAGMA table_info({table})")]
                others = ", ".join(name for name in names if name != "thread")
                self._database.execute(
                    f"INSERT OR REPLACE INTO {table} (thread, {others})"
                    f" SELECT ?, {others} FROM {table} WHERE thread = ?",
                    (target, source),
                )

    # Letting go

    def delete_thread(self, thread: str) -> None:
        """Forget a thread."""
        with self._database.transaction():
            for table in ("moments", *_OF_MOMENTS, "standing"):
                self._database.execute(f"DELETE FROM {table} WHERE thread = ?", (thread,))
            self._drop_unused()
        self._leave_no_trace()

    def delete_runs(self, runs: Sequence[str]) -> None:
        """Forget the moments that some runs made."""
        with self._database.transaction():
            for run in runs:
                rows = self._database.execute(
                    "SELECT thread, namespace, id FROM moments WHERE run = ?", (run,)
                )
                self._delete(GraphCheckpointKey(*row) for row in rows)
            self._drop_unused()
        self._leave_no_trace()

    def delete(self, spots: Iterable[GraphCheckpointKey]) -> None:
        """Forget moments."""
        with self._database.transaction():
            self._delete(spots)
            self._drop_unused()
        self._leave_no_trace()

    def _delete(self, spots: Iterable[GraphCheckpointKey]) -> None:
        for spot in spots:
            self._database.execute(f"DELETE FROM moments WHERE {_ONE}", spot)
            for table in _OF_MOMENTS:
                self._database.execute(f"DELETE FROM {table} WHERE {_OF_ONE}", spot)

    def _drop_unused(self) -> None:
        self._database.execute(
            "DELETE FROM contents WHERE NOT EXISTS"
            " (SELECT 1 FROM channels WHERE channels.content = contents.number)"
        )

    def _leave_no_trace(self) -> None:
        """What was deleted is not left in the write-ahead log, unless somebody still reads it."""
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
                if self._version() == 0:  # nobody else has made it meanwhile
                    self._database.script(_TABLES)
                    self._database.script(f"PRAGMA user_version = {VERSION}")
        if self._version() != VERSION:
            raise StoreDamaged(f"The memory of graphs has an unknown version: {self._path!r}")

    def _version(self) -> int:
        row = self._database.one("PRAGMA user_version")
        return int(row[0]) if row is not None else 0


def graphs_path(layout: Layout, workspace: bytes) -> str:
    """Return where the memory of a workspace's graphs is, if it has any."""
    return os.path.join(layout.graphs, workspace.hex() + ".db")


def files_of_graphs(layout: Layout, workspace: bytes) -> set[CheckpointId]:
    """Return the checkpoints that a workspace's graphs name; none where it has no graphs."""
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
    """Yield the name and the number of each page that does not match its checksum."""
    names = os.listdir(layout.graphs) if os.path.isdir(layout.graphs) else []
    for name in sorted(name for name in names if name.endswith(".db")):
        for number in damaged_pages(os.path.join(layout.graphs, name)):
            yield name, number


def forget_graphs(layout: Layout, workspace: bytes) -> None:
    """Remove what the graphs of a workspace remember; nobody may use it any more."""
    for side in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(graphs_path(layout, workspace) + side)


def _moment(row: Row) -> GraphCheckpoint:
    return GraphCheckpoint(
        GraphCheckpointKey(*row[:3]), row[3], row[4], Typed(*row[5:7]), Typed(*row[7:9])
    )
