"""Locks: which exclude each other, and release when their process exits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clew.monitor import Monitor
from clew.store.locks import Locks

Take = Callable[[Locks, Monitor], AbstractContextManager[None]]

SHARED: Take = Locks.shared
EXCLUSIVE: Take = Locks.exclusive
COLLECTING: Take = Locks.collecting


def workspace(number: int) -> Take:
    return lambda locks, monitor: locks.workspace(bytes([number]) * 16, monitor)


class Listener(Monitor):
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.waits = threading.Event()

    def waiting(self, what: str) -> None:
        self.heard.append(what)
        self.waits.set()


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        (SHARED, SHARED, False),
        (SHARED, EXCLUSIVE, True),
        (EXCLUSIVE, SHARED, True),
        (EXCLUSIVE, EXCLUSIVE, True),
        (COLLECTING, COLLECTING, True),
        (COLLECTING, SHARED, False),
        (COLLECTING, EXCLUSIVE, False),
        (workspace(1), workspace(1), True),
        (workspace(1), workspace(2), False),
        (workspace(1), EXCLUSIVE, False),
    ],
)
def test_who_waits_for_whom(tmp_path: Path, first: Take, second: Take, waits: bool) -> None:
    locks, listener = Locks(str(tmp_path)), Listener()
    got = threading.Event()

    def other() -> None:
        with second(Locks(str(tmp_path)), listener):
            got.set()

    with first(locks, Monitor()):
        thread = threading.Thread(target=other)
        thread.start()
        if waits:
            assert listener.waits.wait(10)
            assert not got.is_set()
        else:
            assert got.wait(10)
    thread.join(10)

    assert got.is_set()
    assert bool(listener.heard) == waits


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with Locks(str(tmp_path)).exclusive(Monitor()):
            os.write(writer, b"x")
            signal.pause()
        os._exit(0)
    os.read(reader, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    os.close(writer)
    listener = Listener()
    with Locks(str(tmp_path)).exclusive(listener):
        pass

    assert listener.heard == []
