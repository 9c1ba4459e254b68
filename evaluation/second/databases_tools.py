"""Databases changed by the tools of frameworks, and databases that are not SQLite."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, sql
from evaluation.fresh.interrupted import require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.histories import repository
from evaluation.place import Place
from evaluation.second.tools import commit, python_with
from evaluation.second.verbs import DROPPED, SHORTER
from evaluation.variant import Claims, variant

_GROUP = "databases"
_REVISION = '''"""{name}"""
import sqlalchemy as sa
from alembic import op

revision = "{name}"
down_revision = {parent}
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("{table}", sa.Column("id", sa.Integer, primary_key=True), sa.Column("note", sa.Text))


def downgrade() -> None:
    op.drop_table("{table}")
'''
_SETTINGS = """\
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.sessions", "stock"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "not a secret"
USE_TZ = True
"""
_MODELS = """\
from django.db import models


class Shelf(models.Model):
    room = models.CharField(max_length=20)


class Parcel(models.Model):
    shelf = models.ForeignKey(Shelf, on_delete=models.CASCADE)
"""


def alembic(place: Place, second: str) -> str:
    """Make a project with two revisions of Alembic, the first applied; return the command."""
    python = python_with(place, "alembic")
    command = f"{python} -m alembic -q"
    repository(place)
    place.run(f"echo '*.db' >> .gitignore && {python} -m alembic -q init migrations")
    place.run("sed -i 's,^sqlalchemy.url.*,sqlalchemy.url = sqlite:///app.db,' alembic.ini")
    first = _REVISION.format(name="aa11", parent="None", table="users")
    place.write("migrations/versions/aa11_users.py", first)
    place.write("migrations/versions/bb22_invoices.py", second)
    commit(place, "migrations")
    return command


def _django(place: Place) -> str:
    python = python_with(place, "'django<6'")
    place.run("mkdir stock && touch stock/__init__.py")
    shop(place)
    place.write("settings.py", _SETTINGS)
    place.write("stock/models.py", _MODELS)
    django = f"{python} -m django {{}} --settings settings --pythonpath ."
    place.run(django.format("makemigrations -v0 stock") + " && " + django.format("migrate -v0"))
    shelves = fill("stock_shelf(room)", "'room ' || i", 12)
    sql(place, shelves + fill("stock_parcel(shelf_id)", "1 + i % 12", 350), "db.sqlite3")
    place.run("echo db.sqlite3 >> .gitignore")
    commit(place, "stock")
    return django


@variant(_GROUP, "Alembic: a downgrade drops a table with rows")
def downgrade(place: Place, claims: Claims) -> Iterator[None]:
    second = _REVISION.format(name="bb22", parent='"aa11"', table="invoices")
    command = alembic(place, second)
    place.run(f"{command} upgrade head")
    sql(place, fill("invoices", "i, 'n' || i", 260), "app.db")
    yield
    place.run(f"{command} downgrade -1")
    require(sql(place, "SELECT * FROM alembic_version;", "app.db") == "aa11", "one step back")
    claims.warn("invoices", "260", DROPPED)
    claims.say("aa11|bb22|alembic_version|migration")
    claims.lead("invoices", DROPPED)
    claims.deny("users dropped")


@variant(_GROUP, "Django: an application migrated back to zero")
def migrated_to_zero(place: Place, claims: Claims) -> Iterator[None]:
    django = _django(place)
    yield
    place.run(django.format("migrate -v0 stock zero"))
    work_goes_on(place)
    claims.warn("stock_parcel", "350", DROPPED)
    claims.warn("stock_shelf", DROPPED)
    claims.lead("stock_parcel|stock_shelf|2 tables", DROPPED)


@variant(_GROUP, "Django: expired sessions cleared", benign=True)
def sessions_cleared(place: Place, claims: Claims) -> Iterator[None]:
    django = _django(place)
    rows = fill(
        "django_session(session_key, session_data, expire_date)",
        "'key' || i, '', CASE WHEN i > 20 THEN '2020-01-01 00:00:00' ELSE '2099-01-01 00:00:00' END",
        320,
    )
    sql(place, rows, "db.sqlite3")
    yield
    place.run(django.format("clearsessions"))
    left = sql(place, "SELECT count(*) FROM django_session;", "db.sqlite3")
    require(left == "20", f"{left} sessions are left")
    claims.say("django_session|session", "300|320")
    claims.lead("session|db.sqlite3")


@variant(_GROUP, "DuckDB: a table dropped")
def duckdb_dropped(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "duckdb")
    (place.around / "make.py").write_text(
        "import duckdb\nc = duckdb.connect('analytics.duckdb')\n"
        "c.sql('CREATE TABLE sales AS SELECT range AS id, range * 7 AS total FROM range(50000)')\n"
        "c.sql('CREATE TABLE shops AS SELECT range AS id FROM range(30)')\n"
    )
    (place.around / "drop.py").write_text(
        "import duckdb\nduckdb.connect('analytics.duckdb').sql('DROP TABLE sales')\n"
    )
    place.write("README.md", "# Analytics\n")
    place.run(f"{python} {place.around}/make.py")
    yield
    place.run(f"{python} {place.around}/drop.py")
    claims.warn("analytics.duckdb|sales", f"sales|{DROPPED}|{SHORTER}")
    claims.lead("analytics.duckdb|sales")
    claims.deny("shops dropped")


@variant(_GROUP, "coverage writes its data again", benign=True)
def coverage_again(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "coverage")
    shop(place)
    place.run("echo .coverage >> .gitignore && git commit -qam ignore")
    run = f"{python} -m coverage run --branch --source shop -m shop.{{}}"
    place.write("shop/one.py", "import shop.cart\nimport shop.refunds\n")
    place.write("shop/two.py", "import shop.cart\n")
    commit(place, "entries")
    place.run(run.format("one"))
    yield
    place.run(f"{python} -m coverage erase && " + run.format("two"))
    claims.lead(".coverage|coverage|build output|ignored|cache|only")
    claims.deny("lost", "dropped", "rows deleted", "rows removed")
