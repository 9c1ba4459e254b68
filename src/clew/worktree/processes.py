"""Running processes, from ``/proc``: who maps files shared and writable, who holds files open.

A store through a shared map is invisible to ctime after the first page fault, so a file that is
mapped now gets no cached key: it is read again next time, also if the map is closed by then.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from clew.model.holder import Holder
from clew.model.named import NamedTuple

_KERNEL_THREAD = 0x00200000  # PF_KTHREAD


class SharedMaps(NamedTuple):
    """Inodes that some process may be storing to without a trace."""

    inodes: frozenset[int]
    blind: int
    """Processes whose maps may not be read."""


def shared_maps() -> SharedMaps:
    """Return the inodes mapped shared and writable by any process we may look at."""
    inodes: set[int] = set()
    blind = 0
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/maps", "rb", buffering=0) as file:
                maps = file.readall()
        except PermissionError:
            blind += not _is_kernel_thread(pid)
            continue
        except OSError:
            continue  # gone meanwhile
        if b"w-s " not in maps and b"wxs " not in maps:
            continue
        for line in maps.splitlines():
            fields = line.split(None, 5)
            if fields[1].endswith((b"w-s", b"wxs")) and fields[4] != b"0":
                inodes.add(int(fields[4]))
    return SharedMaps(frozenset(inodes), blind)


def holders(root: bytes, paths: Collection[bytes]) -> list[Holder]:
    """Return the processes that hold any of `paths` (relative to `root`) open or mapped."""
    prefix = root.rstrip(b"/") + b"/"
    wanted = {prefix + path: path for path in paths}
    found: list[Holder] = []
    for pid in _pids():
        if int(pid) == os.getpid():
            continue
        held = sorted({wanted[path] for path in _open_paths(pid) if path in wanted})
        if held:
            command = _command(pid)
            found.extend(Holder(int(pid), command, path) for path in held)
    return found


def _pids() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _open_paths(pid: str) -> Iterator[bytes]:
    directory = f"/proc/{pid}/fd".encode()
    try:
        for name in os.listdir(directory):
            try:
                yield os.readlink(directory + b"/" + name)
            except OSError:
                continue
        with open(f"/proc/{pid}/maps", "rb", buffering=0) as file:
            for line in file.readall().splitlines():
                fields = line.split(None, 5)
                if len(fields) == 6:
                    yield fields[5]
        yield os.readlink(f"/proc/{pid}/cwd".encode())
        yield os.readlink(f"/proc/{pid}/exe".encode())
    except OSError:
        return  # gone, or not ours to look at


def _command(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(4096).split(b"\0")
    except OSError:
        return "?"
    return b" ".join(words).decode("utf-8", "replace").strip() or "?"


def _is_kernel_thread(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            flags = file.read(1024).rpartition(b")")[2].split()[6]
    except (OSError, IndexError):
        return True  # gone meanwhile: nothing to be blind to
    return bool(int(flags) & _KERNEL_THREAD)
