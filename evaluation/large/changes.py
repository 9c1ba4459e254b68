"""The large changes, as variants: 100,000 files, 1,000 packages, a large database, a Debian upgrade."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from evaluation.fresh.verbs import ADDED, CHANGED, DROPPED, GONE
from evaluation.place import Place
from evaluation.variant import Claims, VariantAct

FILES = 100_000
PACKAGES = 1_000
ROWS = 2_000_000
_ENDINGS = ("py", "js", "json", "txt", "bin", "yaml", "csv", "md", "png", "html")


def _fill(place: Place, text: str, number: int) -> None:
    for at in range(number):
        directory = place.root / f"archive/part{at // 100}"
        if at % 100 == 0:
            directory.mkdir(parents=True, exist_ok=True)
        (directory / f"f{at}.{_ENDINGS[at % 10]}").write_text(f"{text} {at}\nvalue: {at}\n")


def _database(place: Place, rows: int, blob: int = 40) -> None:
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        for table in ("users", "events"):
            database.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " INSERT INTO events SELECT i, hex(zeroblob(?)) FROM n",
            (rows, blob // 2),
        )
        database.execute("INSERT INTO users SELECT id, 'user ' || id FROM events LIMIT 120")


def _modules(place: Place, number: int, version: str) -> None:
    locked = {}
    for at in range(number):
        name = f"package-{at}"
        directory = place.root / "node_modules" / name
        for part in ("lib", "dist"):
            (directory / part).mkdir(parents=True, exist_ok=True)
            for file in range(5):
                (directory / part / f"{file}.js").write_text(f"exports.v = '{version}.{file}'\n")
        (directory / "package.json").write_text(json.dumps({"name": name, "version": version}))
        locked[f"node_modules/{name}"] = {"version": version}
    lock = {"lockfileVersion": 3, "packages": locked}
    place.write("node_modules/.package-lock.json", json.dumps(lock))
    wanted = {"name": "web", "dependencies": {"package-0": version}}
    place.write("package.json", json.dumps(wanted))


def files_added(place: Place, claims: Claims) -> Iterator[None]:
    place.write(".env", "A=1\n")
    yield
    _fill(place, "a", FILES)
    place.write(".env", "A=1\nDB_URL=x\n")
    claims.say("archive", ADDED)
    claims.say("DB_URL")
    claims.lead("archive", "DB_URL")


def files_edited(place: Place, claims: Claims) -> Iterator[None]:
    _fill(place, "a", FILES)
    _database(place, 100)
    yield
    _fill(place, "bb", FILES)
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        database.execute("DROP TABLE users")
    claims.say("archive", CHANGED)
    claims.warn("users", DROPPED)
    claims.lead("users", DROPPED, "archive")


def files_removed(place: Place, claims: Claims) -> Iterator[None]:
    _fill(place, "a", FILES)
    place.write(".env", "A=1\n")
    yield
    shutil.rmtree(place.root / "archive")
    (place.root / ".env").unlink()
    claims.warn("archive", GONE)
    claims.warn(".env", GONE)
    claims.lead("archive", ".env", GONE, "100000")


def packages_upgraded(place: Place, claims: Claims) -> Iterator[None]:
    _modules(place, PACKAGES, "1.0.0")
    _database(place, 100)
    yield
    _modules(place, PACKAGES, "1.1.0")
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        database.execute("DROP TABLE users")
    claims.say("package-0", "1.0.0", "1.1.0")
    claims.warn("users", DROPPED)
    claims.lead("users", DROPPED, "package-0")


def packages_removed(place: Place, claims: Claims) -> Iterator[None]:
    _modules(place, PACKAGES, "1.0.0")
    yield
    shutil.rmtree(place.root / "node_modules")
    claims.say(GONE, "999|1000")
    claims.lead(GONE)


def table_dropped_in_many_rows(place: Place, claims: Claims) -> Iterator[None]:
    _database(place, ROWS)
    yield
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        database.execute("DROP TABLE users")
    claims.warn("app.db", "users", DROPPED)
    claims.lead("users", DROPPED)


def table_dropped_in_two_gigabytes(place: Place, claims: Claims) -> Iterator[None]:
    _database(place, 500_000, blob=4_000)
    yield
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        database.execute("DROP TABLE users")
    claims.warn("app.db", "users", DROPPED)
    claims.lead("users", DROPPED)


def debian_packages(place: Place, claims: Claims) -> Iterator[None]:
    yield
    place.run("apt-get install -y -qq build-essential python3-dev vim texlive-base >/dev/null")
    number = place.run("dpkg-query -W | wc -l").strip()
    claims.say("build-essential")
    claims.say("installed", "texlive-base")
    claims.lead("installed")
    assert int(number) > 300


LARGE: tuple[tuple[str, bool, VariantAct], ...] = (
    ("100,000 files added, and a key in .env", False, files_added),
    ("100,000 files edited, and a table dropped", False, files_edited),
    ("100,000 files removed, and .env", False, files_removed),
    ("1,000 npm packages upgraded, and a table dropped", False, packages_upgraded),
    ("1,000 npm packages removed", False, packages_removed),
    ("a table dropped beside 2,000,000 rows", False, table_dropped_in_many_rows),
    ("a table dropped in a database of 2 GB", False, table_dropped_in_two_gigabytes),
    ("200 Debian packages installed", True, debian_packages),
)
"""Name, whether it needs a machine, and the change."""
