"""Several clews at once: everything lands, nothing is lost, and a dead one blocks nobody."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew import opening
from tests.kit.killing import ALL
from tests.kit.running import Clew

SECONDS = 30 if ALL else 5


def test_many_saves_at_once_all_land(clew: Clew) -> None:
    clew.save("first")
    running = []
    for number in range(6):
        (clew.workspace / f"of {number}").write_text(f"{number}\n")
        running.append(_start(clew, "save", f"save {number}"))
    results = [process.wait(60) for process in running]
    log = clew.json("log")["checkpoints"]

    assert results == [0] * 6
    assert sorted(found["intent"] for found in log) == ["first", *(f"save {n}" for n in range(6))]
    for found in log[:-1]:
        own = found["intent"].removeprefix("save ")
        assert clew.ok("cat", found["id"], f"of {own}").out == f"{own}\n"
    assert clew.run("check", "--read-data").code == 0


def test_first_saves_of_many_projects_make_one_store(tmp_path: Path) -> None:
    clews = []
    for number in range(5):
        (tmp_path / f"project {number}").mkdir()
        (tmp_path / f"project {number}" / "file").write_text("shared bytes" * 1000)
        clews.append(Clew(tmp_path / f"project {number}", tmp_path / "store"))
    results = [process.wait(60) for process in [_start(clew, "save", "x") for clew in clews]]

    assert results == [0] * 5
    assert [len(clew.ids()) for clew in clews] == [1] * 5
    assert clews[0].run("check", "--read-data").code == 0


def test_saves_and_a_restore_at_once_take_turns(clew: Clew) -> None:
    (clew.workspace / "file").write_text("first")
    first = clew.save("first")
    (clew.workspace / "file").write_text("second")
    running = [_start(clew, "save", f"{n}") for n in range(3)]
    running.append(_start(clew, "restore", first, "--yes"))
    results = [process.wait(60) for process in running]

    assert results == [0] * 4
    assert clew.run("check", "--read-data").code == 0


@pytest.mark.slow
def test_saves_beside_collections_lose_nothing(clew: Clew) -> None:
    collecting = subprocess.Popen(
        [sys.executable, "-c", _COLLECT, clew.workspace, clew.store],
        env=clew.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    saved: dict[str, bytes] = {}
    with opening.open(clew.workspace, store=str(clew.store), create=True) as history:
        end, number = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            number += 1
            # the same few contents come and go: what a collection drops is needed again
            content = b"content %d\n" % (number % 5) * 3000
            (clew.workspace / "file").write_bytes(content)
            saved[history.save(f"{number}").checkpoint.id.hex()] = content
            if number % 4 == 0:
                victim = next(iter(saved))
                del saved[victim]
                history.delete([victim])
        collecting.send_signal(signal.SIGTERM)
        _, said = collecting.communicate(timeout=30)

        assert "Traceback" not in said, said
        assert history.store.check(read_data=True).whole
        path = str(clew.workspace / "file")
        assert [i for i, c in saved.items() if b"".join(history.cat(i, path)) != c] == []
        assert number > 10


def test_the_lock_of_a_killed_process_blocks_nobody(clew: Clew) -> None:
    (clew.workspace / "file").write_text("x")
    clew.save("first")
    stuck = _stopped_in_the_middle_of_a_save(clew)
    stuck.kill()
    stuck.wait()
    began = time.monotonic()
    clew.save("after the kill")

    assert time.monotonic() - began < 5


def test_a_save_waits_for_one_that_is_stopped_and_both_land(clew: Clew) -> None:
    """A machine that was suspended in the middle must not save a stale state as the newest."""
    (clew.workspace / "file").write_text("old")
    clew.save("first")
    stuck = _stopped_in_the_middle_of_a_save(clew)
    (clew.workspace / "file").write_text("new")
    second = _start(clew, "save", "second")
    time.sleep(0.5)
    still_waiting = second.poll() is None
    stuck.send_signal(signal.SIGCONT)
    results = (stuck.wait(60), second.wait(60))
    newest = clew.json("log")["checkpoints"][0]

    assert results == (0, 0)
    assert newest["intent"] == "second" or not still_waiting
    assert clew.ok("cat", "@", "file").out == "new"


_COLLECT = """
import signal, sys
from clew import errors, opening
going = True
def stop(*_):
    global going
    going = False
signal.signal(signal.SIGTERM, stop)
while going:
    try:
        with opening.open(sys.argv[1], store=sys.argv[2]) as clew:
            clew.store.gc()
    except errors.NotAWorkspace:
        pass  # not made yet
    except errors.NotAStore:
        pass
"""


def _start(clew: Clew, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        clew.command(*arguments),
        cwd=clew.workspace,
        env=clew.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def _stopped_in_the_middle_of_a_save(clew: Clew) -> subprocess.Popen[bytes]:
    """Start a save that stops itself while it holds its locks: right before its pack is synced."""
    stopped = subprocess.Popen(
        [sys.executable, "-c", _SAVE_AND_STOP, clew.workspace, clew.store],
        env=clew.environment(),
        stdout=subprocess.PIPE,
    )
    assert stopped.stdout
    with stopped.stdout as said:
        assert said.readline() == b"stopping\n"
    time.sleep(0.05)
    return stopped


_SAVE_AND_STOP = """
import os, signal, sys
from clew import opening
real = os.fdatasync
def stop_once(fd):
    os.fdatasync = real
    print("stopping", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    return real(fd)
with opening.open(sys.argv[1], store=sys.argv[2]) as clew:
    os.fdatasync = stop_once
    clew.save("the one that was stopped")
"""
