"""Changes inside the files of database servers, which do not run while a checkpoint is taken."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.servers import install, mariadb, postgres, redis
from evaluation.fresh.verbs import DROPPED, EMPTIED, SHORTER
from evaluation.place import Place
from evaluation.variant import Claims, variant

_FEWER = f"{SHORTER}|{EMPTIED}|−"


def _shop(place: Place) -> None:
    """Install PostgreSQL, and make a database with 5,000 orders and 800 invoices."""
    install(place, "postgresql")
    place.write("srv/shop/app.py", "import psycopg\n")
    postgres(place, "CREATE DATABASE shop; CREATE DATABASE blog;", "postgres")
    postgres(
        place,
        "CREATE TABLE orders(id serial PRIMARY KEY, total int);"
        "CREATE TABLE invoices(id serial PRIMARY KEY, note text);"
        "INSERT INTO orders(total) SELECT n FROM generate_series(1, 5000) n;"
        "INSERT INTO invoices(note) SELECT 'invoice ' || n FROM generate_series(1, 800) n;"
        "VACUUM ANALYZE;",
    )


@variant("databases", "PostgreSQL: a table dropped", machine=True)
def postgres_table_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _shop(place)
    yield
    postgres(place, "DROP TABLE invoices;")
    claims.warn("invoices", DROPPED)
    claims.lead("invoices", DROPPED)
    claims.deny("orders dropped", "only logs and caches")


@variant("databases", "PostgreSQL: a database dropped", machine=True)
def postgres_database_dropped(place: Place, claims: Claims) -> Iterator[None]:
    _shop(place)
    yield
    postgres(place, "DROP DATABASE shop;", "postgres")
    claims.warn("shop", "database|postgres", DROPPED)
    claims.lead("shop", "database|postgres", DROPPED)
    claims.deny("only logs and caches")


@variant("databases", "PostgreSQL: a table truncated", machine=True)
def postgres_truncated(place: Place, claims: Claims) -> Iterator[None]:
    _shop(place)
    yield
    postgres(place, "TRUNCATE orders;")
    claims.warn("orders", _FEWER)
    claims.lead("orders", _FEWER)
    claims.deny("only logs and caches")


@variant("databases", "PostgreSQL: a superuser created", machine=True)
def postgres_role_created(place: Place, claims: Claims) -> Iterator[None]:
    _shop(place)
    password = place.canary()
    yield
    postgres(place, f"CREATE ROLE intern LOGIN SUPERUSER PASSWORD '{password}';")
    claims.warn("intern", "superuser")
    claims.lead("intern")
    claims.deny("dropped", "only logs and caches")


@variant("databases", "PostgreSQL: a table dropped, and the server killed", machine=True)
def postgres_killed(place: Place, claims: Claims) -> Iterator[None]:
    _shop(place)
    yield
    postgres(place, "DROP TABLE invoices;", stop="immediate")
    state = place.run("/usr/lib/postgresql/15/bin/pg_controldata /var/lib/postgresql/15/main")
    if "in production" not in state:
        raise RuntimeError("the server was stopped in order")
    claims.say(
        "postgres",
        "running|killed|not stopped|crash|recover|unclean|cleanly|shut down|write-ahead|WAL",
    )
    claims.lead("postgres")
    claims.deny("only logs and caches")


@variant("databases", "MariaDB: a table dropped", machine=True)
def mariadb_table_dropped(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "mariadb-server")
    place.write("srv/shop/app.py", "import pymysql\n")
    mariadb(
        place,
        "CREATE DATABASE shop; USE shop;"
        "CREATE TABLE payments(id INT PRIMARY KEY, total INT);"
        "CREATE TABLE products(id INT PRIMARY KEY, name TEXT);"
        "INSERT INTO payments SELECT seq, seq * 3 FROM seq_1_to_4000;"
        "INSERT INTO products SELECT seq, 'product' FROM seq_1_to_100;",
    )
    yield
    mariadb(place, "DROP TABLE shop.payments;")
    claims.warn("payments", DROPPED)
    claims.lead("payments", DROPPED)
    claims.deny("only logs and caches")


@variant("databases", "Redis: the keys of all carts deleted", machine=True)
def redis_keys_deleted(place: Place, claims: Claims) -> Iterator[None]:
    install(place, "redis-server")
    fill = "for n in $(seq 200); do echo SET cart:$n product-$n; echo SET session:$n user-$n; done"
    redis(place, fill)
    yield
    redis(place, "for n in $(seq 200); do echo DEL cart:$n; done")
    claims.warn("redis|dump.rdb", "200", "key", _FEWER)
    claims.lead("redis|dump.rdb", "key")
