"""Ctrl-C is noted while we wait, wakes us whenever it comes, and is never lost."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from clew.worktree.wait_child import Interrupts, Waiting


@pytest.fixture
def child() -> Iterator[int]:
    process = subprocess.Popen(["sleep", "600"])
    yield process.pid
    process.kill()
    process.wait()


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_is_noted_once() -> None:
    with Interrupts() as interrupts:
        before = interrupts.poll()
        interrupt()
        interrupt()

        assert (before, interrupts.poll(), interrupts.poll()) == (False, True, False)


def test_an_interrupt_that_nobody_asked_about_is_raised_in_the_end() -> None:
    with pytest.raises(KeyboardInterrupt), Interrupts():
        interrupt()


def test_other_signals_are_no_interrupts() -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), signal.SIGUSR1)

            assert not interrupts.poll()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            interrupt()

            assert not interrupts.poll()
    finally:
        signal.signal(signal.SIGINT, before)


def test_everything_is_as_it_was_before() -> None:
    before = signal.getsignal(signal.SIGINT), sorted(os.listdir("/proc/self/fd"))
    with Interrupts():
        pass
    after = signal.getsignal(signal.SIGINT), sorted(os.listdir("/proc/self/fd"))

    assert after == before
    assert signal.set_wakeup_fd(-1) == -1


def test_an_interrupt_wakes_who_waits(child: int) -> None:
    with Interrupts() as interrupts:
        waiting = Waiting(child, interrupts.readable)
        interrupt()
        ready = waiting.wait(600)
        waiting.close()

        assert ready == {interrupts.readable}
        assert interrupts.poll()


def test_the_end_of_a_child_wakes_who_waits(child: int) -> None:
    waiting = Waiting(child)
    before = waiting.is_over
    os.kill(child, signal.SIGKILL)
    ready = waiting.wait(600)
    after = waiting.is_over
    waiting.close()

    assert (before, after) == (False, True)
    assert len(ready) == 1
    assert os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT) is not None
