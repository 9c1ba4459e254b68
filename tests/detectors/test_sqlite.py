from __future__ import annotations

import struct
from pathlib import Path

import pytest

from clew.detectors.databases.sqlite import Sqlite
from clew.detectors.databases.sqlite_limits import SqliteLimits
from clew.detectors.files.generated import Generated
from clew.model.fact import Fact
from clew.story.words import phrase
from tests.detectors.sqlite_files import (
    PATIENT,
    THREE,
    USERS,
    crashed,
    database,
    fact_rows,
    full_story,
    in_use,
    run_detector,
)
from tests.kit.moments import Moment, story

CANARY = "canary-7f3a"
MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < {}) "


def fill(table: str, rows: int) -> str:
    return f"INSERT INTO {table}(name) " + MANY.format(rows) + "SELECT 'name ' || i FROM n"


def facts(old: Moment, new: Moment, scratch: Path, limits: SqliteLimits = PATIENT) -> list[Fact]:
    result = run_detector(Sqlite(limits), old, new, scratch)
    assert result.problems == ()
    return [fact for finding in result.findings for fact in finding.facts]


def test_rows_columns_indexes_and_tables_are_told(tmp_path: Path) -> None:
    old = {
        "app.db": database(
            tmp_path, *THREE, "CREATE TABLE gone AS SELECT 1", "CREATE INDEX i ON users(name)"
        )
    }
    new = {
        "app.db": database(
            tmp_path,
            "ALTER TABLE users ADD COLUMN email TEXT",
            fill("users", 120),
            "DROP INDEX i",
            "CREATE INDEX j ON users(email)",
            "DROP TABLE gone",
            "CREATE TABLE orders(id INTEGER PRIMARY KEY)",
            base=old,
        )
    }

    found = facts(old, new, tmp_path)

    assert fact_rows(found) == [
        ("removed", "gone", "1", None, ()),
        ("added", "orders", None, "0", ()),
        ("changed", "users", "3", "123", ("+column email", "+index j", "-index i")),
    ]
    assert [fact.severity for fact in found] == ["high", "none", "none"]
    assert {fact.scope for fact in found} == {"sqlite:app.db"}


def test_rows_that_are_only_in_the_write_ahead_log_count(tmp_path: Path) -> None:
    old = in_use(tmp_path, *THREE)
    new = in_use(tmp_path, fill("users", 120), "ALTER TABLE users ADD COLUMN email")
    new["app.db"] = old["app.db"] = database(tmp_path, base=old)  # only the log differs

    result = run_detector(Sqlite(PATIENT), {"srv/" + name: content for name, content in old.items()},
                   {"srv/" + name: content for name, content in new.items()}, tmp_path)  # fmt: skip

    assert fact_rows(list(result.findings[0].facts)) == [
        ("changed", "users", "3", "123", ("+column email",))
    ]
    assert set(result.findings[0].claims) == {"srv/app.db-shm", "srv/app.db-wal"}


def test_a_hot_journal_is_played_back(tmp_path: Path) -> None:
    base = database(tmp_path, USERS, fill("users", 3000))
    torn = crashed(tmp_path, base)
    assert torn["app.db"] != base
    assert torn["app.db-journal"].startswith(bytes.fromhex("d9d505f920a163d7"))

    result = run_detector(Sqlite(PATIENT), {"app.db": base}, torn, tmp_path)

    assert [(finding.facts, finding.text) for finding in result.findings] == [
        ((), "app.db rewritten, same rows")
    ]
    assert set(result.findings[0].claims) == {"app.db", "app.db-journal"}


def test_a_journal_that_names_another_file_is_not_played_back(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"SQLite deletes a super-journal that no journal refers to")
    base = database(tmp_path, USERS, fill("users", 3000))
    torn = crashed(tmp_path, base)
    name = str(victim).encode()
    trailer = struct.pack(">I", 1) + name
    trailer += struct.pack(">II", len(name), sum(name)) + bytes.fromhex("d9d505f920a163d7")
    torn["app.db-journal"] += trailer

    result = run_detector(Sqlite(PATIENT), {"app.db": base}, torn, tmp_path)

    assert victim.exists()
    assert result.problems == (("app.db", "was left inside a transaction over several databases"),)


@pytest.mark.parametrize("statement", ["VACUUM", "ANALYZE", "PRAGMA user_version=7", "REINDEX"])
def test_writing_a_database_anew_is_no_fact_but_is_explained(
    tmp_path: Path, statement: str
) -> None:
    old = {"app.db": database(tmp_path, *THREE, fill("users", 900), "CREATE INDEX i ON users(name)",
                              "DELETE FROM users WHERE id % 2")}  # fmt: skip
    new = {"app.db": database(tmp_path, "CREATE TABLE t(x)", "DROP TABLE t", statement, base=old)}
    assert old != new

    result = run_detector(Sqlite(PATIENT), old, new, tmp_path)

    assert [tuple(finding) for finding in result.findings] == [
        ((), ("app.db",), "app.db rewritten, same rows")
    ]


