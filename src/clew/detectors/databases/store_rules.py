"""Data directories of other databases: how each is recognised, and what its files hold.

Formats that are too large to parse here still tell which collections, indices or topics there are:
each has files or a directory of its own.
"""

from __future__ import annotations

import re

from clew.model.named_tuple import NamedTuple


class StoreRule(NamedTuple):
    """One kind of data directory."""

    scope: str
    label: str
    noun: str
    """What a unit is called."""
    markers: tuple[str, ...]
    """Names, below the root, of which all must exist."""
    unit: re.Pattern[str]
    """The paths of units, below the root; its group is the unit."""
    own: re.Pattern[str]
    """All paths below the root that the server writes."""
    has_names: bool
    """Whether the group is the name that a user gave."""
    plural: str = ""

    def unit_of(self, path: str) -> str:
        """Return the unit that a path below the root belongs to, or ""."""
        found = self.unit.match(path)
        return found[1] if found is not None else ""

    def place_of(self, path: str) -> str:
        """Return the directory that has the files or directories of such units."""
        found = self.unit.match(path)
        return found[0].rstrip("/").rpartition("/")[0] if found is not None else ""


_EVERYTHING = re.compile(r".")


def _rule(
    scope: str, label: str, noun: str, markers: tuple[str, ...], unit: str,
    own: str = "", *, names: bool = True, plural: str = "",
) -> StoreRule:  # fmt: skip
    pattern = re.compile(own) if own else _EVERYTHING
    return StoreRule(scope, label, noun, markers, re.compile(unit), pattern, names, plural)


RULES: tuple[StoreRule, ...] = (
    _rule(
        "mongodb", "MongoDB", "collection", ("WiredTiger", "WiredTiger.wt"),
        r"((?:[^/]+/)?collection[-/][^/]+)\.wt$",
        r"(?:[^/]+/)?[^/]+\.wt$|[^/]+$|journal/|diagnostic\.data/", names=False,
    ),
    _rule(
        "elasticsearch", "Elasticsearch", "index", ("indices", "_state"),
        r"indices/([^/]{4,40})/", r"indices/|_state/|node\.lock$|snapshot_cache/|\.opensearch",
        names=False, plural="indices",
    ),
    _rule(
        "clickhouse", "ClickHouse", "table", ("metadata/default.sql", "store"),
        r"metadata/((?!system|information_schema|INFORMATION_SCHEMA)[^/]+/[^/]+)\.sql$",
    ),
    _rule(
        "cassandra", "Cassandra", "table", ("data/system", "commitlog"),
        r"data/((?!system)[^/]+/[^/]+)-[0-9a-f]{32}/", r"data/|commitlog/|saved_caches/|hints/",
    ),
    _rule("influxdb", "InfluxDB", "database", ("meta/meta.db", "data"), r"data/((?!_internal)[^/]+)/"),
    _rule(
        "influxdb", "InfluxDB", "bucket", ("influxd.bolt", "engine"),
        r"engine/data/([0-9a-f]{16})/", r"engine/|influxd\.", names=False,
    ),
    _rule(
        "neo4j", "Neo4j", "database", ("databases/system/neostore", "transactions"),
        r"databases/((?!system/)[^/]+)/", r"databases/|transactions/",
    ),
    _rule(
        "couchdb", "CouchDB", "database", ("_dbs.couch",),
        r"shards/[^/]+/(.+?)\.[0-9]{10}\.couch$", r"shards/|\.shards/|_[a-z]+\.couch$",
    ),
    _rule(
        "qdrant", "Qdrant", "collection", ("collections", "raft_state.json"),
        r"collections/([^/]+)/", r"collections/|aliases/|raft_state\.json$|\.deleted/",
    ),
    _rule(
        "kafka", "Kafka", "topic", ("meta.properties", "recovery-point-offset-checkpoint"),
        r"((?!__)[^/]+)-[0-9]+/", r"[^/]+-[0-9]+/|[^/]+checkpoint$|meta\.properties$",
    ),
    _rule(
        "meilisearch", "Meilisearch", "index", ("VERSION", "indexes", "instance-uid"),
        r"indexes/([^/]+)/", names=False, plural="indexes",
    ),
    _rule("etcd", "etcd", "store", ("member/snap", "member/wal"), r"(member/snap/db)$", r"member/", names=False),
    _rule(
        "leveldb", "LevelDB", "store", ("CURRENT",), r"()$",
        r"[^/]+\.(?:ldb|sst|log|blob)$|CURRENT$|MANIFEST-|OPTIONS-|LOCK$|LOG(?:\.old.*)?$|IDENTITY$",
        names=False,
    ),
)  # fmt: skip
"""The kinds that are known; the first whose markers are there wins."""

WATCHED_SUFFIXES = (".crc32", ".wt", ".tsm", ".ldb", ".sst", ".couch", ".timeindex")
WATCHED_NAMES = (
    "WiredTiger", "CURRENT", "influxd.bolt", "raft_state.json", "meta.properties", "_dbs.couch",
    "instance-uid",
)  # fmt: skip
WATCHED_DIRECTORIES = (
    "indices",
    "metadata",
    "commitlog",
    "databases",
    "collections",
    "indexes",
    "member",
)
