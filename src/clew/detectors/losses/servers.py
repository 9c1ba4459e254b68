"""Directories that a database server or a storage engine manages.

While such a directory exists, its engine adds and deletes files in it: a compaction is no loss.
PostgreSQL and MySQL have their own detectors, which also report a deleted directory.
"""

from __future__ import annotations

from collections.abc import Collection

from clew.detectors.detector import Evidence, Tree
from clew.detectors.inherited import inherited

_REDIS = "appendonlydir"
"""Of Redis, which has its own detector."""


class Servers:
    """Data directories of engines; `evidence.once(Servers)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[str, bool] = {"": False}

    def own(self, directory: str) -> bool:
        """Return whether a directory's engine, or its own detector, explains deletions in it."""
        return inherited(self._known, directory, self._is_owned)

    def _is_owned(self, directory: str) -> bool:
        if self._evidence.new.entry(directory) is not None:
            return bool(engine_of(self._evidence.new, directory)) or directory.endswith(_REDIS)
        changes = self._evidence.changes
        return f"{directory}/ibdata1" in changes or (
            f"{directory}/PG_VERSION" in changes and f"{directory}/global/pg_control" in changes
        )


def engine_of(tree: Tree, directory: str) -> str:
    """Return the engine whose data a directory holds, or ""."""
    return engine_of_names(tree.entries(directory))


def engine_of_names(names: Collection[str]) -> str:
    """Return the engine that keeps files with such names in a directory, or ""."""
    for markers, engine in _MARKERS:
        if all(name in names for name in markers):
            return engine
    if "CURRENT" in names and any(name.startswith("MANIFEST-") for name in names):
        return "LevelDB"
    return "Lucene" if any(name.startswith("segments_") for name in names) else ""


_MARKERS = (
    (("PG_VERSION", "global"), "PostgreSQL"),
    (("ibdata1",), "MySQL"),
    (("WiredTiger",), "MongoDB"),
    (("storage.bson",), "MongoDB"),
    (("chunks_head", "wal"), "Prometheus"),
    (("leader-epoch-checkpoint",), "Kafka"),
    (("data.mdb", "lock.mdb"), "LMDB"),
    (("commit_log",), "Cassandra"),
    (("schema.sqlite", "store"), "InfluxDB"),
    (("neostore",), "Neo4j"),
    (("metadata", "store", "uuid"), "ClickHouse"),
)