def test_edited_rows_are_noticed_where_the_count_is_the_same(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE)}
    new = {"app.db": database(tmp_path, f"UPDATE users SET name='{CANARY}' WHERE id=2", base=old)}

    assert fact_rows(facts(old, new, tmp_path)) == [
        ("changed", "users", "3", "3", ("1 row edited",))
    ]
    assert CANARY not in repr(full_story(Sqlite(PATIENT), old, new, tmp_path))


def test_edits_in_a_long_table_are_counted_from_its_pages(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 40_000))}
    new = {"app.db": database(tmp_path, "UPDATE users SET name='x' WHERE id % 100 = 0", base=old)}

    assert fact_rows(facts(old, new, tmp_path)) == [
        ("changed", "users", "40000", "40000", ("400 rows edited",))
    ]
    vacuumed = {"app.db": database(tmp_path, "DELETE FROM users WHERE id % 2", base=old)}
    again = {"app.db": database(tmp_path, "VACUUM", base=vacuumed)}
    result = run_detector(Sqlite(PATIENT), vacuumed, again, tmp_path)
    assert [finding.text for finding in result.findings] == ["app.db rewritten, same rows"]


def test_edits_of_too_many_rows_are_explained_all_the_same(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 10_001))}
    new = {"app.db": database(tmp_path, "UPDATE users SET name='x'", base=old)}

    result = run_detector(Sqlite(PATIENT._replace(compared_cells=5000)), old, new, tmp_path)

    assert [tuple(finding) for finding in result.findings] == [
        ((), ("app.db",), "app.db changed inside")
    ]


def test_an_edit_in_the_far_end_of_a_long_text_is_noticed(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, USERS, "INSERT INTO users VALUES (1, hex(zeroblob(9000)) || 'a')")}  # fmt: skip
    new = {"app.db": database(tmp_path, "UPDATE users SET name = substr(name, 1, 18000) || 'b'", base=old)}  # fmt: skip

    assert [fact.marks for fact in facts(old, new, tmp_path)] == [("1 row edited",)]


@pytest.mark.parametrize(
    ("left", "severity"), [(0, "high"), (49, "high"), (50, "none"), (90, "none"), (120, "none")]
)
def test_losing_most_rows_is_a_warning(tmp_path: Path, left: int, severity: str) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 100))}
    new = {"app.db": database(tmp_path, USERS, *([fill("users", left)] if left else []))}

    assert [fact.severity for fact in facts(old, new, tmp_path)] == [severity]


def test_losing_a_few_rows_of_a_few_is_none(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE)}
    new = {"app.db": database(tmp_path, "DELETE FROM users", base=old)}

    assert [fact.severity for fact in facts(old, new, tmp_path)] == ["none"]


def test_a_renamed_table_is_not_a_dropped_one(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE)}
    new = {"app.db": database(tmp_path, "ALTER TABLE users RENAME TO people", base=old)}

    found = facts(old, new, tmp_path)

    assert fact_rows(found) == [("changed", "people", "3", "3", ("renamed from users",))]
    assert found[0].severity == "none"


def test_a_table_made_where_another_was_dropped_is_not_a_renamed_one(tmp_path: Path) -> None:
    for rows in ("", " VALUES (1), (2)"):
        fill = f"INSERT INTO {{}}{rows}" if rows else "SELECT '{}'"
        old = {"app.db": database(tmp_path, "CREATE TABLE gone(x)", fill.format("gone"))}
        made = ("DROP TABLE gone", "CREATE TABLE made(x)", fill.format("made").replace("2", "3"))
        new = {"app.db": database(tmp_path, *made, base=old)}

        assert [fact.kind for fact in facts(old, new, tmp_path)] == ["table.removed", "table.added"]


def test_a_changed_type_trigger_or_constraint_is_marked(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, "CREATE TABLE a(age TEXT)", "CREATE TABLE b(x INT)")}
    new = {
        "app.db": database(
            tmp_path,
            "CREATE TABLE a(age INTEGER)",
            "CREATE TABLE b(x INT NOT NULL)",
            "CREATE TRIGGER spy AFTER INSERT ON b BEGIN DELETE FROM a; END",
        )
    }

    assert fact_rows(facts(old, new, tmp_path)) == [
        ("changed", "a", "0", "0", ("type of age changed",)),
        ("changed", "b", "0", "0", ("definition changed", "+trigger spy")),
    ]


