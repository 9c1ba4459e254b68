"""PostgreSQL: real clusters of nine major versions, before and after the same statements.

`testdata/postgres/cluster-<version>.tar.xz` has the files that the detector reads, as a server wrote
them; pages of the catalogue without a table of a user are zeros.
Between the two: DROP TABLE invoices; TRUNCATE orders; DELETE FROM keep WHERE id < 80; ALTER TABLE
crm.people DROP COLUMN phone, ADD COLUMN mail; CREATE TABLE fresh; DROP VIEW v; DROP DATABASE blog;
CREATE ROLE intern SUPERUSER; ALTER ROLE app CREATEROLE.
Nothing was vacuumed before, so most tuples have no hint bits.
"""

from __future__ import annotations

import random
import tarfile
from functools import cache
from pathlib import Path

import pytest

from clew.detectors.databases.postgres import Postgres
from clew.model.fact import Fact
from clew.story.analyse import analyse, ask
from tests.kit.moments import evidence, facts, story

DATA = Path(__file__).parent / "testdata/postgres"
RUNNING = (DATA / "pg_control.running").read_bytes()
VERSIONS = [int(path.name.split("-")[1].split(".")[0]) for path in sorted(DATA.glob("cluster-*"))]
ROOT = "data"
SHOP = f"{ROOT}/base/16384"


@cache
def _archive(version: int) -> dict[str, bytes]:
    with tarfile.open(DATA / f"cluster-{version}.tar.xz") as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: file.read() for name, file in files.items() if file is not None}


def cluster(version: int = 15, side: str = "before") -> dict[str, bytes]:
    """Return the data directory of a version."""
    return {
        f"{ROOT}/{name.partition('/')[2]}": content
        for name, content in _archive(version).items()
        if name.startswith(f"{side}/")
    }


def running(files: dict[str, bytes]) -> dict[str, bytes]:
    return files | {f"{ROOT}/global/pg_control": RUNNING, f"{ROOT}/postmaster.pid": b"4711\n"}


def file_of(table: str) -> str:
    """Return the path of a table's file, which has its oid before the table is rewritten."""
    return f"{SHOP}/{ {'orders': 16388, 'invoices': 16395}[table] }"


def marks(old: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[tuple[str, ...], str]]:
    return [(fact.marks, fact.severity) for fact in facts(Postgres(), old, new)]


def told(found: list[Fact]) -> list[tuple[str, str, str, str | None, str | None, tuple[str, ...]]]:
    return sorted(
        (fact.severity, fact.kind, fact.subject, fact.before, fact.after, fact.marks)
        for fact in found
    )


def test_there_are_clusters_of_all_known_versions() -> None:
    assert sorted(VERSIONS) == list(range(10, 19))


@pytest.mark.parametrize("version", VERSIONS)
def test_tables_rows_columns_databases_and_roles_are_read_from_the_catalogue(version: int) -> None:
    found = facts(Postgres(), cluster(version), cluster(version, "after"))

    assert told(found) == [
        ("high", "data.changed", "data", None, None, ("database blog dropped", "new role intern")),
        ("high", "security.account", "intern", None, None, ("PostgreSQL superuser",)),
        ("high", "table.changed", "crm.people", "30", "30", ("+column mail", "-column phone")),
        ("high", "table.changed", "keep", "90", "11", ()),
        ("high", "table.changed", "orders", "500", "0", ()),
        ("high", "table.removed", "invoices", "80", None, ()),
        ("none", "table.added", "fresh", None, "2", ()),
        ("none", "table.removed", "v", None, None, ("view",)),
        ("note", "security.account", "app", None, None, ("PostgreSQL createrole",)),
    ]
    assert {fact.scope for fact in found if fact.kind.startswith("table.")} == {
        "postgres:data:shop"
    }


def test_the_words_name_the_server_the_database_and_the_table() -> None:
    new = cluster()
    del new[file_of("invoices")]
    whole = story([Postgres()], cluster(), cluster(15, "after"))

    assert whole.headline == (
        "! PostgreSQL shop: table invoices dropped (80 rows) and 3 more; ! 2 more warnings; +2 more"
    )
    assert whole.lines[0].text == (
        "PostgreSQL shop in data: table invoices dropped (80 rows), orders lost all 500 rows,"
        " keep lost 79 of 90 rows and crm.people +column mail, column phone dropped"
    )
    assert "SCRAM" not in repr(whole)
    assert "canary" not in repr(whole)


def test_a_role_that_lost_its_rights_and_a_new_database_are_no_warnings() -> None:
    found = facts(Postgres(), cluster(15, "after"), cluster())

    assert [fact for fact in found if fact.kind == "security.account"] == []
    quiet = [fact.marks for fact in found if fact.kind == "data.changed"]
    assert quiet == [("new database blog", "role intern dropped")]


def test_a_test_database_is_dropped_without_a_warning() -> None:
    old = {path: content.replace(b"blog\0", b"test\0") for path, content in cluster().items()}

    found = facts(Postgres(), old, cluster(15, "after"))

    assert ("none", ("database test dropped", "new role intern")) in [
        (fact.severity, fact.marks) for fact in found
    ]


