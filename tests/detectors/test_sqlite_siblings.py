"""Other shapes of databases, and losses of other kinds."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from clew.detectors.databases.sqlite import Sqlite
from clew.detectors.databases.sqlite_limits import SqliteLimits
from clew.model.fact import Fact
from tests.detectors.real_git import Repo
from tests.detectors.sqlite_files import (
    PATIENT,
    THREE,
    USERS,
    database,
    fact_rows,
    full_story,
    in_use,
    run_detector,
)
from tests.kit.moments import Moment

MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < {}) "


def fill(table: str, rows: int, values: str = "i, 'name ' || i") -> str:
    return f"INSERT INTO {table} " + MANY.format(rows) + f"SELECT {values} FROM n"


def facts(old: Moment, new: Moment, scratch: Path, limits: SqliteLimits = PATIENT) -> list[Fact]:
    result = run_detector(Sqlite(limits), old, new, scratch)
    assert result.problems == ()
    return [fact for finding in result.findings for fact in finding.facts]


def headline(old: Moment, new: Moment, scratch: Path) -> str:
    return full_story(Sqlite(PATIENT), old, new, scratch).headline


@pytest.mark.parametrize("settings", [
    ("PRAGMA page_size=512",), ("PRAGMA page_size=65536",), ("PRAGMA encoding='UTF-16le'",),
    ("PRAGMA encoding='UTF-16be'",), ("PRAGMA auto_vacuum=FULL",), ("PRAGMA auto_vacuum=INCREMENTAL",),
    ("PRAGMA page_size=1024", "PRAGMA secure_delete=ON"),
])  # fmt: skip
@pytest.mark.parametrize("limit", [1 << 30, 2000])
def test_every_layout_is_counted(tmp_path: Path, settings: tuple[str, ...], limit: int) -> None:
    long = f"CREATE TABLE long({', '.join(f'column_number_{n} TEXT' for n in range(300))})"
    old = {"app.db": database(tmp_path, *settings, USERS, long, fill("users", 20_000),
                              "CREATE TABLE gone(a)", "INSERT INTO gone VALUES (1), (2)")}  # fmt: skip
    new = {"app.db": database(tmp_path, "DROP TABLE gone", "DELETE FROM users WHERE id > 1000",
                              "ALTER TABLE long ADD COLUMN last", base=old)}  # fmt: skip

    found = facts(old, new, tmp_path, PATIENT._replace(counted_bytes=limit))

    assert [(fact.kind, fact.subject, fact.severity) for fact in found] == [
        ("table.removed", "gone", "high"), ("table.changed", "long", "none"),
        ("table.changed", "users", "high"),
    ]  # fmt: skip
    assert [(found[2].before or "").lstrip("~"), (found[2].after or "").lstrip("~")] == ["20000", "1000"]  # fmt: skip


def test_a_table_without_rowids_is_counted_with_the_pages_above(tmp_path: Path) -> None:
    table = "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID"
    values = "hex(i * 7919 % 30011) || 'key', i"
    old = {"app.db": database(tmp_path, "PRAGMA page_size=1024", table, fill("w", 30_000, values))}
    new = {"app.db": database(tmp_path, "DELETE FROM w WHERE v > 5000", base=old)}

    assert fact_rows(facts(old, new, tmp_path)) == [("changed", "w", "30000", "5000", ())]
    (fact,) = facts(old, new, tmp_path, PATIENT._replace(counted_bytes=1))
    assert 27_000 < int((fact.before or "").lstrip("~")) < 33_000
    assert fact.severity == "high"


def test_a_table_with_very_many_pages_is_sampled(tmp_path: Path) -> None:
    scattered = fill("users", 300_000, "i * 17, hex(i * 2654435761 % 99991)")
    old = {"app.db": database(tmp_path, "PRAGMA page_size=512", "PRAGMA journal_mode=OFF", USERS, scattered,
                              "CREATE TABLE coupons(a)", "INSERT INTO coupons VALUES (1)")}  # fmt: skip
    less = {"app.db": database(tmp_path, "DELETE FROM users WHERE id % 10 > 3", base=old)}
    same = {"app.db": database(tmp_path, "DROP TABLE coupons", base=old)}
    limits = PATIENT._replace(counted_bytes=1000)

    (fact,) = facts(old, less, tmp_path, limits)
    assert fact.severity == "high"
    assert 270_000 < int((fact.before or "").lstrip("~")) < 330_000
    assert int((fact.after or "").lstrip("~")) < 150_000
    assert [fact.subject for fact in facts(old, same, tmp_path, limits)] == ["coupons"]


def test_a_table_dropped_in_the_write_ahead_log_is_told(tmp_path: Path) -> None:
    old = in_use(
        tmp_path, USERS, fill("users", 5000), "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)"
    )
    new = in_use(tmp_path, "DROP TABLE users", fill("t", 900, "i"))
    new["app.db"] = old["app.db"] = database(tmp_path, base=old)

    assert fact_rows(facts(old, new, tmp_path)) == [
        ("changed", "t", "1", "901", ()), ("removed", "users", "5000", None, ()),
    ]  # fmt: skip


def test_a_database_in_wal_mode_at_rest_is_read(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, "PRAGMA journal_mode=WAL", *THREE)}
    new = {"app.db": database(tmp_path, "DROP TABLE users", base=old)}

    assert fact_rows(facts(old, new, tmp_path)) == [("removed", "users", "3", None, ())]


def test_a_transaction_that_was_not_committed_did_not_happen(tmp_path: Path) -> None:
    old = in_use(tmp_path, *THREE)
    connection = sqlite3.connect(tmp_path / "app.db", isolation_level=None)
    connection.execute("PRAGMA cache_size=2")
    connection.execute("BEGIN")
    connection.execute(fill("users(name)", 3000, "'x' || i"))
    new = {path.name: path.read_bytes() for path in tmp_path.glob("app.db*")}
    connection.close()
    assert len(new["app.db-wal"]) > len(old["app.db-wal"])

    assert facts(old, new, tmp_path) == []


def test_a_dropped_column_is_a_loss_and_a_renamed_one_is_none(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 500))}
    dropped = {"app.db": database(tmp_path, "ALTER TABLE users DROP COLUMN name", base=old)}
    renamed = {"app.db": database(tmp_path, "ALTER TABLE users RENAME name TO title", base=old)}
    replaced = {"app.db": database(tmp_path, "CREATE TABLE users(id INTEGER PRIMARY KEY, email TEXT)",
                                   fill("users", 500, "i, 'mail ' || i"))}  # fmt: skip
    empty = {"app.db": database(tmp_path, USERS)}
    no_rows = {"app.db": database(tmp_path, "ALTER TABLE users DROP COLUMN name", base=empty)}

    assert headline(old, dropped, tmp_path) == "! app.db: column name of users dropped (500 rows)"
    assert headline(old, renamed, tmp_path) == "app.db: users column name renamed title"
    assert [(fact.marks, fact.severity) for fact in facts(old, replaced, tmp_path)] == [
        (("+column email", "-column name"), "high")
    ]
    assert [fact.severity for fact in facts(empty, no_rows, tmp_path)] == ["none"]


def test_lost_rows_are_told_with_their_number(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 121), "CREATE TABLE orders AS SELECT * FROM users")}  # fmt: skip
    some = {"app.db": database(tmp_path, "DELETE FROM users WHERE id > 3", base=old)}
    all_of_one = {"app.db": database(tmp_path, "DELETE FROM users", base=old)}
    all_of_both = {
        "app.db": database(tmp_path, "DELETE FROM users", "DELETE FROM orders", base=old)
    }

    assert headline(old, some, tmp_path) == "! app.db: users lost 118 of 121 rows"
    assert headline(old, all_of_one, tmp_path) == "! app.db: users lost all 121 rows"
    assert headline(old, all_of_both, tmp_path) == "! app.db: all 242 rows of 2 tables lost"


def test_a_database_replaced_by_one_without_tables_was_emptied(tmp_path: Path) -> None:
    old = {
        "app.db": database(
            tmp_path, USERS, fill("users", 121), "CREATE TABLE a(x)", "CREATE TABLE b(x)"
        )
    }
    one = {"app.db": database(tmp_path, USERS, fill("users", 121))}
    new = {"app.db": database(tmp_path, "PRAGMA user_version=1")}

    assert headline(old, new, tmp_path) == "! app.db emptied (3 tables, 121 rows)"
    assert headline(one, new, tmp_path) == "! app.db: table users dropped (121 rows)"
    assert headline(one, {"app.db": b""}, tmp_path) == "! app.db emptied (1 table, 121 rows)"


@pytest.mark.parametrize("path", ["test.sqlite3", "test_app.db", "app-test.db", "tests/app.db", "tmp/app.db", "pkg/fixtures/shop.db", "http_cache.sqlite"])  # fmt: skip
def test_what_tests_make_is_told_without_a_warning(tmp_path: Path, path: str) -> None:
    old = {path: database(tmp_path, USERS, fill("users", 500))}

    for new in (
        {},
        {path: database(tmp_path, USERS)},
        {path: database(tmp_path, "CREATE TABLE t(a)")},
    ):
        found = facts(old, new, tmp_path)
        assert found
        assert {fact.severity for fact in found} == {"none"}


@pytest.mark.parametrize(
    "path", ["latest.db", "contest.sqlite3", "testimonials.db", "protest/app.db"]
)
def test_a_name_that_only_contains_test_is_no_test_database(tmp_path: Path, path: str) -> None:
    old = {path: database(tmp_path, USERS, fill("users", 500))}

    assert [fact.severity for fact in facts(old, {}, tmp_path)] == ["high"]


def test_sessions_and_caches_come_and_go(tmp_path: Path) -> None:
    names = ("django_session", "sessions", "http_cache", "job_queue", "celery_taskmeta")
    made = [f"CREATE TABLE {name} AS SELECT * FROM users" for name in names]
    old = {"app.db": database(tmp_path, USERS, fill("users", 500), *made)}
    new = {"app.db": database(tmp_path, *(f"DELETE FROM {name}" for name in names), base=old)}

    found = facts(old, new, tmp_path)

    assert {(fact.before, fact.after, fact.severity) for fact in found} == {("500", "0", "none")}


def test_a_database_that_git_has_is_not_lost_with_its_file(tmp_path: Path) -> None:
    content = database(tmp_path, USERS, fill("users", 500))
    repo = Repo(tmp_path / "project")
    repo.git("init", "-q")
    (repo.path / "app.db").write_bytes(content)
    repo.git("add", "app.db")
    kept = {path: thing for path, thing in repo.moment().items() if path.startswith(".git")}
    edited = database(tmp_path, "UPDATE users SET name='x'", base={"app.db": content})

    (fact,) = facts({"app.db": content, **kept}, kept, tmp_path)
    assert (fact.marks, fact.severity) == (("database removed", "git has it"), "none")

    (fact,) = facts({"app.db": edited, **kept}, kept, tmp_path)
    assert (fact.marks, fact.severity) == (("database removed",), "high")


def test_a_rebuilt_table_is_the_same_table(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 500), "CREATE INDEX i ON users(name)")}
    rebuilt = (
        "CREATE TABLE users_new(id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO users_new SELECT * FROM users", "DROP TABLE users",
        "ALTER TABLE users_new RENAME TO users", "CREATE INDEX i ON users(name)",
    )  # fmt: skip
    new = {"app.db": database(tmp_path, *rebuilt, base=old)}
    half_done = {"app.db": database(tmp_path, *rebuilt[:3], base=old)}

    assert facts(old, new, tmp_path) == []
    assert fact_rows(facts(old, half_done, tmp_path)) == [
        ("changed", "users_new", "500", "500", ("renamed from users", "-index i"))
    ]


def test_a_long_table_is_renamed_too(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 30_000))}
    new = {"app.db": database(tmp_path, "ALTER TABLE users RENAME TO people", base=old)}

    for limit in (1 << 30, 1):
        (fact,) = facts(old, new, tmp_path, PATIENT._replace(counted_bytes=limit))
        assert (fact.kind, fact.marks, fact.severity) == (
            "table.changed", ("renamed from users",), "none",
        )  # fmt: skip


def test_views_that_come_and_go_are_told(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE, "CREATE VIEW a AS SELECT 1", "CREATE VIEW b AS SELECT 2")}  # fmt: skip
    new = {"app.db": database(tmp_path, "DROP VIEW a", "DROP VIEW b", "CREATE VIEW b AS SELECT 3",
                              "CREATE VIEW c AS SELECT 4", base=old)}  # fmt: skip

    story = full_story(Sqlite(PATIENT), old, new, tmp_path)

    assert [line.text for line in story.lines] == ["app.db: view a dropped, new view c and b view changed"]  # fmt: skip


def test_migrations_are_named(tmp_path: Path) -> None:
    made = ("CREATE TABLE django_migrations(id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT)",
            "INSERT INTO django_migrations VALUES (1, 'shop', '0001_initial', '')")  # fmt: skip
    old = {"app.db": database(tmp_path, *THREE, *made)}
    new = {"app.db": database(tmp_path, "INSERT INTO django_migrations VALUES (2, 'shop', '0002_refund', ''),"
                              " (3, 'shop', 'canary;drop', '')", base=old)}  # fmt: skip

    story = full_story(Sqlite(PATIENT), old, new, tmp_path)

    assert story.headline == "app.db: django_migrations 1 → 3 rows, migration shop.0002_refund applied"  # fmt: skip
    assert "canary" not in repr(story)


def test_the_current_migration_of_a_table_with_one_row_is_told(tmp_path: Path) -> None:
    made = ("CREATE TABLE alembic_version(version_num TEXT PRIMARY KEY)",
            "INSERT INTO alembic_version VALUES ('1a2b3c')")  # fmt: skip
    old = {"app.db": database(tmp_path, *THREE, *made)}
    new = {"app.db": database(tmp_path, "UPDATE alembic_version SET version_num='2b3c4d'",
                              "ALTER TABLE users ADD COLUMN last_login", base=old)}  # fmt: skip

    story = full_story(Sqlite(PATIENT), old, new, tmp_path)

    assert story.headline == "app.db: users +column last_login and 1 more"
    assert "alembic_version migration 1a2b3c → 2b3c4d" in story.lines[0].text


def test_pages_changed_at_random_never_do_harm_in_large_tables(tmp_path: Path) -> None:
    whole = database(tmp_path, "PRAGMA page_size=512", USERS, fill("users", 20_000))
    chance = random.Random(11)
    for _ in range(30):
        bad = bytearray(whole)
        for _ in range(60):
            bad[chance.randrange(100, len(bad))] = chance.randrange(256)
        for old, new in ((whole, bytes(bad)), (bytes(bad), whole)):
            result = run_detector(Sqlite(PATIENT), {"app.db": old}, {"app.db": new}, tmp_path)
            assert result.findings or result.problems
            assert "cannot be read" not in str(result.problems)
