"""What a migration will drop when it runs."""

from __future__ import annotations

import time

import pytest

from clew.detectors.data.planned_drops import PlannedDrops
from clew.detectors.files.source_files import SourceFiles
from tests.kit.moments import evidence, facts, findings, story

_MIGRATIONS = [
    ("migrations/0007_x.sql", "ALTER TABLE orders ADD COLUMN note text;\nDROP TABLE invoices;\n", ("drops invoices",)),
    ("db/V7__x.sql", 'drop table if exists "shop"."invoices", `lines` cascade;', ("drops shop.invoices", "drops lines")),
    ("x.sql", "ALTER TABLE ONLY users DROP COLUMN IF EXISTS phone, DROP CONSTRAINT a, DROP email;", ("drops column users.phone", "drops column users.email")),
    ("x.sql", "TRUNCATE TABLE sessions;\nDELETE FROM audit;\nDELETE FROM a WHERE id = 1;", ("empties sessions", "empties audit")),
    ("x.sql", "DROP DATABASE shop; DROP SCHEMA old CASCADE;", ("drops database shop", "drops schema old")),
    ("migrations/1.sql", "-- +goose Up\nDROP TABLE a;\n-- +goose Down\nCREATE TABLE b (id int);\nDROP TABLE c;\n", ("drops a",)),
    ("shop/migrations/0007_x.py", "operations = [migrations.DeleteModel(name='Invoice'), migrations.RemoveField(model_name='user', name='phone')]", ("drops Invoice", "drops column user.phone")),
    ("alembic/versions/ab_x.py", "def upgrade():\n    op.drop_table('invoices')\n    op.drop_column('users', 'phone')\n\ndef downgrade():\n    op.drop_table('other')\n", ("drops invoices", "drops column users.phone")),
    ("migrations/0008_x.py", "migrations.RunSQL('DROP TABLE invoices')", ("drops invoices",)),
    ("db/migrate/7_x.rb", "def up\n  drop_table :invoices\n  remove_column :users, :phone, :string\nend\n\ndef down\n  drop_table :x\nend\n", ("drops invoices", "drops column users.phone")),
    ("database/migrations/x.php", "public function up()\n{\n  Schema::dropIfExists('invoices');\n}\npublic function down()\n{\n  Schema::drop('x');\n}\n", ("drops invoices",)),
    ("migrations/x.js", "exports.up = (knex) => knex.schema.dropTable('invoices');\nexports.down = (knex) => knex.schema.dropTable('x');\n", ("drops invoices",)),
    ("migrations/x.ts", "public async up(q) {\n  await q.query(`DROP TABLE \"invoices\"`);\n}\npublic async down(q) {\n  await q.dropTable('x');\n}\n", ("drops invoices",)),
    ("priv/repo/migrations/x.exs", "def change do\n  drop table(:invoices)\nend\n", ("drops invoices",)),
    ("Migrations/X.cs", 'protected override void Up(MigrationBuilder m)\n{\n m.DropColumn(name: "Phone", table: "Users");\n m.DropTable(name: "Invoices");\n}\nprotected override void Down(MigrationBuilder m)\n{\n m.DropTable(name: "X");\n}\n', ("drops Invoices", "drops column Users.Phone")),
    ("liquibase/x.xml", '<changeSet><dropTable tableName="invoices"/><rollback><dropTable tableName="x"/></rollback></changeSet>', ("drops invoices",)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "drops"), _MIGRATIONS)
def test_what_a_migration_will_drop_is_told(path: str, text: str, drops: tuple[str, ...]) -> None:
    (fact,) = facts(PlannedDrops(), {}, {path: text.encode()})

    assert fact.marks == drops
    assert fact.severity == "note"


_HARMLESS = [
    ("x.sql", "CREATE TABLE a (id int);\nALTER TABLE a DROP CONSTRAINT b;\nDROP INDEX i;\n"),
    ("dump.sql", "DROP TABLE IF EXISTS `a`;\nCREATE TABLE `a` (id int);\n"),
    ("x.sql", 'CREATE TABLE "new_a" (id int);\nDROP TABLE "a";\nALTER TABLE "new_a" RENAME TO "a";\n'),
    ("x.sql", "-- DROP TABLE a;\n/* DROP TABLE b; */\nINSERT INTO log VALUES ('DROP TABLE c');\n"),
    ("migrations/7_x.down.sql", "DROP TABLE a;\n"),
    ("migrations/down/7.sql", "DROP TABLE a;\n"),
    ("migrations/U7__x.sql", "DROP TABLE a;\n"),
    ("migrations/7.sql", "-- migrate:up\nCREATE TABLE a (id int);\n-- migrate:down\nDROP TABLE a;\n"),
    ("versions/x.py", "def upgrade():\n    op.create_table('a')\n\ndef downgrade():\n    op.drop_table('a')\n"),
    ("src/x.py", "op.drop_table('a')\n"),
    ("migrations/x.md", "DROP TABLE a;\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), _HARMLESS)
def test_a_look_alike_is_no_news(path: str, text: str) -> None:
    assert facts(PlannedDrops(), {}, {path: text.encode()}) == []


def test_only_what_is_new_in_an_edited_migration_is_told() -> None:
    old = {"a.sql": b"DROP TABLE a;\n"}
    new = {"a.sql": b"DROP TABLE a;\nDROP TABLE b;\n"}

    (fact,) = facts(PlannedDrops(), old, new)

    assert (fact.kind, fact.marks) == ("resource.changed", ("drops b",))
    assert facts(PlannedDrops(), new, old) == []


def test_the_headline_says_that_it_will_happen() -> None:
    new = {"migrations/0007_cleanup.sql": b"DROP TABLE invoices;\n"}

    told = story([PlannedDrops()], {}, new, [SourceFiles()])

    assert told.headline == "0007_cleanup.sql: drops invoices"
    assert told.lines[0].text == (
        "new migration migrations/0007_cleanup.sql drops invoices when it runs"
    )


def test_a_name_that_looks_like_a_secret_is_hidden() -> None:
    new = {"a.sql": b"DROP TABLE ghp_canary16C7e42F292c6912E7710c838347Ae;\n"}

    assert "canary" not in repr(facts(PlannedDrops(), {}, new))


@pytest.mark.parametrize(
    "piece",
    ["DROP TABLE ", "DROP TABLE a,", "ALTER TABLE a DROP ", "/*", "'", "<dropTable ", "down ", "a.",
     "public ", "\n  ", "<rollback", "remove_column :a, ", "CREATE TABLE a "],
)  # fmt: skip
def test_hostile_text_takes_little_time(piece: str) -> None:
    text = (piece * (255_000 // len(piece))).encode()
    for path in ("a.sql", "migrations/a.py"):
        began = time.perf_counter()
        findings(PlannedDrops(), evidence({}, {path: text}))
        assert time.perf_counter() - began < 1.5
