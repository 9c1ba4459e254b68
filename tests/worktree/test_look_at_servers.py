"""Questions to database servers: real ones where they are installed, and hostile ones."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.worktree import postgres_client
from clew.worktree.bounded_socket import BoundedSocket, ServerRefused
from clew.worktree.look_at_servers import look_at_servers
from clew.worktree.mysql_client import MySqlSession
from clew.worktree.postgres_client import PostgresSession
from clew.worktree.server_processes import NotThisServer, ServerProcess, connect, find_servers

POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
READY = struct.pack("!cI", b"Z", 5) + b"I"
WELCOME = struct.pack("!cII", b"R", 8, 0) + READY


def _user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


needs_postgres = pytest.mark.skipif(
    not POSTGRES or os.geteuid() != 0 or not _user("postgres"),
    reason="needs PostgreSQL, its user, and root to become it",
)


class Cluster:
    """A real server, which listens on a unix socket only."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.data = place / "data"
        self._as("initdb", "-N", "-D", str(self.data), "-U", "postgres", "-A", "trust")
        options = f"-c listen_addresses='' -c unix_socket_directories='{place}' -c fsync=off"
        log = str(place / "log")
        self._as("pg_ctl", "-w", "-D", str(self.data), "-o", options, "-l", log, "start")

    def sql(self, statements: str, database: str = "postgres") -> None:
        self._as("psql", "-qX", "-h", str(self.place), "-d", database, "-c", statements)

    def allow(self, authentication: str) -> None:
        """Let users in by `trust`, as `peer` or with a password from now on."""
        (self.data / "pg_hba.conf").write_text(f"local all all {authentication}\n")
        self._as("pg_ctl", "-D", str(self.data), "reload")
        time.sleep(0.5)  # the server reads the file when it has the signal

    def stop(self) -> None:
        self._as("pg_ctl", "-w", "-D", str(self.data), "-m", "immediate", "stop")

    def _as(self, program: str, *words: str) -> None:
        command = ["runuser", "-u", "postgres", "--", str(POSTGRES[-1] / program), *words]
        subprocess.run(command, cwd="/", check=True, capture_output=True)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A server in a directory with a short path, because that of a socket is short."""
    place = Path(f"/tmp/clew-look-{os.getpid()}")
    place.mkdir(mode=0o755)
    shutil.chown(place, "postgres")
    try:
        made = Cluster(place)
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(place)


@needs_postgres
def test_a_real_server_tells_its_tables(cluster: Cluster) -> None:
    cluster.sql("CREATE DATABASE shop")
    cluster.sql("CREATE TABLE orders AS SELECT generate_series(1, 500) n; ANALYZE;"
                "CREATE SCHEMA crm; CREATE TABLE crm.people(name text); CREATE TEMP TABLE t(a int)", "shop")  # fmt: skip

    for authentication in ("trust", "peer"):
        cluster.allow(authentication)
        (answer,) = look_at_servers(os.fsencode(cluster.place))

        assert (answer.kind, answer.directory, answer.problem) == ("postgres", "data", "")
        assert answer.superusers == ("postgres",)
        tables = {one.name: dict(one.tables) for one in answer.databases}
        assert {name: sorted(found) for name, found in tables.items()} == {
            "postgres": [], "shop": ["crm.people", "orders"],
        }  # fmt: skip
        assert tables["shop"]["orders"] == 500


@needs_postgres
def test_a_server_that_asks_for_a_password_is_left_alone(cluster: Cluster) -> None:
    cluster.allow("scram-sha-256")

    (answer,) = look_at_servers(os.fsencode(cluster.place))

    assert (answer.problem, answer.databases) == ("it asks for a password", ())


@needs_postgres
def test_the_session_cannot_write(cluster: Cluster) -> None:
    cluster.allow("trust")
    (server,) = find_servers(os.fsencode(cluster.place))
    connection = connect(server, server.sockets[0], 5)
    session = PostgresSession(
        BoundedSocket(connection, time.monotonic() + 5), "postgres", "postgres"
    )

    with pytest.raises(ServerRefused, match="25006"):
        session.rows("CREATE TABLE written(a int)")
    connection.close()


@needs_postgres
def test_servers_elsewhere_are_not_asked(cluster: Cluster, tmp_path: Path) -> None:
    assert look_at_servers(os.fsencode(tmp_path)) == ()


# Hostile servers


def talk(
    answer: Callable[[socket.socket], None], session: Callable[[BoundedSocket], object],
    seconds: float = 5.0,
) -> object:  # fmt: skip
    """Let a made server answer a session, and return what the session says."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=_quietly, args=(answer, theirs))
    thread.start()
    try:
        return session(BoundedSocket(ours, time.monotonic() + seconds))
    finally:
        ours.close()
        thread.join()


