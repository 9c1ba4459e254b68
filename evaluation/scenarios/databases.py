"""Databases: SQLite in all its states, Django's migrations, Redis, PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.histories import repository
from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truth import Tables
from evaluation.truths.data import PostgresTables, RedisKeys
from evaluation.truths.files import Generated, Log, SourceFiles

_ROWS = "with recursive n(x) as (select 1 union all select x + 1 from n where x < {})"


def _database(place: Place, rows: int = 2) -> None:
    repository(place)
    place.run("echo '*.db*' >> .gitignore && git commit -qam ignore")
    place.run(
        "sqlite3 app.db 'create table users(id integer primary key, name text);"
        f" {_ROWS.format(rows)} insert into users(name) select x from n;"
        " create table old(a); insert into old values (1)'"
    )


@scenario(
    24, "sqlite: 120 rows, a column, an index, a table dropped", Tables("app.db"),
    warnings={"old"}, headline=("table old dropped",),
)  # fmt: skip
def sqlite_changes(place: Place) -> Iterator[None]:
    _database(place)
    yield
    place.run(
        "sqlite3 app.db 'alter table users add column email text;"
        f" {_ROWS.format(120)} insert into users(name) select x from n;"
        " create index by_name on users(name); drop table old; create table orders(id)'"
    )


@scenario(
    24, "sqlite: rows and a column, still in the WAL", Tables("app.db"), benign=True,
    headline=("users 2 → 122 rows, +column email",),
)  # fmt: skip
def sqlite_wal(place: Place) -> Iterator[None]:
    _database(place)
    place.run("sqlite3 app.db 'pragma journal_mode = wal'")
    yield
    _python(
        place,
        "db.executemany('insert into users(name) values (?)', [(n,) for n in range(120)])",
        f"db.execute('alter table users add column email text default \"{place.canary()}\"')",
        "db.commit()",
    )
    assert (place.root / "app.db-wal").stat().st_size > 0


@scenario(24, "sqlite: killed in the middle, a hot journal", Tables("app.db"), benign=True)
def sqlite_hot_journal(place: Place) -> Iterator[None]:
    _database(place, 2000)
    yield
    _python(
        place,
        "db.execute('pragma cache_size = 2')",
        "db.execute('begin')",
        "db.execute('update users set name = name || hex(randomblob(200))')",
        "db.execute('delete from old')",
    )
    assert (place.root / "app.db-journal").stat().st_size > 0


@scenario(24, "sqlite: vacuum and analyze", Tables("app.db"), benign=True)
def sqlite_vacuum(place: Place) -> Iterator[None]:
    _database(place, 2000)
    place.run("sqlite3 app.db 'delete from users where id % 2'")
    yield
    place.run("sqlite3 app.db 'vacuum; analyze'")


@scenario(
    24, "sqlite: same number of rows, other values", Tables("app.db"), benign=True,
    headline=("users 100 rows edited",),
)  # fmt: skip
def sqlite_values(place: Place) -> Iterator[None]:
    _database(place, 500)
    yield
    place.run(f"sqlite3 app.db \"update users set name = '{place.canary()}' where id > 400\"")


@scenario(
    24, "sqlite: most rows deleted", Tables("app.db"), warnings={"users"},
    headline=("! app.db: users lost 490 of 500 rows",),
)  # fmt: skip
def sqlite_deleted_rows(place: Place) -> Iterator[None]:
    _database(place, 500)
    yield
    place.run("sqlite3 app.db 'delete from users where id > 10'")


@scenario(
    24, "sqlite: rm app.db", Tables("app.db"), warnings={"users", "old"},
    headline=("! app.db removed (2 tables, 501 rows)",),
)  # fmt: skip
def sqlite_removed(place: Place) -> Iterator[None]:
    _database(place, 500)
    yield
    place.run("rm app.db")


@scenario(
    24, "sqlite: replaced by another database", Tables("app.db"), warnings={"users", "old"},
    headline=("! app.db",),
)  # fmt: skip
def sqlite_replaced(place: Place) -> Iterator[None]:
    _database(place, 500)
    yield
    place.run(
        "rm app.db && sqlite3 app.db 'create table accounts(id); insert into accounts values (1)'"
    )


@scenario(
    24, "sqlite: moved to another directory",
    expected={("data.changed", "sqlite", "data/app.db", None, None)}, benign=True,
    headline=("moved from app.db",),
)  # fmt: skip
def sqlite_moved(place: Place) -> Iterator[None]:
    _database(place, 500)
    yield
    place.run("mkdir data && mv app.db data/")


@scenario(
    25, "Django: a model, makemigrations, migrate",
    Tables("db.sqlite3"), SourceFiles(apart=("*.sqlite3",)),
    Generated("cache", ".", only="-path '*/__pycache__/*'", subject="shop"),
    benign=True, headline=("db.sqlite3", "shop_order"),
)  # fmt: skip
def django(place: Place) -> Iterator[None]:
    python = place.around / "venv/bin/python"
    place.run(f"python3 -m venv {place.around}/venv && {python} -m pip install -q django==5.0.6")
    place.run(f"{python} -m django startproject web . && {python} manage.py startapp shop")
    place.run("sed -i \"s/INSTALLED_APPS = \\[/INSTALLED_APPS = [\\n    'shop',/\" web/settings.py")
    place.run(f"{python} manage.py migrate")
    place.run("printf '__pycache__/\\n*.sqlite3\\n' > .gitignore")
    place.run("git init -q && git add -A && git commit -qm first")
    yield
    place.write(
        "shop/models.py",
        "from django.db import models\n\n\nclass Order(models.Model):\n"
        "    email = models.EmailField()\n    total = models.IntegerField(default=0)\n",
    )
    place.run(f"{python} manage.py makemigrations && {python} manage.py migrate")


@scenario(
    25, "Django: a column added to a table with rows",
    Tables("db.sqlite3"), SourceFiles(apart=("*.sqlite3",)),
    benign=True, headline=("shop_order",),
)  # fmt: skip
def django_column(place: Place) -> Iterator[None]:
    for _ in django(place):
        pass
    python = f"PYTHONDONTWRITEBYTECODE=1 {place.around}/venv/bin/python"
    place.run("git add -A && git commit -qm order")
    place.run(
        f'sqlite3 db.sqlite3 "{_ROWS.format(40)} insert into shop_order(email, total)'
        f" select '{place.canary()}', x from n\""
    )
    yield
    place.run("echo '    paid = models.BooleanField(default=False)' >> shop/models.py")
    place.run(f"{python} manage.py makemigrations && {python} manage.py migrate")


@scenario(
    26, "redis: SET 120 times and SAVE", RedisKeys("var/lib/redis/dump.rdb"), machine=True,
    benign=True, headline=("dump.rdb", "122 keys"),
)  # fmt: skip
def redis(place: Place) -> Iterator[None]:
    place.run("apt-get install -y -qq --no-install-recommends redis-server")
    _redis(place, "SET a 1; SET b 2")
    yield
    _redis(place, "; ".join(f"SET key:{n} {place.canary() if n == 7 else n}" for n in range(120)))


@scenario(
    26, "postgres: a table while the server runs", PostgresTables("var/lib/postgresql/15/main"),
    Log("var/log/postgresql/server.log"), machine=True, benign=True,
    headline=("PostgreSQL",),
)  # fmt: skip
def postgres(place: Place) -> Iterator[None]:
    place.run("apt-get install -y -qq --no-install-recommends postgresql")
    _postgres(place, "start", "select 1", "stop -m fast")
    yield
    # stopped as by a power cut, so that its files are those of a server that runs
    _postgres(
        place, "start",
        f"create table orders as select n, '{place.canary()}' as t from generate_series(1, 9000) n",
        "stop -m immediate",
    )  # fmt: skip


def _python(place: Place, *lines: str) -> None:
    """Work on the database and end without closing it."""
    program = "\n".join(
        ("import os, sqlite3", "db = sqlite3.connect('app.db')", *lines, "os._exit(0)")
    )
    place.write("../work.py", program)
    place.run("python3 ../work.py")


def _redis(place: Place, commands: str) -> None:
    lines = "\\n".join((*commands.split("; "), "SAVE", "SHUTDOWN NOSAVE"))
    place.run(
        "runuser -u redis -- redis-server --port 0 --unixsocket /tmp/redis.sock --daemonize yes"
        " --dir /var/lib/redis --save '' > /dev/null;"
        " for i in 1 2 3 4 5 6 7 8 9; do test -S /tmp/redis.sock && break; sleep 0.2; done;"
        f" printf '{lines}\\n' | redis-cli -s /tmp/redis.sock > /dev/null; rm -f /tmp/redis.sock"
    )


def _postgres(place: Place, start: str, query: str, stop: str) -> None:
    control = 'pg_ctl -w -D /var/lib/postgresql/15/main -o \\"-c listen_addresses= -c config_file=/etc/postgresql/15/main/postgresql.conf\\" -l /var/log/postgresql/server.log'
    place.run(
        "export PATH=$PATH:/usr/lib/postgresql/15/bin; mkdir -p /run/postgresql /var/run/postgresql;"
        " chown postgres /run/postgresql;"
        f' runuser -u postgres -- sh -c "{control} {start}" > /dev/null 2>&1;'
        f' runuser -u postgres -- psql -q -c "{query}" > /dev/null;'
        f' runuser -u postgres -- sh -c "{control} {stop}" > /dev/null 2>&1'
    )
