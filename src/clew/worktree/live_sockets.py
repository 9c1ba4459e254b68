"""Live sockets: unix sockets of processes outside a sandbox, which its commands must not reach.

A daemon that is asked through a socket (Docker, systemd, syslog, a database) would do live work for a
command in a copy, and answer a check with live data.  Abstract sockets belong to the network
namespace; a socket in a file is covered by one that no process listens on.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from clew.worktree.mounts import read_mounts
from clew.worktree.namespaces import bind, held

_TABLE = "/proc/net/unix"
_PATH_COLUMN = 7
_DIRECTORIES = (b"/run", b"/var/run")
"""Daemons of other network namespaces, a container's host among them, are not in the table."""
_DEEPEST = 3
_MOST = 2000


def live_sockets(environ: Mapping[bytes, bytes]) -> set[bytes]:
    """Return the paths of unix sockets; call this before the network namespace is left."""
    found = {*_bound(), *_named(environ.values()), *(one.point for one in read_mounts())}
    for directory in _DIRECTORIES:
        found.update(_below(directory, _DEEPEST))
    sockets = sorted({os.path.realpath(path) for path in found if _is_socket(path)})
    return set(sockets[:_MOST])


def hide_sockets(paths: Iterable[bytes], place: bytes | None) -> None:
    """Cover sockets by one that no process listens on, made in `place`, a private directory."""
    silent = (
        b"/dev/null"
        if place is None
        else os.path.join(place, b".clew-%s" % os.urandom(8).hex().encode())
    )
    if place is not None:
        os.mknod(silent, stat.S_IFSOCK | 0o777)
    for path in paths:
        if _is_socket(path):
            with suppress(OSError):  # removed meanwhile
                bind(silent, path)
    if place is not None:
        os.unlink(silent)  # the mounts stay


def show_sockets(opened: Iterable[tuple[bytes, int]]) -> None:
    """Bind open live sockets where their directory has become private."""
    for path, descriptor in opened:
        bind(held(descriptor), path)


def _bound() -> Iterator[bytes]:
    """Yield the names in the kernel's table; those of abstract sockets begin with `@`."""
    try:
        with open(_TABLE, "rb") as file:
            lines = file.read().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        fields = line.split(None, _PATH_COLUMN)
        if len(fields) > _PATH_COLUMN and fields[_PATH_COLUMN].startswith(b"/"):
            yield fields[_PATH_COLUMN]


def _named(values: Collection[bytes]) -> Iterator[bytes]:
    """Yield paths in values such as `unix:///run/docker.sock` and `unix:path=/run/bus,guid=0`."""
    for value in values:
        yield from re.findall(rb"(?<![^=:,;])(?://)?(/[^,;=:\0]+)", value)


def _below(directory: bytes, depth: int) -> Iterator[bytes]:
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth > 1:
                        yield from _below(entry.path, depth - 1)
                elif not entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:
        return  # not ours to read


def _is_socket(path: bytes) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