def test_full_text_search_is_one_table_with_its_documents(tmp_path: Path) -> None:
    old: Moment = {}
    new = {
        "app.db": database(
            tmp_path,
            "CREATE VIRTUAL TABLE notes USING fts5(body)",
            "INSERT INTO notes VALUES ('a'), ('b')",
            "CREATE TABLE plain(id INTEGER PRIMARY KEY AUTOINCREMENT)",
        )
    }

    assert fact_rows(facts(old, new, tmp_path)) == [
        ("added", "notes", None, "2", ("new database",)),
        ("added", "plain", None, "0", ("new database",)),
    ]


def test_a_database_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    content = database(tmp_path, *THREE)
    new = {"data/store": content, "real.db": b"no database, " * 100, "odd.bin": content[:-1]}

    result = run_detector(Sqlite(PATIENT), {}, new, tmp_path)

    assert [finding.claims for finding in result.findings] == [("data/store",)]


def test_a_deleted_database_lost_its_tables(tmp_path: Path) -> None:
    found = facts({"app.db": database(tmp_path, *THREE)}, {}, tmp_path)

    assert fact_rows(found) == [("removed", "users", "3", None, ("database removed",))]
    assert found[0].severity == "high"


def test_an_empty_table_that_is_dropped_is_no_loss(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE, "CREATE TABLE empty(x)")}
    new = {"app.db": database(tmp_path, "DROP TABLE empty", base=old)}

    (fact,) = facts(old, new, tmp_path)

    assert (fact.subject, fact.severity) == ("empty", "none")


def test_a_database_that_became_another_file_is_a_loss(tmp_path: Path) -> None:
    old = {"app.db": database(tmp_path, *THREE)}
    for content, mark in ((b"text\n", "no database any more"), (b"", "database emptied")):
        (fact,) = facts(old, {"app.db": content}, tmp_path)
        assert (fact.kind, fact.marks, fact.severity) == ("table.removed", (mark,), "high")


def test_a_database_that_cannot_be_read_any_more_is_damaged(tmp_path: Path) -> None:
    whole = database(tmp_path, USERS, fill("users", 2000))

    torn = whole[:4096] + b"x" * (len(whole) - 4096)
    (fact,) = facts({"app.db": whole}, {"app.db": torn}, tmp_path)
    assert fact.marks == ("damaged, could be read before",)
    assert (fact.kind, fact.subject, fact.severity) == ("table.changed", "users", "note")

    garbage = whole[:100] + b"\xff" * (len(whole) - 100)
    (fact,) = facts({"app.db": whole}, {"app.db": garbage}, tmp_path)
    assert fact.marks == ("damaged, could be read before",)
    assert (fact.kind, fact.severity) == ("data.changed", "note")


def test_a_database_whose_end_is_missing_is_a_loss(tmp_path: Path) -> None:
    whole = database(tmp_path, USERS, fill("users", 2000))

    (fact,) = facts({"app.db": whole}, {"app.db": whole[:8192]}, tmp_path)

    assert fact.marks == ("cut short, 8.2 kB of 45.1 kB left",)
    assert (fact.kind, fact.severity) == ("data.changed", "high")


def test_a_damaged_table_does_not_silence_the_others(tmp_path: Path) -> None:
    tables = (f"CREATE TABLE t{n}(a)" for n in range(3))
    rows = (f"INSERT INTO t{n} " + MANY.format(50) + "SELECT i FROM n" for n in range(3))
    old = {"app.db": database(tmp_path, *tables, *rows)}
    new = bytearray(database(tmp_path, "DROP TABLE t2", base=old))
    new[4096:8192] = b"\x07" * 4096  # the page of the first table

    found = facts(old, {"app.db": bytes(new)}, tmp_path)

    assert [(fact.subject, fact.kind, fact.severity) for fact in found] == [
        ("t0", "table.changed", "note"), ("t2", "table.removed", "high"),
    ]  # fmt: skip


def test_a_database_that_was_moved_or_copied_lost_nothing(tmp_path: Path) -> None:
    content = database(tmp_path, *THREE)
    (fact,) = facts({"app.db": content}, {"data/app.db": content}, tmp_path)
    assert (fact.kind, fact.subject, fact.marks) == (
        "data.changed", "data/app.db", ("moved from app.db",),
    )  # fmt: skip

    (fact,) = facts({"app.db": content}, {"app.db": content, "app.db.bak": content}, tmp_path)
    assert (fact.subject, fact.marks) == ("app.db.bak", ("copy of app.db",))


