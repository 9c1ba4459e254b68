"""Database servers in a machine: each is started, asked and stopped again, and listens on no port."""

from __future__ import annotations

from evaluation.place import Place

_POSTGRES = "pg_ctlcluster 15 main"
_MARIADB = "/run/mysqld/mysqld.sock"
_REDIS = "redis-cli -s /run/redis.sock"


def install(place: Place, package: str) -> None:
    place.run(f"apt-get install -y -qq --no-install-recommends {package}")


def postgres(place: Place, statements: str, database: str = "shop", stop: str = "fast") -> None:
    place.run(f"{_POSTGRES} start -o \"-c listen_addresses=''\"")
    try:
        query = f"psql -qAtX -v ON_ERROR_STOP=1 -d {database}"
        place.run(f"cd / && su postgres -c '{query}' <<'END'\n{statements}\nEND")
    finally:
        place.run(f"{_POSTGRES} stop -m {stop}")


def mariadb(place: Place, statements: str) -> None:
    place.run(
        "mkdir -p /run/mysqld && chown mysql /run/mysqld && (mariadbd --user=mysql"
        f" --skip-networking --socket={_MARIADB} </dev/null >/var/log/mariadb.log 2>&1 &)"
    )
    try:
        place.run(
            "for n in $(seq 150); do mariadb-admin ping 2>/dev/null && exit; sleep 0.2; done; false"
        )
        place.run(f"mariadb <<'END'\n{statements}\nEND")
    finally:
        place.run(f"mariadb-admin shutdown && while [ -e {_MARIADB} ]; do sleep 0.1; done; sleep 1")


def redis(place: Place, commands: str) -> None:
    """Run a shell command whose output is a list of Redis commands, and save what they leave."""
    place.run(
        "redis-server --port 0 --unixsocket /run/redis.sock --daemonize yes --dir /var/lib/redis"
        f" --save '' >/dev/null; until {_REDIS} ping | grep -q PONG; do sleep 0.1; done"
    )
    place.run(f"{commands} | {_REDIS} >/dev/null; {_REDIS} SHUTDOWN SAVE")
