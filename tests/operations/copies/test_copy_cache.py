"""Slots, when several want the same one: who makes a copy goes on to use it, and nobody waits."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from clew.operations.copies.copy_cache import Slot, Slots
from tests.cli import samples

LONG = 60.0


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    found = Slots(str(tmp_path)).make(samples.NAMED.record)
    assert found is not None
    return found


def test_who_waits_for_a_copy_does_not_wait_for_its_user(slot: Slot) -> None:
    is_made = threading.Event()
    came: list[bool] = []

    def wait() -> None:
        with slot.alone_unless(is_made.is_set) as held:
            came.append(held)

    with slot.locked(alone=True, wait=True) as making:
        waiter = threading.Thread(target=wait)
        waiter.start()
        is_made.set()
        waiter.join(LONG)  # while the one who made it goes on to use it

        assert making
        assert came == [False]


def test_who_waits_takes_over_from_one_who_died(slot: Slot) -> None:
    came: list[bool] = []

    def wait() -> None:
        with slot.alone_unless(lambda: False) as held:
            came.append(held)

    with slot.locked(alone=True, wait=True):
        waiter = threading.Thread(target=wait)
        waiter.start()
    waiter.join(LONG)

    assert came == [True]


def test_a_slot_that_is_gone_is_not_waited_for(slot: Slot) -> None:
    with slot.locked(alone=True, wait=True):
        slot.drop()

    with slot.alone_unless(lambda: False) as held:
        assert not held


def test_a_question_is_asked_once_whoever_sweeps_meanwhile(tmp_path: Path) -> None:
    asked: list[bytes] = []
    answers: list[bool] = []

    def ask(scratch: bytes) -> bool:
        asked.append(scratch)
        Slots(str(tmp_path)).sweep()
        time.sleep(0.05)  # so that the other one comes while we are at it
        Path(scratch.decode(), "still here").touch()
        return True

    def wonder() -> None:
        answers.append(Slots(str(tmp_path)).remembered("overlay", ask))

    threads = [threading.Thread(target=wonder) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)

    assert answers == [True] * 3
    assert len(asked) == 1
    assert [path.name for path in tmp_path.iterdir()] == [".overlay"]
