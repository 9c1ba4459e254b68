"""Changes inside the files of database servers, stopped in order before each checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.servers import install, mariadb, postgres
from evaluation.place import Place
from evaluation.second.verbs import DROPPED, MOVED, SHORTER
from evaluation.variant import Claims, variant

_GROUP = "databases"


def _postgres(place: Place) -> None:
    install(place, "postgresql")
    postgres(place, "CREATE DATABASE shop;", "postgres")
    postgres(
        place,
        "CREATE SCHEMA warehouse; CREATE TABLE warehouse.shelves(id int, room text);"
        "CREATE TABLE warehouse.stock(id int, amount int);"
        "CREATE TABLE invoices(id serial PRIMARY KEY, note text, vat_number text);"
        "INSERT INTO warehouse.shelves SELECT n, 'A' FROM generate_series(1, 300) n;"
        "INSERT INTO warehouse.stock SELECT n, n FROM generate_series(1, 2500) n;"
        "INSERT INTO invoices(note) SELECT 'invoice ' || n FROM generate_series(1, 800) n;"
        "VACUUM ANALYZE;",
    )


def _mariadb(place: Place) -> None:
    install(place, "mariadb-server")
    mariadb(
        place,
        "CREATE DATABASE shop; USE shop;"
        "CREATE TABLE payments(id INT PRIMARY KEY, total INT);"
        "CREATE TABLE products(id INT PRIMARY KEY, name TEXT);"
        "INSERT INTO payments SELECT seq, seq * 3 FROM seq_1_to_40000;"
        "INSERT INTO products SELECT seq, 'product' FROM seq_1_to_100;"
        "CREATE DATABASE blog; CREATE TABLE blog.posts(id INT PRIMARY KEY);",
    )


@variant(_GROUP, "PostgreSQL: a schema dropped with its tables", machine=True)
def schema_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _postgres(place)
    yield
    postgres(place, "SET client_min_messages = error; DROP SCHEMA warehouse CASCADE;")
    claims.warn("stock", DROPPED)
    claims.lead("stock|shelves|warehouse|2 tables", DROPPED)
    claims.deny("invoices dropped", "only logs and caches")


@variant(_GROUP, "PostgreSQL: a table renamed", machine=True)
def table_renamed(place: Place, claims: Claims) -> Iterator[None]:
    _postgres(place)
    yield
    postgres(place, "ALTER TABLE invoices RENAME TO bills;")
    claims.say("invoices", "bills", MOVED)
    claims.lead("bills")
    claims.deny("dropped", "lost", "deleted")


@variant(_GROUP, "PostgreSQL: a column dropped", machine=True)
def column_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _postgres(place)
    yield
    postgres(place, "ALTER TABLE invoices DROP COLUMN vat_number;")
    claims.warn("invoices", "vat_number", DROPPED)
    claims.lead("vat_number", DROPPED)


@variant(_GROUP, "PostgreSQL: VACUUM FULL and REINDEX", machine=True, benign=True)
def vacuumed(place: Place, claims: Claims) -> Iterator[None]:
    _postgres(place)
    yield
    postgres(place, "VACUUM FULL; REINDEX DATABASE shop;")
    claims.lead("postgres|shop|vacuum|rewritten")
    claims.deny("dropped", "lost", "truncated", "emptied")


@variant(_GROUP, "MariaDB: a database dropped", machine=True)
def mariadb_database_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _mariadb(place)
    yield
    mariadb(place, "DROP DATABASE shop;")
    claims.warn("shop", DROPPED)
    claims.lead("shop", DROPPED)
    claims.deny("blog dropped", "posts dropped", "only logs and caches")


@variant(_GROUP, "MariaDB: a table truncated", machine=True)
def mariadb_truncated(place: Place, claims: Claims) -> Iterator[None]:
    _mariadb(place)
    yield
    mariadb(place, "TRUNCATE TABLE shop.payments;")
    claims.warn("payments", f"{SHORTER}|recreated|made again")
    claims.lead("payments", f"{SHORTER}|recreated|made again")
    claims.deny("products", "payments dropped", "only logs and caches")