def _quietly(answer: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with connection:
        try:
            answer(connection)
        except OSError:
            return


def postgres(connection: BoundedSocket) -> list[tuple[str, ...]]:
    return PostgresSession(connection, "me", "db").rows(postgres_client.TABLES)


def mysql(connection: BoundedSocket) -> list[tuple[str, ...]]:
    return MySqlSession(connection, "me").rows("SELECT 1")


def says(content: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(content)
        connection.recv(4096)

    return answer


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (struct.pack("!cII", b"R", 8, 10), "it asks for a password"),
        (struct.pack("!cI", b"E", 20) + b"SFATAL\0C28P01\0\0\0", "it asks for a password"),
        (struct.pack("!cI", b"E", 21) + b"C42P01\0Mcanary-7f3a\0", "error 42P01"),
        (struct.pack("!cI", b"T", 0x7FFFFFFF), "its answer is too long"),
        (struct.pack("!cI", b"Z", 3), "its answer is none of PostgreSQL"),
        (b"", "it closed the connection"),
    ],
)
def test_a_server_that_does_not_answer_as_it_should_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ServerRefused) as refused:
        talk(lambda one: (one.recv(4096), one.sendall(content), one.close())[-1], postgres)  # type: ignore[func-returns-value]

    assert str(refused.value) == reason


def test_an_endless_answer_ends(capfd: pytest.CaptureFixture[str]) -> None:
    def endless(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(WELCOME)
        row = struct.pack("!cIHi", b"D", 1010, 1, 1000) + b"x" * 1000
        while True:
            connection.sendall(row)

    with pytest.raises(ServerRefused, match="too long"):
        talk(endless, postgres)


def test_a_silent_server_is_not_waited_for() -> None:
    def silent(connection: socket.socket) -> None:
        if connection.recv(9999):
            connection.recv(1)

    begun = time.monotonic()

    with pytest.raises((ServerRefused, TimeoutError)):
        talk(silent, postgres, 0.3)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("packets", "reason"),
    [
        ((b"\xff\x15\x04denied",), "its answer is none of MySQL"),
        ((b"\x0a8.0\0" + bytes(40) + b"mysql_native_password\0", b"\xff\x15\x04#28000canary"), "it does not let this user in"),
        ((b"\x0a8.0\0" + bytes(40) + b"caching_sha2_password\0", b"\x01\x04"), "it asks for a password"),
        ((b"",), "its answer is none of MySQL"),
    ],
)  # fmt: skip
def test_mysql_that_does_not_let_us_in_is_refused(packets: tuple[bytes, ...], reason: str) -> None:
    def answer(connection: socket.socket) -> None:
        for number, content in enumerate(packets):
            connection.sendall(len(content).to_bytes(3, "little") + bytes([2 * number]) + content)
            connection.recv(4096)

    with pytest.raises(ServerRefused) as refused:
        talk(answer, mysql)

    assert str(refused.value) == reason


def test_a_socket_of_another_process_is_not_used(tmp_path: Path) -> None:
    path = str(tmp_path / "s").encode()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        other = ServerProcess("postgres", os.getpid() + 1, b"/", os.geteuid(), 0, (path,))
        mine = other._replace(pid=os.getpid())

        with pytest.raises(NotThisServer):
            connect(other, path, 1)
        connect(mine, path, 1).close()


def test_a_program_that_only_has_the_name_is_no_server(tmp_path: Path) -> None:
    """It needs a data directory of its own user as its working directory, and a socket."""
    program = tmp_path / "postgres"
    program.symlink_to(sys.executable)
    code = "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen(); print(flush=True); time.sleep(60)"
    with subprocess.Popen(
        [str(program), "-c", code], cwd=tmp_path, stdout=subprocess.PIPE
    ) as running:
        try:
            assert running.stdout is not None
            running.stdout.readline()
            assert find_servers(os.fsencode(tmp_path)) == []
            (tmp_path / "PG_VERSION").write_text("15\n")
            # a relative path of a socket is none that others can use
            assert find_servers(os.fsencode(tmp_path)) == []
        finally:
            running.kill()
