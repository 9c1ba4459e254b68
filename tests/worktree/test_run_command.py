"""A command runs until it exits, or is killed with its children; the end of its output is kept."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from clew.model.verdict import RunEnd
from clew.worktree.run_command import OUTPUT_KEPT, CommandResult, run_command
from tests.kit.running import SOURCE
from tests.worktree.sandboxing import DEAF, LONG


def shell(text: str, place: Path, *, timeout: float | None = LONG) -> CommandResult:
    return run_command(["/bin/sh", "-c", text], bytes(place), timeout=timeout)


@pytest.mark.parametrize(
    ("text", "code"), [("true", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)]
)
def test_the_exit_code_is_what_a_shell_would_say(tmp_path: Path, text: str, code: int) -> None:
    ran = shell(text, tmp_path)

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, code)


def test_what_goes_out_and_what_goes_wrong_are_kept_in_their_order(tmp_path: Path) -> None:
    ran = shell("echo one; echo two >&2; echo three; pwd", tmp_path)

    assert ran.output == f"one\ntwo\nthree\n{tmp_path}\n".encode()


def test_only_the_end_of_the_output_is_kept(tmp_path: Path) -> None:
    ran = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end", tmp_path)

    assert len(ran.output) == OUTPUT_KEPT
    assert ran.output.endswith(b"xx\nthe end\n")


def test_a_command_reads_nothing_from_us_and_is_in_a_session_of_its_own(tmp_path: Path) -> None:
    ran = shell("cat; cut -d ' ' -f 6 /proc/$$/stat; echo $$", tmp_path)
    session, pid = ran.output.split()

    assert session == pid


def test_the_environment_is_ours_unless_another_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARK", "ours")
    words: list[str | bytes] = ["/bin/sh", b"-c", "echo $MARK"]
    ours = run_command(words, bytes(tmp_path), timeout=LONG)
    other = run_command(words, bytes(tmp_path), timeout=LONG, environment={b"MARK": b"other"})

    assert (ours.output, other.output) == (b"ours\n", b"other\n")


def test_a_program_that_is_not_there_fails_to_start(tmp_path: Path) -> None:
    ran = run_command([b"/no/such/program"], bytes(tmp_path), timeout=LONG)

    assert (ran.how, ran.exit_code) == (RunEnd.FAILED, None)
    assert ran.output == b"No such file or directory: '/no/such/program'\n"


def test_a_directory_that_is_not_there_fails_to_start(tmp_path: Path) -> None:
    ran = run_command(["true"], bytes(tmp_path / "gone"), timeout=LONG)

    assert (ran.how, ran.exit_code) == (RunEnd.FAILED, None)
    assert b"gone" in ran.output


def test_time_that_is_up_ends_everything_in_the_group(tmp_path: Path) -> None:
    ran = shell("sleep 600 & echo $! > pid; wait", tmp_path, timeout=0.5)

    assert (ran.how, ran.exit_code) == (RunEnd.TIMEOUT, None)
    assert ran.duration_ns >= 500_000_000
    assert_gone(tmp_path / "pid")


def test_a_command_that_is_asked_to_end_may_say_a_last_word(tmp_path: Path) -> None:
    ran = shell("trap 'echo bye; exit' TERM; kill -INT $PPID; while :; do :; done", tmp_path)

    assert (ran.how, ran.output) == (RunEnd.INTERRUPTED, b"bye\n")


def test_a_command_that_will_not_end_is_ended(
    tmp_path: Path,
) -> None:
    text = "trap '' TERM; sleep 600 & echo $! > pid; kill -INT $PPID; while :; do :; done"
    ran = shell(text, tmp_path)

    assert ran.how == RunEnd.INTERRUPTED
    assert_gone(tmp_path / "pid")


def test_an_interrupt_ends_everything_in_the_group(tmp_path: Path) -> None:
    ran = shell("echo begun; sleep 600 & echo $! > pid; kill -INT $PPID; wait", tmp_path)

    assert (ran.how, ran.exit_code, ran.output) == (RunEnd.INTERRUPTED, None, b"begun\n")
    assert_gone(tmp_path / "pid")


def test_a_server_left_running_is_not_waited_for(tmp_path: Path) -> None:
    ran = shell("echo begun; sleep 600 & echo $! > pid; exit 3", tmp_path)
    os.kill(int((tmp_path / "pid").read_text()), 9)

    assert (ran.how, ran.exit_code, ran.output) == (RunEnd.EXITED, 3, b"begun\n")


def test_a_chatty_server_left_running_is_not_listened_to_for_ever(tmp_path: Path) -> None:
    ran = shell("yes & yes & yes & yes & exit 3", tmp_path)  # they end when the pipe is closed

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, 3)


def test_a_command_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    assert shell("exec >&- 2>&-; sleep 0.3; exit 5", tmp_path).exit_code == 5


@pytest.mark.refuses("pidfd_open", errno.ENOSYS)
def test_a_kernel_that_cannot_tell_us_of_an_end_is_asked_again_and_again(
    tmp_path: Path,
) -> None:
    ran = shell("echo begun; exec >&- 2>&-; sleep 0.1; exit 4", tmp_path)

    assert (ran.how, ran.exit_code, ran.output) == (RunEnd.EXITED, 4, b"begun\n")


def test_nothing_stays_open_and_interrupts_are_what_they_were(tmp_path: Path) -> None:
    shell("true", tmp_path)
    before = os.listdir("/proc/self/fd"), signal.getsignal(signal.SIGINT)
    shell("kill -INT $PPID; sleep 600", tmp_path)
    shell("sleep 600", tmp_path, timeout=0)
    run_command([b"/no/such/program"], bytes(tmp_path), timeout=LONG)

    assert (os.listdir("/proc/self/fd"), signal.getsignal(signal.SIGINT)) == before


def test_exit_codes_are_heard_also_by_those_who_were_started_deaf(tmp_path: Path) -> None:
    program = (
        "import sys; from clew.worktree.run_command import run_command;"
        "sys.exit(run_command(['false'], b'/', timeout=600).exit_code + 40)"
    )
    ran = run_command(
        [sys.executable, "-c", DEAF, sys.executable, "-c", program],
        bytes(tmp_path),
        timeout=LONG,
        environment={**os.environb, b"PYTHONPATH": bytes(SOURCE)},
    )

    assert (ran.output, ran.exit_code) == (b"", 41)


def test_outside_the_main_thread_a_command_runs_as_well(tmp_path: Path) -> None:
    found: list[CommandResult] = []
    thread = threading.Thread(target=lambda: found.append(shell("exit 6", tmp_path)))
    thread.start()
    thread.join()

    assert found[0].exit_code == 6


def assert_gone(noted: Path) -> None:
    """Wait until the process has ended; one that is dead or never started counts as ended."""
    pid = noted.read_text().strip() if noted.exists() else ""
    if not pid:
        return  # it was ended before that
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state in "ZX":
            return
        time.sleep(0.01)
    pytest.fail(f"process {pid} still runs")