def test_a_database_made_again_is_compared_by_name() -> None:
    """As by `dropdb shop && createdb shop && pg_restore`, or with a new cluster in its place."""
    again = {path.replace("/16384/", "/16999/"): content for path, content in cluster().items()}
    number, other = (16384).to_bytes(4, "little"), (16999).to_bytes(4, "little")
    databases = f"{ROOT}/global/1262"
    again[databases] = again[databases].replace(number + b"shop\0", other + b"shop\0")
    assert again[databases] != cluster()[databases]

    assert [fact for fact in facts(Postgres(), cluster(), again) if fact.severity == "high"] == []

    empty = {path: content for path, content in again.items() if path != f"{ROOT}/base/16999/16395"}
    empty[f"{ROOT}/base/16999/16395"] = b""
    loud = [fact for fact in facts(Postgres(), cluster(), empty) if fact.severity == "high"]
    assert [(fact.subject, fact.before, fact.after) for fact in loud] == [("invoices", "80", "0")]


def test_another_cluster_in_the_same_place_is_said_to_be_another() -> None:
    new = cluster(15, "after") | {
        f"{ROOT}/global/pg_control": cluster(16)[f"{ROOT}/global/pg_control"]
    }

    found = facts(Postgres(), cluster(), new)

    assert "another cluster" in next(fact for fact in found if fact.kind == "data.changed").marks
    assert ("invoices", "high") in [(fact.subject, fact.severity) for fact in found]


def test_while_the_server_runs_a_vanished_file_is_told_without_a_name() -> None:
    old, new = running(cluster()), running(cluster())
    del new[file_of("invoices")]

    assert marks(old, new) == [
        (("1 table file gone or emptied (−8.2 kB), names unknown while the server runs",), "high")
    ]
    new[file_of("invoices")] = b""  # as a dropped table is until the next checkpoint
    assert [severity for _, severity in marks(old, new)] == ["high"]


def test_a_name_is_known_if_the_server_was_shut_down_before() -> None:
    new = running(cluster())
    del new[file_of("invoices")]

    assert marks(cluster(), new) == [
        (
            ("file of table shop.invoices gone or empty (−8.2 kB)", "shut down → running"),
            "high",
        )
    ]
    del new[f"{ROOT}/postmaster.pid"]
    assert marks(cluster(), new)[0][0][1] == "not shut down in order"


def test_a_rewritten_table_has_another_file_and_is_not_lost() -> None:
    old, new = running(cluster()), running(cluster())
    new[f"{SHOP}/20001"] = new.pop(file_of("orders"))
    assert [severity for _, severity in marks(old, new)] == ["none"]

    # far smaller, as after VACUUM FULL of a table with many deleted rows
    old[file_of("orders")] = old[file_of("orders")] + b"".join(_dead(old[file_of("orders")]) * 9)
    assert [severity for _, severity in marks(old, new)] == ["none"]

    new[f"{SHOP}/20001"] = b""
    assert [severity for _, severity in marks(old, new)] == ["high"]


def _dead(content: bytes) -> list[bytes]:
    """Return the pages of a table with every row deleted."""
    found = []
    for start in range(0, len(content), 8192):
        page = bytearray(content[start : start + 8192])
        for at in range(24, int.from_bytes(page[12:14], "little"), 4):
            tuple_at = int.from_bytes(page[at : at + 4], "little") & 0x7FFF
            page[tuple_at + 4 : tuple_at + 8] = (700).to_bytes(4, "little")
            page[tuple_at + 21] &= ~0x08  # no longer said to be undeleted
        found.append(bytes(page))
    return found


@pytest.mark.parametrize(
    "name", ["16397_fsm", "16397_vm", "16397_init", "t3_20000", "pgsql_tmp/pgsql_tmp1.0", "20003"]
)
def test_forks_indexes_and_temporary_files_come_and_go(name: str) -> None:
    index = bytearray(cluster()[file_of("orders")])
    index[16:18] = (8176).to_bytes(2, "little")  # a special space, as indexes have
    old = running(cluster()) | {f"{SHOP}/{name}": bytes(index)}

    assert [severity for _, severity in marks(old, running(cluster()))] == ["none"]


def test_a_vanished_database_is_a_warning_with_and_without_its_name() -> None:
    gone = {path: content for path, content in cluster().items() if "/base/16385/" not in path}

    assert marks(cluster(), running(gone))[0] == (
        ("database blog gone (−123 kB)", "shut down → running"), "high",
    )  # fmt: skip
    assert marks(running(cluster()), running(gone)) == [
        (("1 database gone (−123 kB), its name is unknown while the server runs",), "high")
    ]


def test_an_unknown_version_is_told_by_its_files() -> None:
    old = cluster() | {f"{ROOT}/PG_VERSION": b"19\n"}
    new = dict(old)
    del new[file_of("invoices")]

    assert marks(old, new) == [
        (("1 table file gone or emptied (−8.2 kB), names unknown in this version",), "high")
    ]


def test_a_table_of_many_pages_is_sampled() -> None:
    many = cluster()[file_of("orders")][:8192] * 4000
    old, new = cluster() | {file_of("orders"): many}, cluster()

    found = [fact for fact in facts(Postgres(), old, new) if fact.kind == "table.changed"]

    assert [(fact.before, fact.after, fact.severity) for fact in found] == [
        ("~904000", "500", "high")
    ]


def test_bytes_changed_at_random_do_no_harm() -> None:
    chance = random.Random(5)
    whole = cluster()
    for _ in range(40):
        bad = dict(cluster(15, "after"))
        for path in chance.sample(sorted(bad), 6):
            content = bytearray(bad[path])
            for _ in range(min(len(content), 400)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            bad[path] = bytes(content)
        for old, new in ((whole, bad), (bad, whole)):
            (result,) = analyse(evidence(old, new), [Postgres()], [], ask)
            assert result.findings
            assert "cannot be read" not in str(result.problems)
