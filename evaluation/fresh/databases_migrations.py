"""Migrations of an SQLite file by the tools of web frameworks."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, sql
from evaluation.fresh.verbs import ADDED, DROPPED
from evaluation.histories import repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_MODELS = """from django.db import models


class Order(models.Model):
    total = models.IntegerField()
    notes = models.TextField(default="")


class Coupon(models.Model):
    code = models.CharField(max_length=20)
"""
_NEW_MODELS = """from django.db import models


class Order(models.Model):
    total = models.IntegerField()


class Refund(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE)
"""
_REVISION = '''"""{title}"""
from alembic import op
import sqlalchemy as sa

revision = "{name}"
down_revision = {parent}
branch_labels = None
depends_on = None


def upgrade() -> None:
    {upgrade}


def downgrade() -> None:
    {downgrade}
'''


@variant("databases", "a Django migration drops a column and a table, and adds a table")
def django_migration(place: Place, claims: Claims) -> Iterator[None]:
    tools = place.around / "tools"
    place.run(f"python3 -m venv {tools} && {tools}/bin/pip install -q django")
    repository(place)
    place.run("printf '*.sqlite3\\n' >> .gitignore")
    place.run(
        f"{tools}/bin/django-admin startproject site_config . && {tools}/bin/python manage.py startapp shop"
    )
    place.run("sed -i \"s/INSTALLED_APPS = \\[/&\\n    'shop',/\" site_config/settings.py")
    place.write("shop/models.py", _MODELS)
    manage = f"PYTHONDONTWRITEBYTECODE=1 {tools}/bin/python manage.py"
    place.run(f"{manage} makemigrations -v0 shop && {manage} migrate -v0")
    rows = fill("shop_order(total, notes)", "i, 'note ' || i", 300)
    sql(place, rows + fill("shop_coupon(code)", "'C' || i", 25), "db.sqlite3")
    place.run("git add -A && git commit -qm shop")
    yield
    place.write("shop/models.py", _NEW_MODELS)
    place.run(f"{manage} makemigrations -v0 shop && {manage} migrate -v0")
    claims.warn("shop_coupon", "25", DROPPED)
    claims.warn("shop_order", "notes", DROPPED)
    claims.say("shop_refund", ADDED)
    claims.say("0002", "migration")
    claims.lead("shop_coupon|migration|notes")


@variant("databases", "an Alembic migration adds a column and an index", benign=True)
def alembic_migration(place: Place, claims: Claims) -> Iterator[None]:
    tools = place.around / "tools"
    place.run(f"python3 -m venv {tools} && {tools}/bin/pip install -q alembic")
    repository(place)
    place.run("echo '*.db' >> .gitignore")
    alembic = f"PYTHONDONTWRITEBYTECODE=1 {tools}/bin/alembic -q"
    place.run(f"{tools}/bin/alembic -q init migrations")
    place.run("sed -i 's,^sqlalchemy.url.*,sqlalchemy.url = sqlite:///app.db,' alembic.ini")
    users = 'op.create_table("users", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text))'
    first = _REVISION.format(
        title="users", name="1a2b3c4d5e6f", parent="None", upgrade=users, downgrade='op.drop_table("users")'
    )  # fmt: skip
    place.write("migrations/versions/1a2b3c4d5e6f_users.py", first)
    place.run(f"{alembic} upgrade head")
    sql(place, fill("users", "i, 'name ' || i", 400), "app.db")
    place.run("git add -A && git commit -qm users")
    yield
    column = 'op.add_column("users", sa.Column("last_login", sa.DateTime))'
    index = 'op.create_index("users_last_login", "users", ["last_login"])'
    second = _REVISION.format(
        title="last login", name="2b3c4d5e6f7a", parent='"1a2b3c4d5e6f"',
        upgrade=f"{column}\n    {index}", downgrade='op.drop_column("users", "last_login")',
    )  # fmt: skip
    place.write("migrations/versions/2b3c4d5e6f7a_last_login.py", second)
    place.run(f"{alembic} upgrade head")
    claims.say("users", "last_login", "column|added|new|+")
    claims.say("2b3c4d5e6f7a", "migration|revision|alembic")
    claims.lead("last_login")
    claims.deny("rows removed", "rows deleted", "dropped")
