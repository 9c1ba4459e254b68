from __future__ import annotations

import random
import sqlite3
import struct
import time
from pathlib import Path

import pytest

from clew.detectors.databases.sqlite import Sqlite
from clew.detectors.databases.sqlite_limits import SqliteLimits
from clew.story.analyse import analyse, ask
from tests.detectors.sqlite_files import PATIENT, THREE, USERS, database, fact_rows, run_detector
from tests.kit.moments import MemoryTree, evidence

PAGE = 4096


def test_a_corrupt_database_costs_one_line_and_the_others_are_told(tmp_path: Path) -> None:
    good = database(tmp_path, *THREE)
    old = {"b.db": good}
    new = {"a.db": good[:100] + b"\xff" * (len(good) - 100), "b.db": database(tmp_path, USERS)}

    result = run_detector(Sqlite(PATIENT), old, new, tmp_path)

    assert [path for path, _ in result.problems] == ["a.db"]
    assert [fact.scope for finding in result.findings for fact in finding.facts] == ["sqlite:b.db"]


def test_bytes_that_were_changed_at_random_never_do_more_harm(tmp_path: Path) -> None:
    good = database(tmp_path, *THREE, "CREATE INDEX i ON users(name)", "CREATE TABLE other(a, b)")
    chance = random.Random(7)
    for _ in range(60):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 40)):
            bad[chance.randrange(16, len(bad))] = chance.randrange(256)
        result = run_detector(Sqlite(PATIENT), {"app.db": good}, {"app.db": bytes(bad)}, tmp_path)

        assert bytes(bad) == good or result.findings or result.problems


def test_pages_that_point_at_each_other_are_not_counted(tmp_path: Path) -> None:
    endless = _exploding(tmp_path)
    good = database(tmp_path, *THREE)
    begun = time.monotonic()

    result = run_detector(
        Sqlite(), {"app.db": good}, {"app.db": endless, "new/b.db": endless}, tmp_path
    )

    assert time.monotonic() - begun < 5
    assert fact_rows([fact for finding in result.findings for fact in finding.facts]) == [
        ("changed", "users", "3", None, ("damaged, could be read before",)),
        ("added", "users", None, None, ("new database",)),
    ]


def test_what_takes_too_long_is_not_analysed(tmp_path: Path) -> None:
    good = database(tmp_path, *THREE)

    result = run_detector(Sqlite(SqliteLimits(seconds=0)), {}, {"a.db": good}, tmp_path)
    assert result.problems == (("a.db", "takes too long to look into"),)

    result = run_detector(Sqlite(SqliteLimits(all_seconds=0)), {}, {"a.db": good}, tmp_path)
    assert result.problems == (("a.db", "too many databases changed"),)


def test_an_endless_schema_ends_when_the_time_is_up(tmp_path: Path) -> None:
    endless = bytearray(_exploding(tmp_path))
    # the root of the schema refers to the endless pages
    endless[100:112] = struct.pack(">BHHHBI", 5, 0, 0, PAGE, 0, 2)
    begun = time.monotonic()

    result = run_detector(Sqlite(), {}, {"app.db": bytes(endless)}, tmp_path)

    assert time.monotonic() - begun < 5
    assert [path for path, _ in result.problems] == ["app.db"]


def test_names_in_a_schema_are_only_names(tmp_path: Path) -> None:
    name = 'x"; DROP TABLE users; --\x1b[31m'
    quoted = '"' + name.replace('"', '""') + '"'
    new = {
        "app.db": database(
            tmp_path, *THREE, f"CREATE TABLE {quoted}(a)", f"INSERT INTO {quoted} VALUES (1)"
        )
    }

    result = run_detector(Sqlite(PATIENT), {}, new, tmp_path)

    assert fact_rows(list(result.findings[0].facts)) == [
        ("added", "users", None, "3", ("new database",)),
        ("added", name, None, "1", ("new database",)),
    ]


