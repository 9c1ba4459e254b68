"""Every way in which a sandbox can end: no process and no mount is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from clew.errors import ClewError
from clew.model.verdict import RunEnd
from clew.worktree.sandbox import Inside, run_sandboxed
from tests.kit.tools import require, require_root
from tests.worktree.sandboxing import (
    DEAF,
    LONG,
    Scene,
    finish_program,
    kill_program,
    open_scene,
    start_program,
    wait_for,
)

STUBBORN = "trap '' TERM INT HUP; (setsid sh -c 'sleep 600' &); echo begun; echo > begun; "
FOR_EVER = "while :; do sleep 600; done"


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield from open_scene()


def wait_until_begun(scene: Scene, process: subprocess.Popen[str]) -> None:
    def begun() -> bool:
        assert process.poll() is None, process.communicate()
        return (scene.directory / "begun").exists()

    wait_for(begun, "the command did not begin")


def test_time_that_is_up_ends_everything(scene: Scene) -> None:
    ran = scene.run(STUBBORN + FOR_EVER, timeout=1)

    assert (ran.how, ran.exit_code) == (RunEnd.TIMEOUT, None)
    assert scene.marked_processes() == []


def test_a_command_in_time_says_so(scene: Scene) -> None:
    assert scene.run("exit 3", timeout=None).exit_code == 3


def test_exit_codes_are_heard_also_by_those_who_were_started_deaf(scene: Scene) -> None:
    program = """
given = SandboxSpec(bytes(live), whole)
print(run_sandboxed(given, lambda inside: inside.run(["false"], timeout=600).exit_code))
"""
    process = start_program(scene, program, sys.executable, "-c", DEAF)

    assert finish_program(process) == "1\n"


# Ctrl-C


RUN = """
words = ["/bin/sh", "-c", {text!r}]
def body(inside):
    first = inside.run(words, timeout=600)
    second = inside.run(["touch", "second"], timeout=600)
    return first.how, second.how, (live / "begun").exists()
print(json.dumps(run_sandboxed(SandboxSpec(bytes(live), whole), body)))
"""


def test_an_interrupt_ends_the_command_and_the_body_goes_on(scene: Scene) -> None:
    process = start_program(scene, RUN.format(text=STUBBORN + FOR_EVER))
    wait_until_begun(scene, process)
    process.send_signal(signal.SIGINT)

    assert finish_program(process) == '["interrupted", "interrupted", true]\n'
    assert not (scene.directory / "second").exists()
    scene.wait_until_nothing_runs()


def test_everything_is_asked_to_end_before_it_is_ended(scene: Scene) -> None:
    text = """
        (setsid sh -c "trap 'echo bye >> said; exit' TERM; echo > ready; while :; do :; done" &)
        trap 'until [ -e said ]; do :; done; exit' TERM
        until [ -e ready ]; do :; done
        echo > begun
        while :; do :; done
    """
    process = start_program(scene, RUN.format(text=text))
    wait_until_begun(scene, process)
    process.send_signal(signal.SIGINT)
    finish_program(process)

    assert (scene.directory / "said").read_text() == "bye\n"
    scene.wait_until_nothing_runs()


WAIT = """
import select, time
def body(inside):
    (live / "begun").touch()
    while not (live / "go on").exists():
        if select.select([inside._interrupts.readable], [], [], 0.005)[0]:
            (live / "heard").touch()
    (live / "went on").touch()
try:
    run_sandboxed(SandboxSpec(bytes(live), whole), body)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_while_no_command_runs_is_raised_when_the_body_is_done(scene: Scene) -> None:
    process = start_program(scene, WAIT)
    wait_until_begun(scene, process)
    process.send_signal(signal.SIGINT)
    (scene.directory / "go on").touch()

    assert finish_program(process) == "interrupted\n"
    assert (scene.directory / "went on").exists()


def test_a_second_interrupt_ends_the_body_too(scene: Scene) -> None:
    process = start_program(scene, WAIT)
    wait_until_begun(scene, process)
    process.send_signal(signal.SIGINT)
    wait_for((scene.directory / "heard").exists, "the interrupt was not handed on")
    process.send_signal(signal.SIGINT)

    assert finish_program(process) == "interrupted\n"
    assert not (scene.directory / "went on").exists()
    scene.wait_until_nothing_runs()


def test_the_interrupts_of_a_terminal_reach_us_alone(scene: Scene) -> None:
    def body(inside: Inside) -> tuple[int, int, int]:
        return os.getpid(), os.getpgid(0), os.getsid(0)

    pid, group, session = run_sandboxed(scene.enclosure(), body)

    assert pid == group == session


# SIGKILL


def test_a_body_that_dies_is_an_error_and_leaves_nothing(scene: Scene) -> None:
    table = scene.mounts()

    def body(inside: Inside) -> None:
        if not os.fork():
            os.kill(os.getppid(), signal.SIGKILL)
            os._exit(0)
        scene.shell(inside, FOR_EVER)

    with pytest.raises(ClewError, match="A child process was killed"):
        run_sandboxed(scene.enclosure(), body)

    scene.wait_until_nothing_runs()
    assert scene.mounts() == table


def test_nothing_outlives_us_when_we_are_killed(scene: Scene) -> None:
    process = start_program(scene, RUN.format(text=STUBBORN + FOR_EVER))
    wait_until_begun(scene, process)
    assert len(scene.marked_processes()) >= 5
    kill_program(process)

    scene.wait_until_nothing_runs()


AGAIN_AND_AGAIN = """
words = ["/bin/sh", "-c", "(setsid sleep 600 &); echo > begun"]
while True:
    run_sandboxed(SandboxSpec(bytes(live), whole), lambda inside: inside.run(words, timeout=600))
"""


def test_nothing_outlives_us_whenever_we_are_killed(scene: Scene) -> None:
    dice = random.Random(4)
    table = scene.mounts()
    before = (scene.live / "who").read_text()
    for _ in range(12):
        process = start_program(scene, AGAIN_AND_AGAIN)
        wait_until_begun(scene, process)
        time.sleep(dice.random() * 0.05)  # at a random point of the run
        kill_program(process)
        scene.wait_until_nothing_runs()
        (scene.directory / "begun").unlink(missing_ok=True)

    assert scene.mounts() == table
    assert (scene.live / "who").read_text() == before


def test_where_mounts_are_shared_with_others_ours_are_not(scene: Scene) -> None:
    require_root("sharing mounts")
    require("unshare")
    program = """
table = Path("/proc/self/mountinfo")
before = table.read_text()
seen = say("cat who")
print("shared:" in before, seen, table.read_text() == before)
"""
    shared = ["unshare", "--mount", "--propagation", "shared"]

    assert finish_program(start_program(scene, program, *shared)) == "True copy True\n"


def test_two_enclosures_of_one_path_do_not_see_each_other(scene: Scene) -> None:
    def body(outer: Inside) -> tuple[str, str]:
        (scene.live / "who").write_text("outer")
        inner = scene.enclosure(copy=scene.layers() if os.geteuid() == 0 else scene.whole)
        seen = run_sandboxed(inner, lambda inside: inside.run(["cat", "who"], timeout=LONG))
        return seen.output.decode(), (scene.live / "who").read_text()

    inner, outer = run_sandboxed(scene.enclosure(), body)

    assert inner == ("copy" if os.geteuid() == 0 else "outer")
    assert outer == "outer"
