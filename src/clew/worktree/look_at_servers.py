"""Look at the database servers that run in a workspace: names of tables, and about how many rows.

Each server is asked in a child process, which gives up root's rights first, and is killed when its
time is up.
"""

from __future__ import annotations

import os
import pwd
import select
import time
from contextlib import suppress
from functools import partial

from clew.atomic_write import write_all
from clew.model.database_look import (
    UNKNOWN,
    DatabaseLook,
    LookedDatabase,
    LookedServer,
    LookedTable,
)
from clew.worktree import mysql_client, postgres_client
from clew.worktree.bounded_socket import BoundedSocket, ServerRefused
from clew.worktree.child_process import Child
from clew.worktree.mysql_client import MySqlSession
from clew.worktree.postgres_client import PostgresSession
from clew.worktree.server_processes import NotThisServer, ServerProcess, connect, find_servers

_SECONDS = 5.0
"""For each server."""
_FIRST_DATABASES = ("postgres", "template1")


def look_at_servers(root: bytes, seconds: float = _SECONDS) -> tuple[LookedServer, ...]:
    """Return what each server in a workspace says; one that says nothing has a problem."""
    return tuple(_asked(server, root, seconds) for server in find_servers(root))


def _asked(server: ServerProcess, root: bytes, seconds: float) -> LookedServer:
    directory = os.fsdecode(os.path.relpath(server.directory, root))
    nothing = LookedServer(server.kind, directory, problem="it took too long")
    child = Child(partial(_ask, server, nothing, seconds))
    try:
        content = _read(child.output, time.monotonic() + seconds + 1)
    finally:
        child.end()
    with suppress(ValueError):
        (answer,) = DatabaseLook.decode(0, content).servers
        return answer
    return nothing


def _read(descriptor: int, deadline: float) -> bytes:
    """Return what a child writes until it ends, or until the time is up."""
    found = bytearray()
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            break
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            break
        found += piece
    return bytes(found)


# In the child


def _ask(server: ServerProcess, nothing: LookedServer, seconds: float, writing: int) -> None:
    deadline = time.monotonic() + seconds
    try:
        _become(server)
        ask = _ask_postgres if server.kind == "postgres" else _ask_mysql
        answer = ask(server, nothing._replace(problem=""), deadline)
    except ServerRefused as error:
        answer = nothing._replace(problem=str(error))
    except NotThisServer:
        answer = nothing._replace(problem="another process listens on its socket")
    except OSError as error:
        answer = nothing._replace(problem=f"it cannot be reached ({error.strerror or 'timeout'})")
    write_all(writing, DatabaseLook(0, (answer,)).encode())


def _become(server: ServerProcess) -> None:
    """Give up root's rights for those of the user that the server knows by its socket."""
    if os.geteuid() == 0 and server.owner != 0:
        os.setgroups([])
        os.setgid(server.group)
        os.setuid(server.owner)


def _users(server: ServerProcess) -> list[str]:
    names = ["postgres" if server.kind == "postgres" else "root"]
    for user in (server.owner, os.geteuid()):
        with suppress(KeyError):
            names.insert(0, pwd.getpwuid(user).pw_name)
    return list(dict.fromkeys(names))


def _ask_postgres(server: ServerProcess, answer: LookedServer, deadline: float) -> LookedServer:
    user, first = _let_in(server, deadline)
    databases = [name for (name,) in first.rows(postgres_client.DATABASES)]
    superusers = tuple(name for (name,) in first.rows(postgres_client.SUPERUSERS))
    version = first.rows(postgres_client.VERSION)[0][0]
    first.close()
    found = []
    for name in databases:
        with suppress(ServerRefused):  # this user may not enter it
            session = _postgres(server, user, name, deadline)
            rows = session.rows(postgres_client.TABLES)
            session.close()
            tables = [
                LookedTable(table if schema == "public" else f"{schema}.{table}", _number(number))
                for schema, table, number in rows
            ]
            found.append(LookedDatabase(name, tuple(tables)))
    return answer._replace(version=version, databases=tuple(found), superusers=superusers)


def _let_in(server: ServerProcess, deadline: float) -> tuple[str, PostgresSession]:
    """Return the first user whom the server lets in, and the session."""
    problem = ServerRefused("it does not let this user in")
    for user in _users(server):
        for database in _FIRST_DATABASES:
            try:
                return user, _postgres(server, user, database, deadline)
            except ServerRefused as error:
                problem = error
    raise problem


def _postgres(server: ServerProcess, user: str, database: str, deadline: float) -> PostgresSession:
    connection = connect(server, server.sockets[0], max(deadline - time.monotonic(), 0.01))
    return PostgresSession(BoundedSocket(connection, deadline), user, database)


def _ask_mysql(server: ServerProcess, answer: LookedServer, deadline: float) -> LookedServer:
    session = _mysql(server, deadline)
    session.rows(mysql_client.READ_ONLY)
    version = session.rows(mysql_client.VERSION)[0][0]
    tables: dict[str, list[LookedTable]] = {}
    for database, table, number in session.rows(mysql_client.TABLES):
        tables.setdefault(database, []).append(LookedTable(table, _number(number)))
    session.close()
    found = tuple(LookedDatabase(name, tuple(ones)) for name, ones in sorted(tables.items()))
    return answer._replace(version=version, databases=found)


def _mysql(server: ServerProcess, deadline: float) -> MySqlSession:
    problem = ServerRefused("it does not let this user in")
    for user in _users(server):
        connection = connect(server, server.sockets[0], max(deadline - time.monotonic(), 0.01))
        try:
            return MySqlSession(BoundedSocket(connection, deadline), user)
        except ServerRefused as error:
            problem = error
    raise problem


def _number(text: str) -> int:
    try:
        return max(int(text), UNKNOWN)
    except ValueError:
        return UNKNOWN
