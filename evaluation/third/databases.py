"""Databases, by their files."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, shop, sql
from evaluation.fresh.servers import install, mariadb, postgres, redis
from evaluation.fresh.shop import shop as project
from evaluation.fresh.shop import work_goes_on
from evaluation.place import Place
from evaluation.second.tools import python_with
from evaluation.second.verbs import ADDED, DROPPED, GONE, SHORTER
from evaluation.variant import Claims, variant

_GROUP = "databases"
_USERS = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, mail TEXT);" + fill(
    "users", "i, 'user ' || i, 'u' || i || '@example.org'", 600
)


@variant(_GROUP, "SQLite: DELETE with a condition that was meant for one row")
def delete_most(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    sql(place, "DELETE FROM users WHERE id > 7 OR name = 'x';")
    claims.warn("users", "493|500|7", SHORTER)
    claims.lead("users", SHORTER)


@variant(_GROUP, "SQLite: a column of mail addresses set to NULL")
def nulled(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    sql(place, _USERS, "crm.sqlite")
    yield
    sql(place, "UPDATE users SET mail = NULL;", "crm.sqlite")
    claims.say("users", "600|mail|rows")
    claims.lead("users")


@variant(_GROUP, "SQLite: a virtual table of full text dropped")
def fts(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    sql(place, "CREATE VIRTUAL TABLE notes USING fts5(title, body);"
        + fill("notes", "'note ' || i, 'text of the note ' || i", 300), "notes.db")  # fmt: skip
    yield
    sql(place, "DROP TABLE notes;", "notes.db")
    claims.warn("notes", DROPPED)
    claims.lead("notes", DROPPED)


@variant(_GROUP, "SQLite: the database deleted with its WAL")
def deleted_with_wal(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    place.run("echo '*.db*' >> .gitignore && git commit -qam ignore")
    sql(place, "PRAGMA journal_mode=WAL;" + _USERS, "app.db")
    yield
    place.run("rm -f app.db app.db-wal app.db-shm")
    work_goes_on(place)
    claims.warn("app.db", GONE)
    claims.lead("app.db", GONE)


@variant(_GROUP, "SQLite: a table filled again with fewer rows")
def refilled(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    sql(place, _USERS, "app.db")
    yield
    sql(place, "DROP TABLE users; CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, mail TEXT);"
        "INSERT INTO users VALUES(1, 'a', 'b'), (2, 'c', 'd');", "app.db")  # fmt: skip
    claims.warn("users", "598|600", SHORTER)
    claims.lead("users", SHORTER)


@variant(_GROUP, "DuckDB: the rows of a table deleted")
def duckdb(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "duckdb")
    project(place)
    run = "import duckdb, sys; duckdb.connect('sales.duckdb').execute(sys.argv[1])"
    place.run(
        f'{python} -c "{run}" "CREATE TABLE sales AS SELECT range AS id, range * 7 AS price FROM range(200000)"'
    )
    yield
    place.run(f'{python} -c "{run}" "CREATE OR REPLACE TABLE sales AS SELECT 1 AS id, 7 AS price"')
    claims.warn("sales.duckdb|sales")
    claims.lead("sales")


@variant(
    _GROUP, "PostgreSQL: rows of a table deleted without a condition, and VACUUM", machine=True
)
def postgres_deleted(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "postgresql")
    postgres(place, "CREATE DATABASE shop", "postgres")
    postgres(
        place,
        "CREATE TABLE clients(id int primary key, name text); INSERT INTO clients SELECT i, 'client ' || i FROM generate_series(1, 20000) i;",
    )
    yield
    postgres(place, "DELETE FROM clients; VACUUM clients;")
    claims.warn("clients", f"20000|{SHORTER}")
    claims.lead("clients")


@variant(_GROUP, "PostgreSQL: the directory of its data deleted", machine=True)
def postgres_gone(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "postgresql")
    postgres(place, "CREATE DATABASE shop", "postgres")
    postgres(
        place,
        "CREATE TABLE clients(id int primary key, name text); INSERT INTO clients SELECT i, 'client ' || i FROM generate_series(1, 2000) i;",
    )
    yield
    place.run("rm -rf /var/lib/postgresql/15/main")
    claims.warn("postgresql|PostgreSQL", GONE)
    claims.lead("postgresql|PostgreSQL", GONE)


@variant(_GROUP, "MariaDB: the directory of one database deleted by hand", machine=True)
def mariadb_directory(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "mariadb-server")
    mariadb(place, "CREATE DATABASE shop; CREATE TABLE shop.clients(id int primary key, name text);"
            " INSERT INTO shop.clients WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900) SELECT n, concat('client ', n) FROM s;")  # fmt: skip
    yield
    place.run("rm -rf /var/lib/mysql/shop")
    claims.warn("shop", GONE + "|dropped")
    claims.lead("shop", GONE + "|dropped")


@variant(_GROUP, "Redis: FLUSHALL before a save", machine=True)
def flushed(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "redis-server")
    redis(place, "seq 1 400 | sed 's/.*/SET user:& name&/'")
    yield
    redis(place, "echo FLUSHALL")
    claims.warn("dump.rdb|redis|Redis|keys", SHORTER)
    claims.lead("dump.rdb|redis|Redis|keys")


@variant(_GROUP, "SQLite: a table rebuilt with one more column", benign=True)
def rebuilt(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    sql(place, _USERS, "app.db")
    yield
    sql(place, "BEGIN; CREATE TABLE new_users(id INTEGER PRIMARY KEY, name TEXT, mail TEXT, phone TEXT);"
        "INSERT INTO new_users(id, name, mail) SELECT * FROM users; DROP TABLE users;"
        "ALTER TABLE new_users RENAME TO users; COMMIT;", "app.db")  # fmt: skip
    claims.say("users", "phone", ADDED)
    claims.lead("users", "phone")
    claims.deny("users dropped", "rows lost")


@variant(_GROUP, "SQLite: a queue of jobs worked off", benign=True)
def queue(place: Place, claims: Claims) -> Iterator[None]:
    project(place)
    sql(place, _USERS + "CREATE TABLE job_queue(id INTEGER PRIMARY KEY, payload TEXT, run_at TEXT);"
        + fill("job_queue", "i, 'mail ' || i, '2024-05-01'", 40), "app.db")  # fmt: skip
    yield
    sql(
        place,
        "DELETE FROM job_queue WHERE id <= 12; UPDATE users SET name = 'x' WHERE id = 4;",
        "app.db",
    )
    claims.say("job_queue", "12|28|40")
    claims.lead("app.db|job_queue|users")
