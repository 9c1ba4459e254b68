"""Changes inside SQLite files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from evaluation.fresh.verbs import CHANGED, DROPPED, GONE
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect("shop.db", isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint=0")
connection.execute("DELETE FROM orders WHERE id > 50")
open(sys.argv[1], "w").close()
time.sleep(600)
"""


def sql(place: Place, statements: str, file: str = "shop.db") -> str:
    return place.run(f"sqlite3 {file} <<'END'\n{statements}\nEND").strip()


def fill(table: str, values: str, count: int) -> str:
    """Return a statement that inserts rows; `i` in the values is the number of the row."""
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<{count})"
    return f"INSERT INTO {table} {numbers} SELECT {values} FROM n;"


def shop(place: Place) -> None:
    """Make the database of a shop, with 500 users, 3,000 orders and 1,200 invoices."""
    sql(
        place,
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, phone TEXT);"
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, user INT, year INT);"
        "CREATE TABLE invoices(id INTEGER PRIMARY KEY, total INT);"
        "CREATE INDEX orders_year ON orders(year);"
        + fill("users", "i, 'name ' || i, '+44 ' || i", 500)
        + fill("orders", "i, i % 500, 2020 + i % 5", 3000)
        + fill("invoices", "i, i * 7", 1200),
    )


@variant("databases", "SQLite: a table dropped while a log grew")
def table_dropped(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo '*.db' >> .gitignore && git commit -qam 'ignore databases'")
    shop(place)
    place.write("app.log", "start\n")
    count = sql(place, "SELECT count(*) FROM invoices;")
    yield
    sql(place, "DROP TABLE invoices;")
    place.run("seq 300 >> app.log")
    change(place, 9)
    claims.warn("invoices", count, DROPPED)
    claims.lead("invoices", DROPPED)


@variant("databases", "SQLite: rows deleted")
def rows_deleted(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("app.py", "import sqlite3\n")
    before = sql(place, "SELECT count(*) FROM orders;")
    gone = sql(place, "SELECT count(*) FROM orders WHERE year < 2024;")
    yield
    sql(place, "DELETE FROM orders WHERE year < 2024;")
    claims.warn("orders", f"{gone}|{before}", f"{GONE}|→|->|−")
    claims.lead("orders", "rows|records|orders")
    claims.deny("users", "invoices")


@variant("databases", "SQLite: a column dropped")
def column_dropped(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    shop(place)
    place.run("git add -A && git commit -qm 'with its database'")
    yield
    sql(place, "ALTER TABLE users DROP COLUMN phone;")
    claims.warn("users", "phone", DROPPED)
    claims.lead("phone", DROPPED)


@variant("databases", "SQLite: a table renamed")
def table_renamed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("app.py", "TABLE = 'users'\n")
    yield
    sql(place, "ALTER TABLE users RENAME TO customers;")
    place.run("sed -i s/users/customers/ app.py")
    claims.say("users", "customers", "renamed|→|->")
    claims.lead("customers")
    claims.deny("dropped", "lost", "deleted")


@variant("databases", "SQLite: a small table dropped beside one of 2,000,000 rows")
def small_table_dropped(place: Place, claims: Claims) -> Iterator[None]:
    sql(
        place,
        "CREATE TABLE measurements(id INTEGER PRIMARY KEY, value INT);"
        "CREATE TABLE coupons(code TEXT, percent INT);"
        + fill("measurements", "i, i * 31 % 9973", 2_000_000)
        + fill("coupons", "'C' || i, i", 40),
        "sensors.db",
    )
    count = sql(place, "SELECT count(*) FROM coupons;", "sensors.db")
    yield
    sql(place, "DROP TABLE coupons; INSERT INTO measurements(value) VALUES (1), (2);", "sensors.db")
    claims.warn("coupons", count, DROPPED)
    claims.lead("coupons", DROPPED)


@variant("databases", "SQLite: every row changed by an UPDATE without WHERE")
def all_rows_updated(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    count = sql(place, "SELECT count(*) FROM users;")
    yield
    sql(place, "UPDATE users SET phone = '';")
    claims.say("users", count, CHANGED)
    claims.lead("users", CHANGED)
    claims.deny("orders", "invoices")


@variant("databases", "SQLite: VACUUM only", benign=True)
def vacuumed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    sql(place, "DELETE FROM orders WHERE id % 2;")
    place.write("app.py", "import sqlite3\n")
    yield
    sql(place, "VACUUM;")
    claims.say("shop.db", "vacuum|compact|rewritten|smaller|shrank|same|unchanged|no row|→|->")
    claims.lead("shop.db")
    claims.deny("dropped", "deleted", "lost", "rows removed")


@variant("databases", "SQLite: rows deleted, and the change is still in the WAL file")
def deleted_in_wal(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    sql(place, "PRAGMA journal_mode=WAL;")
    before = sql(place, "SELECT count(*) FROM orders;")
    yield
    flag = place.around / "deleted"
    place.start(sys.executable, "-c", _HOLD, str(flag))
    for _ in range(200):
        if flag.exists():
            break
        time.sleep(0.05)
    place.run("test -s shop.db-wal")
    claims.warn("orders", f"{int(before) - 50}|{before}", f"{GONE}|→|->|−")
    claims.lead("orders", "rows|records|orders")
