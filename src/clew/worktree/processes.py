"""Running processes, from ``/proc``: shared writable mappings and open files.

A store through a shared mapping does not change the ctime after the first page fault, so a file
that is mapped now gets no cached key: the next scan reads it again, even if it is unmapped by then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator

from clew.model.holder import Holder
from clew.model.named_tuple import NamedTuple

_KERNEL_THREAD = 0x00200000  # PF_KTHREAD

_WRITING = {
    "x86_64": dict.fromkeys((b"1", b"18", b"20", b"40", b"77", b"285", b"296", b"328"), 0)
    | {b"275": 2, b"326": 2},
    "aarch64": dict.fromkeys((b"46", b"47", b"64", b"66", b"68", b"70", b"71", b"287"), 0)
    | {b"76": 2, b"285": 2},
}
"""System calls that write, by number, with the position of the descriptor argument."""


class SharedMaps(NamedTuple):
    """Inodes that some process may be changing without updating their times."""

    inodes: frozenset[int]
    blind: int
    """Number of processes whose mappings we may not read."""


def shared_maps() -> SharedMaps:
    """Return the inodes mapped shared and writable by any process that we may inspect."""
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
            continue  # ended meanwhile
        if b"w-s " not in maps and b"wxs " not in maps:
            continue
        for line in maps.splitlines():
            fields = line.split(None, 5)
            if fields[1].endswith((b"w-s", b"wxs")) and fields[4] != b"0":
                inodes.add(int(fields[4]))
    return SharedMaps(frozenset(inodes), blind)


def open_for_writing() -> frozenset[tuple[int, int]]:
    """Return device and inode of each file that a process we may inspect has open for writing."""
    found: set[tuple[int, int]] = set()
    for pid in _pids():
        directory = f"/proc/{pid}/fd/"
        try:
            names = os.listdir(directory)
        except OSError:
            continue  # ended, or not permitted
        for name in names:
            try:
                # The mode of the link shows how the file was opened.
                if os.lstat(directory + name).st_mode & 0o200:
                    file = os.stat(directory + name)
                    if stat.S_ISREG(file.st_mode):
                        found.add((file.st_dev, file.st_ino))
            except OSError:
                continue
    return frozenset(found)


def being_written() -> frozenset[tuple[int, int]]:
    """Return device and inode of each file that a thread we may inspect is blocked writing to.

    This does not see a thread that is running right now, nor an asynchronous write of the kernel
    (`io_uring`).
    """
    found: set[tuple[int, int]] = set()
    places = _WRITING.get(os.uname().machine, {})
    for pid in _pids():
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/syscall", "rb", buffering=0) as file:
                    number, *arguments = file.read(256).split()
                place = places.get(number)
                if place is not None:
                    written = os.stat(f"/proc/{pid}/fd/{int(arguments[place], 16) & 0xFFFFFFFF}")
                    found.add((written.st_dev, written.st_ino))
        except (OSError, ValueError, IndexError):
            continue  # ended meanwhile, or not permitted
    return frozenset(found)


def holders(root: bytes, paths: Collection[bytes]) -> list[Holder]:
    """Return the processes that have any of `paths` (relative to `root`) open or mapped."""
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
        return  # ended, or not permitted


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
        return True  # ended meanwhile: nothing to count
    return bool(int(flags) & _KERNEL_THREAD)
