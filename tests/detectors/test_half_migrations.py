"""Migrations that were applied in part, and those that are complete or still to come."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from clew.detectors.data.half_migrations import HalfMigrations
from clew.story.words import phrase
from tests.kit.losses import tell
from tests.kit.moments import Moment, facts, file

DJANGO = b"""
class Migration(migrations.Migration):
    operations = [
        migrations.AddField("order", "gift_note", models.CharField(max_length=200)),
        migrations.RunPython(fill),
    ]
"""
ALEMBIC = b"""
revision = "8f3c2a91d0b4"
def upgrade():
    op.add_column("orders", sa.Column("gift_note", sa.Text()))
"""
RAILS = (
    b"class AddNote < ActiveRecord::Migration[7.1]\n  add_column :orders, :gift_note, :text\nend\n"
)
SQL = b"-- migrate:up\nALTER TABLE orders ADD COLUMN gift_note TEXT;\nUPDATE orders SET x = 1;\n"
KNEX = b"exports.up = (knex) => knex.schema.alterTable('orders', (table) => { table.text('gift_note'); });"

TOOLS = [
    ("orders/migrations/0002_note.py", DJANGO, "django_migrations", "0002_note"),
    ("alembic/versions/8f3c_note.py", ALEMBIC, "alembic_version", "8f3c2a91d0b4"),
    ("db/migrate/20240501101010_add_note.rb", RAILS, "schema_migrations", "20240501101010"),
    ("db/migrations/20240501101010_add_note.sql", SQL, "schema_migrations", "20240501101010"),
    ("migrations/20240501_note.js", KNEX, "knex_migrations", "20240501_note.js"),
]


def _database(
    path: Path, table: str, *recorded: str, column: bool = False, other: bool = False
) -> bytes:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table} (name TEXT)")
        database.execute("CREATE TABLE orders (id INTEGER, customer TEXT)")
        database.executemany(
            f"INSERT INTO {table} VALUES (?)", [("0001_initial",), *((n,) for n in recorded)]
        )
        if column:
            database.execute('ALTER TABLE orders ADD COLUMN "gift_note" TEXT')
        if other:
            database.execute("INSERT INTO orders VALUES (1, 'a customer')")
    database.close()
    return path.read_bytes()


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (one.scope, one.subject, one.severity, one.marks)
        for one in facts(HalfMigrations(), old, new)
    ]


@pytest.mark.parametrize(("path", "content", "table", "key"), TOOLS)
def test_a_schema_with_what_an_unrecorded_migration_adds_is_half_migrated(
    tmp_path: Path, path: str, content: bytes, table: str, key: str
) -> None:
    made = tmp_path / "x.db"
    old = {"app.sqlite3": _database(made, table)}
    new = {"app.sqlite3": _database(made, table, column=True), path: content}

    stem = path.rpartition("/")[2].rpartition(".")[0]
    assert _said(old, new) == [
        ("sqlite:app.sqlite3", stem, "high", ("gift_note is there", "not recorded"))
    ]


@pytest.mark.parametrize(("path", "content", "table", "key"), TOOLS)
def test_a_complete_or_a_pending_migration_is_not_half_applied(
    tmp_path: Path, path: str, content: bytes, table: str, key: str
) -> None:
    made = tmp_path / "x.db"
    old = {"app.sqlite3": _database(made, table)}
    complete = {"app.sqlite3": _database(made, table, key, column=True), path: content}
    pending = {"app.sqlite3": _database(made, table, other=True), path: content}

    assert _said(old, complete) == []
    assert _said(old, pending) == []
    assert _said({}, complete) == []
    assert _said(complete, complete | {path: content + b"\n"}) == []


def test_a_migration_that_follows_a_complete_one_is_still_to_come(tmp_path: Path) -> None:
    made = tmp_path / "x.db"
    first, second = "orders/migrations/0002_note.py", "orders/migrations/0003_more.py"
    old = {"app.db": _database(made, "django_migrations")}
    new = {
        "app.db": _database(made, "django_migrations", "0002_note", column=True),
        first: DJANGO,
        second: DJANGO,
    }

    assert _said(old, new) == []


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"\xff" * 5_000])
def test_a_damaged_or_huge_database_says_nothing(content: bytes) -> None:
    old = {"app.db": b"SQLite format 3\0" + b"x"}

    assert _said(old, {"app.db": content, "m/migrations/0002_note.py": DJANGO}) == []
    huge: Moment = {"app.db": file(b"", size=1 << 40), "m/migrations/0002_note.py": DJANGO}
    assert _said(old, huge) == []


def test_the_words_name_the_migration_and_the_database(tmp_path: Path) -> None:
    made = tmp_path / "x.db"
    old = {"db/app.db": _database(made, "django_migrations")}
    new = {
        "db/app.db": _database(made, "django_migrations", column=True),
        "m/migrations/0002_note.py": DJANGO,
    }

    words = phrase("broken", facts(HalfMigrations(), old, new))

    assert words.short == "migration 0002_note applied in part to app.db (not recorded)"
    assert words.text == (
        "migration 0002_note applied in part to db/app.db (gift_note is there, not recorded)"
    )


def _revision(name: str, parent: str, table: str) -> bytes:
    return (
        f'revision: str = "{name}"\ndown_revision: Union[str, None] = {parent}\n'
        f'def upgrade():\n    op.create_table("{table}", sa.Column("id", sa.Integer))\n'
    ).encode()


CHAIN = {
    "migrations/versions/aa11_users.py": _revision("aa11", "None", "users"),
    "migrations/versions/bb22_bills.py": _revision("bb22", '"aa11"', "bills"),
    "migrations/versions/cc33_taxes.py": _revision("cc33", '("bb22",)', "taxes"),
}


def _revisions(path: Path, version: str, *tables: str, note: str = "") -> bytes:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE alembic_version (version_num TEXT)")
        database.execute("CREATE TABLE notes (text TEXT)")
        database.execute("INSERT INTO notes VALUES (?)", (note,))
        for table in tables:
            database.execute(f"CREATE TABLE {table} (id INTEGER)")
        database.execute("INSERT INTO alembic_version VALUES (?)", (version,))
    database.close()
    return path.read_bytes()


def _alarms(old: bytes, new: bytes, files: dict[str, bytes] = CHAIN) -> list[tuple[str, str]]:
    found = [*files.items()]
    both = [{"data/app.db": content, **dict(found)} for content in (old, new)]
    told = tell(both[0], both[1]).facts
    return [(one.subject, one.severity) for one in told if one.kind == "broken.migration"]


def test_a_migration_that_was_there_and_failed_in_the_middle_is_half_applied(
    tmp_path: Path,
) -> None:
    made = tmp_path / "x.db"
    old = _revisions(made, "aa11", "users")

    assert _alarms(old, _revisions(made, "aa11", "users", "bills")) == [("bb22_bills", "high")]
    two = _revisions(made, "bb22", "users", "bills", "taxes")  # the first of two is complete
    assert _alarms(old, two) == [("cc33_taxes", "high")]
    none = _revisions(made, "", "other")
    assert _alarms(none, _revisions(made, "", "other", "users")) == [("aa11_users", "high")]


def test_migrations_that_were_applied_together_are_complete(tmp_path: Path) -> None:
    made = tmp_path / "x.db"
    old = _revisions(made, "aa11", "users")
    new = _revisions(made, "cc33", "users", "bills", "taxes", note="the bytes of aa11 are left")

    assert _alarms(old, new) == []


def test_a_pending_migration_whose_name_is_in_a_row_is_not_half_applied(tmp_path: Path) -> None:
    made = tmp_path / "x.db"
    old = _revisions(made, "aa11", "users")

    assert _alarms(old, _revisions(made, "aa11", "users", note="bills")) == []
    assert _alarms(old, _revisions(made, "aa11", "users", "other")) == []


def test_migrations_of_dependencies_are_not_looked_at(tmp_path: Path) -> None:
    made = tmp_path / "x.db"
    inside = {f"data/.venv/lib/{path}": content for path, content in CHAIN.items()}
    old = _revisions(made, "aa11", "users")

    assert _alarms(old, _revisions(made, "aa11", "users", "bills"), inside) == []