def test_no_view_virtual_column_or_unknown_module_is_run(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.create_function("boom", 1, lambda value: value, deterministic=True)
    connection.create_collation("odd", lambda a, b: (a > b) - (a < b))
    for statement in (
        "CREATE TABLE t(a TEXT COLLATE odd PRIMARY KEY, b AS (boom(a)))",
        "CREATE INDEX i ON t(boom(a))",
        "CREATE VIEW v AS SELECT boom(a) FROM t",
        "INSERT INTO t(a) VALUES ('x')",
        "PRAGMA writable_schema=ON",
        "INSERT INTO sqlite_schema VALUES ('table', 'm', 'm', 0, 'CREATE VIRTUAL TABLE m USING no()')",
    ):
        connection.execute(statement)
    connection.close()

    result = run_detector(Sqlite(PATIENT), {}, {"app.db": path.read_bytes()}, tmp_path)

    assert result.problems == ()
    assert fact_rows(list(result.findings[0].facts)) == [
        ("added", "m", None, None, ("new database",)),
        ("added", "t", None, "1", ("new database",)),
    ]


def test_a_schema_with_too_many_tables_is_said_to_have_them(tmp_path: Path) -> None:
    many = database(tmp_path, "BEGIN", *(f"CREATE TABLE t{n}(a)" for n in range(5001)), "COMMIT")

    result = run_detector(Sqlite(PATIENT), {}, {"app.db": many}, tmp_path)

    assert result.problems == (("app.db", "has more than 5,000 tables"),)


def test_only_some_files_of_other_names_are_looked_at(tmp_path: Path) -> None:
    good = database(tmp_path, *THREE)
    new = {f"f{n:04}.bin": bytes(512) for n in range(300)} | {"z.bin": good, "z.db": good}

    result = run_detector(Sqlite(PATIENT), {}, new, tmp_path)

    assert [finding.claims for finding in result.findings] == [("z.db",)]


def _exploding(directory: Path) -> bytes:
    """Return a small database whose one table takes practically forever to count."""
    content = bytearray(database(directory, f"PRAGMA page_size={PAGE}", USERS))
    content += bytes(PAGE * 15)
    last = len(content) // PAGE
    content[28:32] = struct.pack(">I", last)
    for page in range(2, last):  # an interior page, each of whose children is the next page
        cells = 300
        at = (page - 1) * PAGE
        start = PAGE - 5 * cells
        header = struct.pack(">BHHHBI", 5, 0, cells, start, 0, page + 1)
        pointers = b"".join(struct.pack(">H", start + 5 * n) for n in range(cells))
        bodies = (struct.pack(">I", page + 1) + b"\x01") * cells
        whole = header + pointers
        content[at : at + PAGE] = whole + bytes(start - len(whole)) + bodies
    at = (last - 1) * PAGE
    content[at : at + 10] = struct.pack(">BHHHBH", 13, 0, 1, PAGE - 5, 0, PAGE - 5)
    content[at + PAGE - 5 : at + PAGE] = bytes((3, 1, 3, 0, 0))  # one row of two nulls
    return bytes(content)


class Stopped(BaseException):
    """As the worker raises it when a detector has used up its time."""


def test_a_detector_that_is_stopped_while_sqlite_reads_stops(tmp_path: Path) -> None:
    found = evidence({}, {"app.db": database(tmp_path, *THREE)})
    reads = 0

    def stop(at: int, length: int) -> bytes:
        nonlocal reads
        reads += 1
        raise Stopped

    tree = found.new
    assert isinstance(tree, MemoryTree)
    reader = tree.reader("app.db")
    assert reader is not None
    reader.read = stop  # type: ignore[method-assign]
    tree.reader = lambda path: reader if path == "app.db" else None  # type: ignore[method-assign]

    with pytest.raises(Stopped):
        list(analyse(found, [Sqlite(PATIENT)], [], ask))
    assert reads == 1
