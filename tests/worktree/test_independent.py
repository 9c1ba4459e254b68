"""Work in processes of its own: one's failure is its own, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from clew.worktree.independent import TaskResult, run_independently
from tests.kit.running import SOURCE


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


def test_results_come_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    def last() -> int:
        wait_for((tmp_path / "second ended").exists)
        return 1

    def second() -> int:
        (tmp_path / "second ended").touch()
        return 2

    assert run_independently([last, second], 2).results == (TaskResult(1), TaskResult(2))


def test_a_failure_is_said_and_the_others_go_on() -> None:
    def fail() -> int:
        raise ValueError("no luck")

    def die() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    finished = run_independently([fail, die, lambda: 3], 3)

    assert finished.results == (
        TaskResult(None, "no luck"),
        TaskResult(None, "It was killed"),
        TaskResult(3),
    )
    assert not finished.was_interrupted


def test_no_more_run_at_a_time_than_was_said(tmp_path: Path) -> None:
    def task(number: int) -> Callable[[], int]:
        def run() -> int:
            (tmp_path / str(number)).touch()
            at_once = len(list(tmp_path.iterdir()))
            (tmp_path / str(number)).unlink()
            return at_once

        return run

    finished = run_independently([task(number) for number in range(8)], 2)

    assert {came.value for came in finished.results} <= {1, 2}


def test_a_large_result_comes_whole() -> None:
    assert run_independently([lambda: b"x" * 3_000_000], 1).results[0].value == b"x" * 3_000_000


def test_nothing_of_ours_is_closed_by_a_child(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        file.write("once\n")
        run_independently([lambda: None, lambda: None], 2)

    assert (tmp_path / "file").read_text() == "once\n"


def test_what_a_terminal_sends_does_not_reach_the_children_by_itself() -> None:
    assert run_independently([lambda: os.getpgid(0)], 1).results[0].value != os.getpgid(0)


PROGRAM = """
import os, sys, time
from pathlib import Path
from clew.worktree.independent import run_independently

place = Path(sys.argv[1])

def polite():
    try:
        (place / f"polite {os.getpid()}").touch()
        time.sleep(600)
    except KeyboardInterrupt:
        return "I was told"

def deaf():
    (place / f"deaf {os.getpid()}").touch()
    while True:
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            (place / "heard").touch()

tasks = [{"polite": polite, "deaf": deaf}[word] for word in sys.argv[2:]]
finished = run_independently(tasks, 2)
print(finished.was_interrupted, *(came.value or came.problem for came in finished.results), sep="|")
"""


def start(place: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(place), *words],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def pids(place: Path) -> list[int]:
    return [int(path.name.split()[1]) for path in place.iterdir() if " " in path.name]


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state in "ZX"


def test_an_interrupt_reaches_each_once_and_those_not_started_never_are(tmp_path: Path) -> None:
    process = start(tmp_path, "polite", "polite", "polite")
    wait_for(lambda: len(pids(tmp_path)) == 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the whole group
    out, _ = process.communicate(timeout=60)

    assert out == "True|I was told|I was told|Interrupted\n"


def test_a_second_interrupt_ends_those_that_do_not_listen(tmp_path: Path) -> None:
    process = start(tmp_path, "deaf")
    wait_for(lambda: len(pids(tmp_path)) == 1)
    process.send_signal(signal.SIGINT)
    wait_for((tmp_path / "heard").exists)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert out == "True|It was killed\n"
    assert all(map(is_gone, pids(tmp_path)))


def test_if_we_are_killed_nothing_runs_on(tmp_path: Path) -> None:
    process = start(tmp_path, "deaf", "polite")
    wait_for(lambda: len(pids(tmp_path)) == 2)
    process.kill()
    process.communicate(timeout=60)

    wait_for(lambda: all(map(is_gone, pids(tmp_path))))
