"""The process in the background that derives stories: tests wait for it, or do without it.

`CLEW_BACKGROUND=off` keeps commands from starting it; `conftest` and `Clew` set that.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OFF = {"CLEW_BACKGROUND": "off"}
ON = {"CLEW_BACKGROUND": "on"}
LONGEST = 400.0


def lock_files(store: Path) -> list[Path]:
    return sorted((store / "locks").glob("stories-*"))


def is_running(store: Path) -> bool:
    """Tell whether a process holds the lock of stories."""
    return any(not _is_free(path) for path in lock_files(store))


def wait_for_stories(store: Path) -> None:
    """Wait until no process derives stories of a store, and those that did have exited."""
    deadline = time.monotonic() + LONGEST
    while is_running(store) or any(map(is_alive, pids(store))):
        assert time.monotonic() < deadline, "a process still derives stories"
        time.sleep(0.01)


def pids(store: Path) -> list[int]:
    """Return the processes that have derived stories last; the file has it once they started."""
    texts = [path.read_text().strip() for path in lock_files(store)]
    return [int(text) for text in texts if text]


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def kill_stories(store: Path) -> None:
    """Kill the process that derives stories, wherever it is."""
    for pid in pids(store):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for_stories(store)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock file as the process that derives stories does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _is_free(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
