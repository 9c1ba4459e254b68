"""MySQL and MariaDB: files of real servers, and made ones where only names and sizes matter.

`testdata/mysql/*.tar.xz` has the table files of a server that was shut down after each step:
`before`; `dropped`: DROP TABLE payments, DELETE of most rows of `mya` and all of `ari`; `deleted`:
DELETE FROM products WHERE id > 3, whose rows are marked and not purged; `renamed`: RENAME TABLE
products TO goods, and a partition dropped.
"""

from __future__ import annotations

import random
import tarfile
from functools import cache
from pathlib import Path

import pytest

from clew.detectors.databases.innodb import count_rows
from clew.detectors.databases.mysql import MySql
from clew.detectors.databases.mysql_tables import decoded, table_of
from clew.model.content_reader import BytesReader
from clew.model.fact import Fact
from clew.story.analyse import analyse, ask
from tests.kit.moments import Moment, evidence, facts, findings, story

DATA = Path(__file__).parent / "testdata/mysql"
MARIADB, MYSQL = "mariadb-10.11", "mysql-9.7"


@cache
def _archive(name: str) -> dict[str, bytes]:
    with tarfile.open(DATA / f"{name}.tar.xz") as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {path: file.read() for path, file in files.items() if file is not None}


def directory(step: str, server: str = MARIADB, root: str = "m") -> dict[str, bytes]:
    """Return a data directory after a step."""
    return {
        f"{root}/{path.partition('/')[2]}": content
        for path, content in _archive(server).items()
        if path.startswith(f"{step}/")
    }


def told(
    old: Moment, new: Moment
) -> list[tuple[str, str, str, str | None, str | None, tuple[str, ...]]]:
    return sorted(map(_plain, facts(MySql(), old, new)))


def _plain(fact: Fact) -> tuple[str, str, str, str | None, str | None, tuple[str, ...]]:
    return fact.severity, fact.kind, fact.subject, fact.before, fact.after, fact.marks


def made(*tables: str, size: int = 100) -> dict[str, bytes]:
    """Return a data directory whose table files are not those of a server."""
    found = {"m/ibdata1": b"i", "m/mysql/user.frm": b"u"}
    return found | {f"m/shop/{table}": b"t" * size for table in tables}


def test_tables_that_lost_their_file_or_their_rows_are_told() -> None:
    assert told(directory("before"), directory("dropped")) == [
        ("high", "table.changed", "ari", "~130", "~0", ()),
        ("high", "table.changed", "mya", "~120", "~5", ()),
        ("high", "table.removed", "payments", "~4000", None, ()),
    ]


def test_rows_that_were_deleted_and_not_purged_are_not_counted() -> None:
    assert told(directory("dropped"), directory("deleted")) == [
        ("high", "table.changed", "products", "~100", "~3", ())
    ]


def test_a_renamed_table_is_the_same_and_a_dropped_partition_is_no_dropped_table() -> None:
    assert told(directory("deleted"), directory("renamed")) == [
        ("none", "table.changed", "goods", None, None, ("renamed from products",)),
        ("none", "table.changed", "parted", "~300", "~201", ("definition changed",)),
    ]


def test_files_of_mysql_are_read_as_well() -> None:
    old, new = directory("before", MYSQL), directory("dropped", MYSQL)

    assert told(old, new) == [
        ("high", "table.changed", "products", "~100", "~5", ()),
        ("high", "table.removed", "payments", "~4000", None, ()),
    ]
    assert story([MySql()], old, new).headline == (
        "! MySQL shop: table payments dropped (~4,000 rows) and 1 more"
    )


def test_a_table_moved_to_another_database_is_not_lost() -> None:
    new = {path.replace("shop/payments", "my@002dblog/paid"): content
           for path, content in directory("before").items()}  # fmt: skip

    assert told(directory("before"), new) == [
        ("none", "table.changed", "paid", None, None, ("renamed from shop.payments",))
    ]


def test_a_vanished_database_is_a_warning_and_a_test_database_is_none() -> None:
    old = directory("before")
    new = {path: content for path, content in old.items() if "blog" not in path}
    assert told(old, new) == [
        ("high", "data.changed", "m", None, None, ("database my-blog dropped (1 table, 65.5 kB)",))
    ]

    old = {path.replace("my@002dblog", "test_blog"): content for path, content in old.items()}
    assert [fact.severity for fact in facts(MySql(), old, new)] == ["none"]