def test_many_databases_of_one_directory_are_counted(tmp_path: Path) -> None:
    old = {f"d/{number}.db": database(tmp_path, USERS) for number in range(13)}
    new = {path: database(tmp_path, *THREE) for path in old}

    (fact,) = facts(old, new, tmp_path)

    assert (fact.subject, fact.marks) == ("d", ("13 databases changed",))


def test_databases_of_applications_share_one_line_without_facts(tmp_path: Path) -> None:
    content = database(tmp_path, *THREE)
    paths = ("home/a/.config/google-chrome/Default/Cookies", ".claude/state.db",
             "home/a/.vscode/state.vscdb")  # fmt: skip
    made = (".coverage", ".coverage.host.12.XaBc", "home/a/.cache/x/y.db", ".mypy_cache/3.12/c.db")

    result = run_detector(Sqlite(PATIENT), dict.fromkeys((*paths, *made), content), {}, tmp_path)

    assert [(f.facts, f.text, set(f.claims)) for f in result.findings] == [
        ((), "app state changed", set(paths))
    ]


def test_a_database_of_a_tool_is_build_output() -> None:
    path = {".coverage": b"SQLite format 3\0" + bytes(600), ".gitignore": b""}

    told = story([Sqlite(PATIENT)], path, {**path, ".coverage": bytes(900)}, [Generated()])

    assert told.headline == "build output changed (1 file: .coverage)"


def _grown(directory: Path) -> tuple[bytes, bytes]:
    """Return a database, and the same some transactions later."""
    early = database(directory, USERS, fill("users", 3000))
    rows = ("INSERT INTO users(name) VALUES ('late')",) * 40
    return early, database(directory, *rows, base={"app.db": early})


def test_an_older_copy_of_a_database_is_a_loss_of_the_newest_rows(tmp_path: Path) -> None:
    early, late = _grown(tmp_path)

    (fact,) = facts({"app.db": late}, {"app.db": early}, tmp_path)
    assert (fact.before, fact.after, fact.severity) == ("3040", "3000", "high")
    assert fact.marks == ("replaced by an older copy",)
    told = phrase("table", [fact])
    assert told.short == "app.db replaced by an older copy (users lost 40 of 3,040 rows)"
    assert told.shortest == "app.db replaced by an older copy"


def test_an_older_copy_is_no_loss_if_the_newer_one_was_kept(tmp_path: Path) -> None:
    early, late = _grown(tmp_path)

    for kept in ({"backup/late": late}, {"app.db.bak": late}):
        found = facts({"app.db": late}, {"app.db": early, **kept}, tmp_path)
        assert {fact.severity for fact in found} == {"none"}


def test_rows_deleted_in_place_are_no_older_copy(tmp_path: Path) -> None:
    _, late = _grown(tmp_path)
    less = database(tmp_path, "DELETE FROM users WHERE id > 3000", base={"app.db": late})

    (fact,) = facts({"app.db": late}, {"app.db": less}, tmp_path)
    assert (fact.severity, fact.marks) == ("none", ())


def test_a_database_made_from_nothing_is_no_older_copy(tmp_path: Path) -> None:
    _, late = _grown(tmp_path)
    other = database(tmp_path, USERS, "CREATE INDEX names ON users(name)", fill("users", 3000))

    found = facts({"app.db": late}, {"app.db": other}, tmp_path)
    assert all("replaced by an older copy" not in fact.marks for fact in found)


def test_tables_above_the_budget_are_estimated_and_their_difference_is_exact(
    tmp_path: Path,
) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 30_000))}
    new = {
        "app.db": database(tmp_path, "DELETE FROM users WHERE id < 3", fill("users", 9), base=old)
    }

    found = facts(old, new, tmp_path, PATIENT._replace(counted_bytes=1000))

    assert fact_rows(found) == [("changed", "users", "~30000", "~30007", ())]


@pytest.mark.parametrize("limit", [1 << 30, 1000])
def test_a_large_table_that_lost_most_rows_is_a_warning(tmp_path: Path, limit: int) -> None:
    old = {"app.db": database(tmp_path, USERS, fill("users", 30_000))}
    new = {"app.db": database(tmp_path, "DELETE FROM users WHERE id % 10", base=old)}

    (fact,) = facts(old, new, tmp_path, PATIENT._replace(counted_bytes=limit))

    assert (fact.before or "").lstrip("~") == "30000"
    assert (fact.after or "").lstrip("~") == "3000"
    assert fact.severity == "high"


def test_nothing_is_written_to_disk(tmp_path: Path) -> None:
    new = {"app.db": database(tmp_path, *THREE)}

    assert [fact.subject for fact in facts({}, new, tmp_path)] == ["users"]
    assert run_detector(Sqlite(PATIENT), {}, new, None).problems == ()
