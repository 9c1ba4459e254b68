"""A sandboxed command sees the copy at the workspace's path, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.verdict import RunEnd
from clew.worktree.run_command import OUTPUT_KEPT
from clew.worktree.sandbox import FullCopy, Inside, OverlayCopy, run_sandboxed
from tests.kit.walker import differences, look
from tests.worktree.sandboxing import LONG, Scene, open_scene, wait_for


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield from open_scene()


@pytest.fixture(params=["whole", "layers"])
def copy(request: pytest.FixtureRequest, scene: Scene) -> FullCopy | OverlayCopy:
    if request.param == "layers" and os.geteuid() != 0:
        pytest.skip("an overlay with all its options needs root")
    return scene.whole if request.param == "whole" else scene.layers()


def test_the_command_sees_the_copy_at_the_path_and_the_body_does_too(
    scene: Scene, copy: FullCopy | OverlayCopy
) -> None:
    seen = scene.say("pwd; cat who sub/file", copy=copy)

    assert seen == f"{scene.live}\ncopycopy"
    assert run_sandboxed(scene.enclosure(), lambda _: (scene.live / "who").read_text()) == "copy"
    assert (scene.live / "who").read_text() == "live"


def test_nothing_is_left_of_a_command_that_does_its_worst(
    scene: Scene, copy: FullCopy | OverlayCopy
) -> None:
    before, table = look(scene.live), scene.mounts()
    beside = Path(tempfile.gettempdir(), scene.mark)
    ran = scene.run(
        f"rm -rf * .[a-z]*; echo > {beside}; echo > new;"
        " (setsid sh -c 'sleep 600 & sleep 600' &) ; echo done",
        copy=copy,
    )

    assert (ran.how, ran.exit_code, ran.output) == (RunEnd.EXITED, 0, b"done\n")
    assert scene.marked_processes() == []
    assert differences(before, look(scene.live)) == []
    assert not beside.exists()
    assert scene.mounts() == table


def test_what_the_command_writes_is_in_the_copy(scene: Scene) -> None:
    scene.run("echo new > who; rm -r sub; mkdir other")

    assert (scene.directory / "who").read_text() == "new\n"
    assert sorted(os.listdir(scene.directory)) == ["other", "who"]


def test_the_base_of_a_layered_copy_stays_as_it_is(scene: Scene) -> None:
    if os.geteuid() != 0:
        pytest.skip("an overlay with all its options needs root")
    before = look(scene.base)
    layers = scene.layers()
    seen = scene.say("echo new > who; rm -r sub; mkdir other; ls", copy=layers)

    assert seen == "other\nwho\n"
    assert differences(before, look(scene.base)) == []
    assert Path(os.fsdecode(layers.upper), "who").read_text() == "new\n"


@pytest.mark.parametrize(
    ("text", "code"), [("true", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)]
)
def test_the_exit_code_is_what_a_shell_would_say(scene: Scene, text: str, code: int) -> None:
    ran = scene.run(text)

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, code)


def test_a_program_that_is_not_there_fails_to_start(scene: Scene) -> None:
    ran = run_sandboxed(
        scene.enclosure(), lambda inside: inside.run(["no-such-thing"], timeout=LONG)
    )

    assert (ran.how, ran.exit_code) == (RunEnd.FAILED, None)
    assert ran.output == b"No such file or directory: 'no-such-thing'\n"


def test_a_command_can_run_in_a_directory_of_the_copy(scene: Scene) -> None:
    where = bytes(scene.live / "sub")
    ran = run_sandboxed(
        scene.enclosure(), lambda inside: inside.run(["pwd"], timeout=LONG, directory=where)
    )

    assert ran.output == where + b"\n"


def test_a_directory_that_is_not_there_fails_to_start(scene: Scene) -> None:
    where = bytes(scene.live / "none")
    ran = run_sandboxed(
        scene.enclosure(), lambda inside: inside.run(["pwd"], timeout=LONG, directory=where)
    )

    assert (ran.how, ran.exit_code) == (RunEnd.FAILED, None)
    assert b"none" in ran.output


def test_only_the_end_of_the_output_is_kept(scene: Scene) -> None:
    ran = scene.run("head -c 200000 /dev/zero | tr '\\0' x; echo; echo the end >&2")

    assert len(ran.output) == OUTPUT_KEPT
    assert ran.output.endswith(b"xx\nthe end\n")


def test_a_command_reads_nothing_and_has_a_session_of_its_own(scene: Scene) -> None:
    session, pid = scene.say("cat; cut -d ' ' -f 6 /proc/$$/stat; echo $$").split()

    assert session == pid


def test_a_command_gets_no_files_that_we_have_open(scene: Scene) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    seen = scene.say("ls /proc/$$/fd")
    os.close(reading)
    os.close(writing)

    assert seen.split() == ["0", "1", "2"]


def test_a_command_sees_its_own_processes_only(scene: Scene) -> None:
    seen = scene.say("echo $$; ls /proc | grep '^[0-9]*$'").split()

    assert int(seen[0]) < 20
    assert str(os.getpid()) not in seen[1:] or os.getpid() < 20
    assert len(seen) < 10


def test_orphans_are_buried(scene: Scene) -> None:
    text = "(sh -c 'exit 3' &); while grep -l '^State:.Z' /proc/[0-9]*/status; do :; done; echo ok"

    assert scene.say(text).endswith("ok\n")


def test_signals_that_python_ignores_are_not_ignored_inside(scene: Scene) -> None:
    words = scene.say("grep -E 'Sig(Ign|Blk)' /proc/self/status").split()
    found = dict(zip(words[::2], (int(mask, 16) for mask in words[1::2]), strict=True))
    wanted = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM)

    assert {name: mask & sum(1 << one - 1 for one in wanted) for name, mask in found.items()} == {
        "SigBlk:": 0,
        "SigIgn:": 0,
    }


def test_several_commands_run_one_after_the_other_in_the_same_copy(scene: Scene) -> None:
    def body(inside: Inside) -> list[bytes]:
        texts = ("echo 1 > made; echo > /tmp/x; ls /tmp/x", "cat made; ls /tmp/x 2>/dev/null")
        return [scene.shell(inside, text).output for text in texts]

    assert run_sandboxed(scene.enclosure(), body) == [b"/tmp/x\n", b"1\n"]


def test_a_path_may_have_any_bytes(scene: Scene) -> None:
    strange = os.fsencode(scene.place) + b"/a,b:c\\d \xff\n"
    os.mkdir(strange)
    os.rename(scene.base, strange + b"/base")
    scene.base = Path(os.fsdecode(strange + b"/base"))
    os.rename(scene.live, strange + b"/live")
    copy = scene.layers() if os.geteuid() == 0 else FullCopy(strange + b"/base")
    seen = scene.say("cat who", path=strange + b"/live", copy=copy)

    assert seen == "copy"


def test_a_command_may_make_the_workspace_unreadable(scene: Scene) -> None:
    scene.run("chmod 0 .", copy=scene.whole)

    assert stat.S_IMODE(scene.directory.stat().st_mode) == 0
    assert stat.S_IMODE(scene.live.stat().st_mode) != 0


def test_nothing_stays_open_in_us(scene: Scene) -> None:
    scene.run("true")
    before = sorted(os.listdir("/proc/self/fd"))
    scene.run("echo x")
    scene.run("sleep 600", timeout=0)

    assert sorted(os.listdir("/proc/self/fd")) == before


def test_the_copy_can_be_removed_as_soon_as_it_is_over(scene: Scene) -> None:
    if os.geteuid() != 0:
        pytest.skip("an overlay with all its options needs root")
    layers = scene.layers()
    scene.run("echo > new; (setsid sleep 600 &)", copy=layers)
    os.rmdir(layers.merged)
    os.remove(layers.upper + b"/new")

    assert os.listdir(layers.upper) == []


def test_a_server_that_was_left_running_writes_nothing_more(scene: Scene) -> None:
    scene.run("(setsid sh -c 'while :; do date >> log; done' &); until [ -s log ]; do :; done")
    size = (scene.directory / "log").stat().st_size
    wait_for(lambda: not scene.marked_processes(), "it still runs")

    assert (scene.directory / "log").stat().st_size == size
