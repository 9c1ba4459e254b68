"""Running database servers whose data directory is in a workspace.

A server is found by its process: it runs in its data directory.
A socket is used only if the process that listens on it is that server, so that no file of a workspace
can lead clew to another one.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

from clew.model.named_tuple import NamedTuple

_KINDS = {
    b"postgres": "postgres", b"postmaster": "postgres", b"mysqld": "mysql", b"mariadbd": "mariadb",
}  # fmt: skip
_MARKERS = {"postgres": b"PG_VERSION", "mysql": b"ibdata1", "mariadb": b"ibdata1"}
_SOCKETS = b"/proc/net/unix"
_LISTENING = b"00010000"
_OTHER_PROTOCOL = (b"mysqlx.sock", b"x.sock")
_MOST = 16
_LONGEST_PATH = 100
"""A path of a unix socket is at most as long."""
_CREDENTIALS = struct.Struct("iII")


class ServerProcess(NamedTuple):
    """A server that runs."""

    kind: str
    pid: int
    directory: bytes
    owner: int
    """The user that it runs as, and that owns its data directory."""
    group: int
    sockets: tuple[bytes, ...]


class NotThisServer(Exception):
    """Another process listens on the socket."""


def find_servers(root: bytes) -> list[ServerProcess]:
    """Return the servers whose data directory is in a directory, at most some."""
    found = []
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
        server = _server(pid, root)
        if server is not None:
            found.append(server)
        if len(found) == _MOST:
            break
    return found


def connect(server: ServerProcess, path: bytes, seconds: float) -> socket.socket:
    """Connect to a socket of a server, and make sure that it is this server that listens."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(path)
        credentials = connection.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size
        )
        pid, user, _ = _CREDENTIALS.unpack(credentials)
        if pid != server.pid or user != server.owner:
            raise NotThisServer
    except BaseException:
        connection.close()
        raise
    return connection


def _server(pid: int, root: bytes) -> ServerProcess | None:
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            kind = _KINDS.get(file.read(64).strip())
        if kind is None:
            return None
        directory = os.readlink(b"/proc/%d/cwd" % pid)
        if not _is_within(directory, root):
            return None
        here, there = os.stat(directory), os.stat(b"/proc/%d/cwd" % pid)
        process = os.stat(f"/proc/{pid}")
        is_same = (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
        if not is_same or here.st_uid != process.st_uid:
            return None  # in another namespace, or started by another user
        os.stat(os.path.join(directory, _MARKERS[kind]))
        if kind == "postgres" and not _is_postmaster(pid, directory):
            return None
        sockets = tuple(_listening(pid))
    except OSError:
        return None  # it ended, or belongs to another user
    return (
        ServerProcess(kind, pid, directory, here.st_uid, here.st_gid, sockets) if sockets else None
    )


def _is_postmaster(pid: int, directory: bytes) -> bool:
    """Return whether a process is the one that started the workers in the same directory."""
    with open(os.path.join(directory, b"postmaster.pid"), "rb") as file:
        return file.read(20).split(b"\n")[0] == b"%d" % pid


def _is_within(path: bytes, root: bytes) -> bool:
    return path == root or path.startswith(root.rstrip(b"/") + b"/")


def _listening(pid: int) -> Iterator[bytes]:
    """Yield the unix sockets that a process listens on."""
    own = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            link = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if link.startswith("socket:["):
            own.add(link[8:-1].encode())
    with open(_SOCKETS, "rb") as file:
        for line in file:
            words = line.rstrip(b"\n").split(None, 7)
            if len(words) == 8 and words[3] == _LISTENING and words[6] in own:
                path = words[7]
                is_path = path.startswith(b"/") and len(path) <= _LONGEST_PATH
                if is_path and not path.endswith(_OTHER_PROTOCOL):
                    yield path
