"""Other databases: made layouts for servers that cannot run here, and the heads of real files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from clew.detectors.databases.embedded import Embedded
from clew.detectors.databases.stores import Stores
from tests.kit.moments import Moment, evidence, facts, findings, story

DATA = Path(__file__).parent / "testdata/embedded"
MANY, FEW = ((DATA / f"{number}_entries.mdb").read_bytes() for number in (500, 10))
DUCKDB = (DATA / "duckdb.header").read_bytes()
DUCKS = {
    name: gzip.decompress((DATA / f"{name}.duckdb.gz").read_bytes())
    for name in ("before", "dropped", "renamed", "fewer")
}
BIG = b"x" * 300_000

MONGODB = {
    "db/WiredTiger": b"WiredTiger 11", "db/WiredTiger.wt": b"w", "db/_mdb_catalog.wt": b"c",
    "db/mongod.lock": b"", "db/collection-0--12.wt": BIG, "db/index-1--12.wt": b"i" * 9000,
    "db/collection-7--12.wt": BIG + b"y", "db/journal/WiredTigerLog.0001": b"j",
    "db/diagnostic.data/metrics": b"m",
}  # fmt: skip
ELASTICSEARCH = {
    "es/nodes/0/_state/node-1.st": b"n",
    "es/nodes/0/node.lock": b"",
    "es/nodes/0/indices/aB3dE5gH7jK9mN1pQ2rS4t/0/index/_0.cfs": BIG,
    "es/nodes/0/indices/zZ3dE5gH7jK9mN1pQ2rS4t/0/index/_0.cfs": BIG + b"z",
}
CLICKHOUSE = {
    "ch/metadata/default.sql": b"", "ch/metadata/default/orders.sql": b"ATTACH TABLE _ UUID 'a'",
    "ch/metadata/default/users.sql": b"ATTACH TABLE _ UUID 'b'", "ch/store/a0/a0b/data.bin": BIG,
}  # fmt: skip
CASSANDRA = {
    "c/commitlog/CommitLog-7-1.log": b"l",
    "c/data/system/local-0/nb-1-big-Data.db": b"s",
    "c/data/shop/orders-5a1c395e2f4d11ee8c990242ac120002/nb-1-big-Data.db": BIG,
    "c/data/shop/orders-5a1c395e2f4d11ee8c990242ac120002/nb-1-big-Digest.crc32": b"1",
    "c/data/shop/users-6a1c395e2f4d11ee8c990242ac120002/nb-1-big-Data.db": BIG,
}
KAFKA = {
    "k/meta.properties": b"id=1", "k/recovery-point-offset-checkpoint": b"0",
    "k/orders-0/00000000000000000000.log": BIG, "k/orders-0/00000000000000000000.timeindex": b"t",
    "k/orders-1/00000000000000000000.log": BIG, "k/orders-1/00000000000000000000.timeindex": b"t",
    "k/mails-0/00000000000000000000.log": BIG, "k/mails-0/00000000000000000000.timeindex": b"t",
}  # fmt: skip
INFLUXDB = {
    "i/meta/meta.db": b"m",
    "i/data/metrics/autogen/2/000000001-000000001.tsm": BIG,
    "i/data/sensors/autogen/3/000000001-000000001.tsm": BIG,
}
QDRANT = {
    "q/raft_state.json": b"{}", "q/collections/docs/config.json": b"{}",
    "q/collections/docs/0/segments/a/seg": BIG, "q/collections/faq/config.json": BIG,
}  # fmt: skip
COUCHDB = {
    "c/_dbs.couch": b"d",
    "c/shards/00000000-7fffffff/shop.1700000000.couch": BIG,
    "c/shards/00000000-7fffffff/blog.1700000000.couch": BIG,
}
LEVELDB = {
    "l/CURRENT": b"MANIFEST-000004\n", "l/MANIFEST-000004": b"m", "l/LOCK": b"", "l/LOG": b"log",
    "l/000005.ldb": BIG, "l/000007.log": b"",
}  # fmt: skip


def without(old: dict[str, bytes], part: str) -> dict[str, bytes]:
    return {path: content for path, content in old.items() if part not in path}


def marks(old: Moment, new: Moment) -> list[tuple[tuple[str, ...], str]]:
    return [(fact.marks, fact.severity) for fact in facts(Stores(), old, new)]


@pytest.mark.parametrize(
    ("old", "part", "mark"),
    [
        (MONGODB, "collection-0", "1 collection gone (−300 kB), its name is unknown"),
        (ELASTICSEARCH, "aB3dE5gH", "1 index gone (−300 kB), its name is unknown"),
        (CLICKHOUSE, "orders.sql", "table default/orders gone (−23 B)"),
        (CASSANDRA, "orders-", "table shop/orders gone (−300 kB)"),
        (KAFKA, "orders-", "topic orders gone (−600 kB)"),
        (INFLUXDB, "sensors", "database sensors gone (−300 kB)"),
        (QDRANT, "faq", "collection faq gone (−300 kB)"),
        (COUCHDB, "shop", "database shop gone (−300 kB)"),
    ],
)
def test_what_vanished_from_a_data_directory_is_a_warning(
    old: dict[str, bytes], part: str, mark: str
) -> None:
    new = without(old, part)

    assert marks(old, new) == [((mark,), "high")]
    assert [severity for _, severity in marks(new, old)] == ["none"]


def test_the_words_name_the_server() -> None:
    assert story([Stores()], KAFKA, without(KAFKA, "orders-")).headline == (
        "! Kafka in k: topic orders gone (−600 kB)"
    )
    assert story([Stores()], {}, MONGODB).headline == "MongoDB in db: new, 2 collections, 609 kB"


def test_a_topic_that_keeps_a_partition_is_not_gone() -> None:
    assert [severity for _, severity in marks(KAFKA, without(KAFKA, "orders-1"))] == ["none"]


def test_a_collection_that_was_copied_is_not_gone() -> None:
    new = {path.replace("collection-0--12", "collection-9--77"): content
           for path, content in MONGODB.items()}  # fmt: skip

    assert marks(MONGODB, new) == [(("changed inside",), "none")]


def test_growth_and_compaction_are_no_warnings() -> None:
    assert marks(MONGODB, MONGODB | {"db/collection-0--12.wt": BIG * 2}) == [(("+300 kB",), "none")]
    compacted = without(LEVELDB, "000005") | {"l/000009.ldb": BIG[:200_000]}
    assert marks(LEVELDB, compacted) == [(("−100 kB",), "none")]


def test_a_store_that_is_nearly_empty_is_a_warning() -> None:
    assert facts(Stores(), LEVELDB, {"other": b""}) == []  # as any deleted directory
    assert marks(LEVELDB, without(LEVELDB, "000005")) == [(("emptied, 300 kB → 0 B",), "high")]


def test_a_store_that_belongs_to_tests_is_no_loss() -> None:
    old = {f"tests/{path}": content for path, content in LEVELDB.items()}

    assert [fact.severity for fact in facts(Stores(), old, without(old, "000005"))] == ["none"]


def test_stores_of_applications_are_their_state() -> None:
    old = {f"home/a/.config/google-chrome/{path}": content for path, content in LEVELDB.items()}

    (finding,) = findings(Stores(), evidence(old, without(old, "000005")))

    assert (finding.facts, finding.text) == ((), "app state changed")


def test_source_directories_with_such_names_are_left_alone() -> None:
    old = {f"src/{name}/{file}.py": BIG for name in ("indices", "metadata", "store", "databases",
           "transactions", "collections", "member", "indexes") for file in ("a", "b")}  # fmt: skip
    old |= {"src/CURRENT": b"", "src/VERSION": b"1", "notes/x.ldb": b"AutoCAD"}

    assert findings(Stores(), evidence(old, {})) == []


# Files


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "severity"),
    [
        (MANY, FEW, "500 entries, 8.2 kB", "10 entries, 8.2 kB", "high"),
        (FEW, MANY, "10 entries, 8.2 kB", "500 entries, 8.2 kB", "none"),
        (MANY, b"text", "500 entries, 8.2 kB", "no database any more", "high"),
        (None, MANY, None, "500 entries, 8.2 kB", "none"),
    ],
)
def test_entries_of_lmdb_are_counted(
    old: bytes | None, new: bytes, before: str | None, after: str, severity: str
) -> None:
    first = {"d/data.mdb": old} if old is not None else {}

    (fact,) = facts(Embedded(), first, {"d/data.mdb": new, "d/lock.mdb": b"l"})

    assert (fact.scope, fact.before, fact.after, fact.severity) == ("lmdb", before, after, severity)


def test_duckdb_is_known_by_its_head_and_told_by_its_size() -> None:
    whole = DUCKDB + bytes(500_000)
    assert story([Embedded()], {"a.db": whole}, {"a.db": whole + bytes(500_000)}).headline == (
        "a.db: 500 kB → 1.0 MB"
    )
    assert facts(Embedded(), {"a.duckdb": whole}, {}) == []  # as any deleted file
    assert [fact.severity for fact in facts(Embedded(), {"a.db": whole}, {"a.db": DUCKDB})] == [
        "high"
    ]
    assert facts(Embedded(), {"a.db": b"an Access file, or none"}, {}) == []


def test_a_file_made_by_tests_is_no_loss() -> None:
    old, new = {"tests/a.duckdb": DUCKDB * 900}, {"tests/a.duckdb": DUCKDB}

    assert [fact.severity for fact in facts(Embedded(), old, new)] == ["none"]


@pytest.mark.parametrize(
    ("after", "headline"),
    [
        ("dropped", "! a.duckdb: table sales dropped (~500 rows)"),
        ("renamed", "a.duckdb: orders renamed from sales"),
        ("fewer", "a.duckdb: new table staff (0 rows)"),
    ],
)
def test_tables_of_duckdb_are_named(after: str, headline: str) -> None:
    old, new = {"a.duckdb": DUCKS["before"]}, {"a.duckdb": DUCKS[after]}

    assert story([Embedded()], old, new).headline == headline
    assert "shops" not in str(facts(Embedded(), old, new))


def test_a_table_that_a_copy_still_has_is_no_loss() -> None:
    old = {"a.duckdb": DUCKS["before"]}
    new = {"a.duckdb": DUCKS["dropped"], "a.duckdb.bak": DUCKS["before"]}

    assert {fact.severity for fact in facts(Embedded(), old, new)} == {"none"}


@pytest.mark.parametrize("cut", [4100, 9000, 12288, 14000, 100_000])
def test_a_catalogue_of_duckdb_that_cannot_be_read_has_no_tables(cut: int) -> None:
    whole = DUCKS["before"]
    for content in (whole[:cut], whole[:cut] + bytes(300_000), whole[:cut] + b"\xff" * 300_000):
        found = facts(Embedded(), {"a.duckdb": whole}, {"a.duckdb": content})

        assert {fact.kind for fact in found} <= {"data.changed"}


def test_a_file_of_lmdb_with_fewer_pages_than_it_says_was_cut() -> None:
    size = (int.from_bytes(MANY[4096 + 136 : 4096 + 144], "little") + 1) * 4096
    whole = MANY + bytes(size - len(MANY))

    found = story([Embedded()], {"d/data.mdb": whole}, {"d/data.mdb": MANY})

    assert found.headline == f"! d/data.mdb: cut short, 8.2 kB of {size / 1000:.1f} kB left"