def test_views_memory_tables_and_temporary_files_are_no_loss() -> None:
    old = directory("before") | {
        "m/shop/#sql-alter-1.ibd": b"x" * 9999,
        "m/shop/FTS_0000000000000015_DELETED.ibd": b"x" * 9999,
    }
    new = {path: content for path, content in directory("before").items()
           if path not in ("m/shop/v.frm", "m/shop/mem.frm")}  # fmt: skip

    assert [fact.severity for fact in facts(MySql(), old, new)] == ["none"]


def test_names_are_shown_as_the_server_shows_them() -> None:
    old = directory("before")
    new = {path: content for path, content in old.items() if "we@0024ird" not in path}

    assert [fact.subject for fact in facts(MySql(), old, new)] == ["we$ird T@0k"]
    assert decoded("a@002db@000a@00ff@d800") == "a-b@000aÿ@d800"
    assert table_of("t#P#p0.ibd") == table_of("t#p#p1#sp#s0.ibd") == "t"


def test_a_server_that_starts_and_stops_keeps_its_own_books() -> None:
    new = directory("before") | {
        "m/ddl_recovery.log": b"x",
        "m/host.pid": b"1",
        "m/ib_logfile0": b"x",
    }

    (finding,) = findings(MySql(), evidence(directory("before"), new))

    assert finding.facts == ()
    assert finding.text == "MariaDB in m: its own bookkeeping"
    assert set(finding.claims) == {"m/ddl_recovery.log", "m/host.pid", "m/ib_logfile0"}


# Files whose rows cannot be read: names and sizes


def test_tables_whose_rows_are_unknown_are_told_with_their_size() -> None:
    assert told(made("a.ibd"), made("a.ibd", "b.ibd", "b.frm")) == [
        ("none", "table.added", "b", None, None, ("100 B",))
    ]
    assert told(made("a.ibd", "b.ibd"), made("a.ibd")) == [
        ("high", "table.removed", "b", None, None, ("100 B",))
    ]


def test_an_encrypted_table_that_is_as_small_as_an_empty_one_was_emptied() -> None:
    old, new = made("a.ibd", size=3_000_000), made("a.ibd", size=98_304)

    assert told(old, new) == [
        ("high", "table.changed", "a", None, None, ("emptied, 3.0 MB → 98.3 kB",))
    ]
    assert told(old, made("a.ibd", size=1_500_000))[0][0] == "none"


def test_a_dropped_partition_or_a_half_made_copy_is_no_dropped_table() -> None:
    old, new = made("a#p#p0.ibd", "a#p#p1.ibd", "#sql-ib7.ibd"), made("a#p#p1.ibd")

    assert told(old, new) == [("none", "data.changed", "m", None, None, ("−200 B",))]


def test_only_what_the_server_made_is_claimed() -> None:
    new = made("a.ibd") | {"m/secret/deep/er.sh": b"", "m/run.sh": b"", "m/ib_logfile0": b"l"}

    (finding,) = findings(MySql(), evidence(made(), new))

    assert set(finding.claims) == {"m/ib_logfile0", "m/secret", "m/shop", "m/shop/a.ibd"}


def test_a_new_and_a_lost_data_directory_are_told() -> None:
    assert [fact.after for fact in facts(MySql(), {}, made("a.ibd", "b.ibd"))] == [
        "2 tables, 202 B"
    ]
    assert [fact.kind for fact in facts(MySql(), made("a.ibd"), {})] == ["loss.deleted"]


# Hostile files


@pytest.mark.parametrize("content", [b"", b"x" * 63, b"x" * 70_000, bytes(70_000)])
def test_what_is_no_table_file_has_no_rows(content: bytes) -> None:
    assert count_rows(BytesReader(content)) is None


def test_bytes_changed_at_random_do_no_harm() -> None:
    chance = random.Random(3)
    whole = directory("before")
    for _ in range(40):
        bad = dict(directory("deleted"))
        for path in chance.sample(sorted(bad), 8):
            content = bytearray(bad[path])
            for _ in range(min(len(content), 600)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            bad[path] = bytes(content)
        for old, new in ((whole, bad), (bad, whole)):
            (result,) = analyse(evidence(old, new), [MySql()], [], ask)
            assert result.findings
            assert result.problems == ()
