"""Changes inside SQLite files, also under other names and in other states."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, shop, sql
from evaluation.fresh.interrupted import require
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.second.verbs import ADDED, CHANGED, DROPPED, SHORTER
from evaluation.variant import Claims, variant

_GROUP = "databases"
_HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect("shop.db", isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint=0")
connection.execute("DROP TABLE invoices")
open(sys.argv[1], "w").close()
time.sleep(600)
"""


def _views(place: Place) -> None:
    shop(place)
    sql(
        place,
        "CREATE VIEW recent_orders AS SELECT * FROM orders WHERE year > 2022;"
        "CREATE INDEX users_name ON users(name);",
    )


@variant(_GROUP, "SQLite: a table dropped, and the change is still in the WAL file")
def dropped_in_wal(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    sql(place, "PRAGMA journal_mode=WAL;")
    count = sql(place, "SELECT count(*) FROM invoices;")
    yield
    flag = place.around / "dropped"
    place.start(sys.executable, "-c", _HOLD, str(flag))
    for _ in range(200):
        if flag.exists():
            break
        time.sleep(0.05)
    place.run("test -s shop.db-wal")
    claims.warn("invoices", count, DROPPED)
    claims.lead("invoices", DROPPED)


@variant(_GROUP, "SQLite: an index dropped")
def index_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    place.write("app.py", "import sqlite3\n")
    yield
    sql(place, "DROP INDEX users_name;")
    claims.say("users_name", "index", f"{DROPPED}|-index")
    claims.lead("users_name|index", f"{DROPPED}|-index")
    claims.deny("rows", "orders_year")


@variant(_GROUP, "SQLite: a view dropped and another made")
def view_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _views(place)
    yield
    sql(place, "DROP VIEW recent_orders; CREATE VIEW big_invoices AS SELECT * FROM invoices;")
    claims.say("recent_orders", DROPPED)
    claims.say("big_invoices", ADDED)
    claims.lead("recent_orders|view|shop.db")
    claims.deny("rows deleted", "rows removed")


@variant(_GROUP, "SQLite: a trigger added that deletes rows")
def trigger_added(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(
        place,
        "CREATE TRIGGER forget AFTER INSERT ON orders"
        " BEGIN DELETE FROM invoices WHERE id < 100; END;",
    )
    claims.say("forget", "trigger", ADDED)
    claims.lead("trigger|forget")


@variant(_GROUP, "SQLite: all rows of a table deleted, and VACUUM")
def emptied_and_vacuumed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo '*.db' >> .gitignore && git commit -qam ignore")
    shop(place)
    count = sql(place, "SELECT count(*) FROM users;")
    yield
    sql(place, "DELETE FROM users; VACUUM;")
    change(place, 3)
    claims.warn("users", count, SHORTER)
    claims.lead("users", SHORTER)
    claims.deny("table users dropped", "invoices", "orders:")


@variant(_GROUP, "SQLite: a table of 300,000 rows dropped")
def large_table_dropped(place: Place, claims: Claims) -> Iterator[None]:
    statements = (
        "CREATE TABLE events(id INTEGER PRIMARY KEY, kind TEXT, value INT);"
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);"
    )
    events = fill("events", "i, 'click', i * 31 % 997", 300_000)
    sql(place, statements + events + fill("users", "i, 'u' || i", 40), "stats.sqlite")
    yield
    sql(place, "DROP TABLE events;", "stats.sqlite")
    claims.warn("events", "300000", DROPPED)
    claims.lead("events", DROPPED)


@variant(_GROUP, "SQLite: 37 of 3,000 rows changed in place")
def rows_updated(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(place, "UPDATE orders SET year = 1999 WHERE id BETWEEN 100 AND 136;")
    count = sql(place, "SELECT count(*) FROM orders WHERE year = 1999;")
    claims.say("orders", count, CHANGED)
    claims.lead("orders", CHANGED)
    claims.deny("users", "invoices", "rows deleted", "rows removed")


@variant(_GROUP, "SQLite: a column renamed and a type changed in a rebuilt table")
def column_rebuilt(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(
        place,
        "BEGIN; CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT, mobile INTEGER);"
        " INSERT INTO new SELECT id, name, phone FROM users; DROP TABLE users;"
        " ALTER TABLE new RENAME TO users; COMMIT;",
    )
    claims.say("users", "mobile")
    claims.say("users", "phone")
    claims.lead("users")
    claims.deny("500 rows deleted", "500 rows removed", "table users dropped")


@variant(_GROUP, "SQLite: a uniqueness lost in a rebuilt table")
def constraint_lost(place: Place, claims: Claims) -> Iterator[None]:
    sql(
        place,
        "CREATE TABLE accounts(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);"
        + fill("accounts", "i, 'a' || i || '@example.org'", 200),
    )
    yield
    sql(
        place,
        "BEGIN; CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT);"
        " INSERT INTO new SELECT * FROM accounts; DROP TABLE accounts;"
        " ALTER TABLE new RENAME TO accounts; COMMIT;",
    )
    claims.say("accounts", "email|unique|constraint|definition|schema|NOT NULL")
    claims.lead("accounts")
    claims.deny("200 rows deleted", "200 rows removed", "table accounts dropped")


@variant(_GROUP, "SQLite: an old backup copied over the database")
def old_backup(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("mkdir backup && cp shop.db backup/shop.db")
    sql(place, fill("orders(user, year)", "i, 2025", 640))
    before, after = (sql(place, "SELECT count(*) FROM orders;", file) for file in ("shop.db", "backup/shop.db"))  # fmt: skip
    yield
    place.run("cp backup/shop.db shop.db")
    claims.warn("orders", f"{int(before) - int(after)}|{before}", SHORTER)
    claims.lead("orders", SHORTER)


@variant(_GROUP, "SQLite under another ending: the cards of a collection deleted")
def collection(place: Place, claims: Claims) -> Iterator[None]:
    file = "Anki/User 1/collection.anki2"
    place.run("mkdir -p 'Anki/User 1/collection.media'")
    tables = (
        "CREATE TABLE notes(id INTEGER PRIMARY KEY, flds TEXT);"
        "CREATE TABLE cards(id INTEGER PRIMARY KEY, nid INT, due INT);"
    )
    rows = fill("notes", "i, 'word ' || i", 900) + fill("cards", "i, i, i % 30", 900)
    sql(place, tables + rows, f"'{file}'")
    yield
    sql(place, "DELETE FROM cards;", f"'{file}'")
    claims.warn("cards", "900", SHORTER)
    claims.lead("cards|collection.anki2", SHORTER)


@variant(_GROUP, "SQLite: two tables of one database dropped and two rows added to a third")
def two_dropped(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(place, "DROP TABLE users; DROP TABLE invoices; INSERT INTO orders(user) VALUES (1), (2);")
    claims.warn("users", DROPPED)
    claims.warn("invoices", DROPPED)
    claims.say("orders", "2", f"{ADDED}|→|->")
    claims.lead("users|invoices|2 tables", DROPPED)


@variant(_GROUP, "SQLite: REINDEX and ANALYZE", benign=True)
def analysed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("app.py", "import sqlite3\n")
    yield
    sql(place, "REINDEX; ANALYZE;")
    require(int(sql(place, "SELECT count(*) FROM sqlite_stat1;")) > 0, "there are statistics")
    claims.lead("shop.db|sqlite_stat1|analy|statistic")
    claims.deny("dropped", "deleted", "lost", "rows removed")


@variant(_GROUP, "SQLite: the WAL file written back by a checkpoint", benign=True)
def wal_checkpointed(place: Place, claims: Claims) -> Iterator[None]:
    sql(place, "PRAGMA journal_mode=WAL;")
    shop(place)
    insert = (
        "import os, sqlite3; c = sqlite3.connect('shop.db', isolation_level=None);"
        " c.execute('PRAGMA wal_autocheckpoint=0');"
        " c.executemany('INSERT INTO invoices(total) VALUES (?)', [(n,) for n in range(50)]);"
        " os._exit(0)"
    )
    place.run(f'{sys.executable} -c "{insert}"')
    place.run("test -s shop.db-wal")
    yield
    sql(place, "PRAGMA wal_checkpoint(TRUNCATE);")
    claims.lead("shop.db|checkpoint|WAL|same|nothing|no change|unchanged")
    claims.deny("dropped", "lost", "rows removed", "rows deleted", "rows added")


@variant(_GROUP, "SQLite: changed to the WAL mode", benign=True)
def wal_mode(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(place, "PRAGMA journal_mode=WAL;")
    claims.lead("shop.db|WAL")
    claims.deny("dropped", "lost", "rows removed", "rows deleted")


@variant(_GROUP, "SQLite: rows inserted into three tables", benign=True)
def rows_inserted(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    rows = fill("orders(user, year)", "i, 2025", 60) + fill("invoices(total)", "i", 60)
    sql(place, rows + "INSERT INTO users(name) VALUES ('new');")
    claims.say("orders", "60|3060")
    claims.say("invoices", "60|1260")
    claims.lead("orders|shop.db|invoices")
    claims.deny("deleted", "emptied", "dropped", "lost")
