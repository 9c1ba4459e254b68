"""A filter command reads bytes, writes bytes, and is limited in time and output."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from clew.worktree.filter_command import Filtered, run_filter


def run(command: str, content: bytes = b"", *, seconds: float = 60, most: int = 1000) -> Filtered:
    return run_filter(
        command, content, b"/", {"GIVEN": "a value"}, seconds=seconds, most_bytes=most
    )


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_what_goes_in_comes_out() -> None:
    content = bytes(range(256)) * 4000

    assert run("cat", content, most=len(content)) == (content, "", b"")


def test_it_is_told_what_it_needs_and_works_where_it_should() -> None:
    assert run('pwd; echo "$GIVEN"').output == b"/\na value\n"


def test_one_that_reads_nothing_is_not_waited_for() -> None:
    assert run("echo yes", b"x" * (4 << 20)).output == b"yes\n"


def test_complaints_are_kept_apart_and_short() -> None:
    found = run("head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; echo out")

    assert found.output == b"out\n"
    assert found.complaint.endswith(b"the end\n")
    assert len(found.complaint) <= 4096


def test_one_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    found = run(f"sleep 600 & echo $! > {pids}; echo $$ >> {pids}; wait", seconds=2)

    assert found.problem == "it timed out"
    deadline = time.monotonic() + 30
    started = [int(pid) for pid in pids.read_text().split()]
    while any(map(is_running, started)) and time.monotonic() < deadline:
        os.sched_yield()
    assert not any(map(is_running, started))


def test_what_it_leaves_running_without_a_word_is_ended_too(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    found = run(f"sleep 600 >/dev/null 2>&1 & echo $! > {pid}; echo done")

    assert (found.output, found.problem) == (b"done\n", "")
    deadline = time.monotonic() + 30
    while is_running(int(pid.read_text())) and time.monotonic() < deadline:
        os.sched_yield()
    assert not is_running(int(pid.read_text()))


def test_one_that_never_stops_talking_is_not_listened_to() -> None:
    found = run("yes", most=100_000)

    assert found.problem == "its output is too large"
    assert found.output == b""


@pytest.mark.parametrize(
    ("command", "problem"),
    [("exit 3", "exit code 3"), ("kill -15 $$", "killed by signal 15")],
)
def test_how_it_ended_is_said(command: str, problem: str) -> None:
    assert run(command).problem == problem
