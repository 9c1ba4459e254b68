"""Merges, clones, migrations and downloads that were left in the middle."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

from evaluation.fresh.interrupted import kill_when, require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.histories import repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_GROUP = "half finished"
_HALF = "half|incomplete|interrupt|partial|unfinished|not finished|not complete|broken|missing"


def _two_conflicts(place: Place) -> None:
    """Make a branch `topic` that conflicts with main in two modules."""
    repository(place, commits=3)
    for branch, text in (("topic", "7"), ("main", "8")):
        if branch == "topic":
            place.run("git checkout -qb topic")
        else:
            place.run("git checkout -q main")
        for number in (5, 6):
            place.run(f"sed -i '1s/.*/first = {text}/' src/module_{number}.py")
        place.run(f"git commit -qam 'change of {branch}'")


@variant(_GROUP, "a merge stopped by conflicts in two files")
def merge_in_progress(place: Place, claims: Claims) -> Iterator[None]:
    _two_conflicts(place)
    yield
    place.run("git merge -q topic", check=False)
    require((place.root / ".git/MERGE_HEAD").exists(), "a merge is in progress")
    claims.warn("merge", f"progress|under way|conflict|{_HALF}")
    claims.say("conflict", "2|module_5.py")
    claims.lead("merge|conflict")


@variant(_GROUP, "conflict markers committed in two files")
def markers_committed(place: Place, claims: Claims) -> Iterator[None]:
    _two_conflicts(place)
    yield
    place.run("git merge -q topic", check=False)
    place.run("git add -A && git commit -qm 'merge topic'")
    marked = place.run("grep -l '^<<<<<<<' src/*.py | wc -l").strip()
    claims.warn("conflict", f"{marked}|module_5.py")
    claims.lead("conflict")
    claims.deny("merge in progress")


@variant(_GROUP, "a rebase stopped by a conflict, while a log grows")
def rebase_in_progress(place: Place, claims: Claims) -> Iterator[None]:
    _two_conflicts(place)
    place.run("git checkout -q topic")
    yield
    place.run("git rebase -q main", check=False)
    require((place.root / ".git/rebase-merge").exists(), "a rebase is in progress")
    place.run("seq 900 >> server.log")
    claims.warn("rebase", f"progress|under way|conflict|{_HALF}")
    claims.lead("rebase")


@variant(_GROUP, "a cherry-pick stopped by a conflict")
def pick_in_progress(place: Place, claims: Claims) -> Iterator[None]:
    _two_conflicts(place)
    yield
    place.run("git cherry-pick topic", check=False)
    require((place.root / ".git/CHERRY_PICK_HEAD").exists(), "a cherry-pick is in progress")
    claims.warn("cherry-pick|cherry pick", f"progress|under way|conflict|{_HALF}")
    claims.lead("cherry|conflict")


@variant(_GROUP, "git clone killed while it receives")
def clone_killed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    hub = place.around / "hub"
    hub.mkdir()
    (hub / "data.bin").write_bytes(os.urandom(60_000_000))
    place.run(f"cd {hub} && git init -q && git add -A && git commit -qm data")
    yield
    packs = place.root / "vendor/hub/.git/objects/pack"
    kill_when(
        place,
        lambda: any(one.stat().st_size > 1_000_000 for one in packs.glob("tmp_pack_*")),
        *("git", "clone", "-q", f"file://{hub}", "vendor/hub"),
    )
    require(not (place.root / "vendor/hub/data.bin").exists(), "the clone is not complete")
    claims.warn("vendor/hub", f"clone|{_HALF}|no commit|empty")
    claims.lead("vendor/hub|clone")


_MODELS = """\
from django.db import models


class Order(models.Model):
    customer = models.CharField(max_length=80)
"""
_SECOND = """\
from django.db import migrations, models


def fill(apps, schema_editor):
    raise RuntimeError("the service that knows the notes does not answer")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("orders", "0001_initial")]
    operations = [
        migrations.AddField("order", "note", models.CharField(max_length=200, default="")),
        migrations.RunPython(fill),
    ]
"""
_SETTINGS = """\
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
INSTALLED_APPS = ["orders"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "not a secret"
"""


@variant(_GROUP, "a migration of Django that fails after its first operation")
def migration_fails(place: Place, claims: Claims) -> Iterator[None]:
    tools = place.around / "tools"
    place.run(f"{sys.executable} -m pip install -q --target {tools} 'django<6'")
    django = f"PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={tools}:. {sys.executable} -m django"
    django += " {} --settings settings"
    shop(place)
    place.write("settings.py", _SETTINGS)
    place.write("orders/__init__.py", "")
    place.write("orders/models.py", _MODELS)
    place.run(django.format("makemigrations orders") + " && " + django.format("migrate"))
    rows = ", ".join(f"('customer {number}')" for number in range(30))
    place.run(f'sqlite3 db.sqlite3 "INSERT INTO orders_order (customer) VALUES {rows}"')
    place.run("echo db.sqlite3 >> .gitignore && git add -A && git commit -qm orders")
    yield
    place.write("orders/migrations/0002_note.py", _SECOND)
    place.run(
        "echo '    note = models.CharField(max_length=200, default=\"\")' >> orders/models.py"
    )
    place.run(django.format("migrate"), check=False)
    columns = place.run("sqlite3 db.sqlite3 \"SELECT name FROM pragma_table_info('orders_order')\"")
    applied = place.run('sqlite3 db.sqlite3 "SELECT name FROM django_migrations"')
    require("note" in columns and "0002" not in applied, "the migration is half applied")
    claims.say("orders_order", "note", "column|+|added")
    claims.warn("0002|migration", f"not applied|not recorded|pending|{_HALF}|fail")
    claims.lead("migration|orders_order|db.sqlite3|0002")
    claims.deny("rows deleted", "rows lost")


@variant(_GROUP, "a download stopped in the middle")
def download_stopped(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    served = place.around / "served"
    served.mkdir()
    (served / "dataset.tar.gz").write_bytes(os.urandom(20_000_000))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place.start(sys.executable, "-m", "http.server", str(port), "-d", str(served))
    address = f"http://127.0.0.1:{port}/dataset.tar.gz"
    place.run(f"for n in 1 2 3 4 5 6 7 8 9; do curl -sI {address} && break; sleep 1; done")
    yield
    target = place.root / "data/dataset.tar.gz.part"
    target.parent.mkdir()
    kill_when(
        place,
        lambda: target.exists() and target.stat().st_size > 2_000_000,
        *("curl", "-s", "--limit-rate", "9M", "-o", str(target), address),
    )
    require(target.stat().st_size < 20_000_000, "a part is missing")
    work_goes_on(place)
    claims.say("dataset.tar.gz.part", f"download|{_HALF}")
    claims.lead("dataset.tar.gz|download")
    claims.deny("build output")
