"""Sandboxes of an unprivileged user: the user id stays the same, and no rights are gained."""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from collections.abc import Iterator

import pytest

from tests.kit.live_place import LIVE
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.tools import require
from tests.kit.walker import differences, look
from tests.worktree.sandboxing import (
    Scene,
    as_user,
    finish_program,
    kill_program,
    mounted,
    open_scene,
    start_program,
    wait_for,
)

WHY = "import sys; from clew.worktree.sandbox import why_unavailable as why; print(why() or '')"


@pytest.fixture(params=["/tmp", LIVE])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    as_ordinary_user()  # or skip
    for found in open_scene(request.param):
        if why := as_user(found, "print(why_unavailable() or '')").strip():
            pytest.skip(why)
        yield found


def test_they_see_the_copy_and_are_who_they_are(scene: Scene) -> None:
    seen = as_user(scene, "print(say('pwd; cat who; echo; id -u; id -g; stat -c %u-%g who'))")

    assert seen.split() == [str(scene.live), "copy", str(UID), str(UID), f"{UID}-{UID}"]


def test_nothing_is_left_of_a_command_that_does_its_worst(scene: Scene) -> None:
    as_user(scene, "")
    before, table = look(scene.live), scene.mounts()
    text = "rm -rf * ; echo > /tmp/x; (setsid sh -c 'sleep 600 & sleep 600' &); ls; ls /tmp/x"
    seen = as_user(scene, f"print(say({text!r}))")

    assert seen.split() == ["/tmp/x"]
    assert scene.marked_processes() == []
    assert differences(before, look(scene.live)) == []
    assert scene.mounts() == table


def test_they_have_no_rights_inside_that_they_had_not_outside(scene: Scene) -> None:
    text = (
        "grep ^Cap /proc/self/status; umount . && echo could; umount /tmp && echo could;"
        " mount -t tmpfs tmpfs sub && echo could; chroot / true && echo could;"
        " cat who; cat /proc/1/environ > /dev/null || echo hidden"
    )
    seen = as_user(scene, f"print(say({text!r}))").splitlines()
    rights = [line.split()[1] for line in seen if line.startswith("Cap")]

    assert len(rights) == 5
    assert set(rights) == {"0" * 16}
    assert "could" not in seen
    assert any("copy" in line for line in seen)


def test_the_body_may_read_what_it_may_read_outside_and_no_more(scene: Scene) -> None:
    secret = scene.directory / "secret"
    secret.write_text("x")
    program = """
        secret = live / "secret"
        os.chmod(place / "copies" / "whole" / "secret", 0)
        def body(inside):
            try:
                return secret.read_text()
            except PermissionError:
                return "refused"
        print(run_sandboxed(SandboxSpec(bytes(live), whole), body))
    """

    assert as_user(scene, textwrap.dedent(program)) == "refused\n"


def test_they_have_a_network_and_processes_of_their_own(scene: Scene) -> None:
    text = "ls /proc | grep -c '^[0-9]*$'; grep -c : /proc/net/dev; hostname > /dev/null"
    processes, devices = map(int, as_user(scene, f"print(say({text!r}))").split())

    assert processes < 6
    assert devices == 1


def test_nothing_else_can_be_written_if_so_wished(scene: Scene) -> None:
    text = "for x in $HOME/x ../copies/x x sub/x /tmp/x /dev/shm/x; do (echo > $x) && echo $x; done"
    seen = as_user(scene, f"print(say({text!r} + ' 2>/dev/null', read_only_elsewhere=True))")

    beside = [str(scene.place / "home" / "x"), "../copies/x"]  # in a private directory
    is_covered = str(scene.place).startswith("/tmp/")
    assert seen.split() == [*(beside * is_covered), "x", "sub/x", "/tmp/x", "/dev/shm/x"]
    assert not (scene.place / "copies" / "x").exists()
    assert list((scene.place / "home").iterdir()) == []


def test_the_store_is_closed_for_the_command_and_open_for_the_body(scene: Scene) -> None:
    (scene.place / "store").mkdir()
    program = """
store = place / "store"
def body(inside):
    (store / "new").write_text("kept")
    text = f"cat {store}/new; (echo > {store}/x) 2>/dev/null || echo no"
    return inside.run(["/bin/sh", "-c", text], timeout=600).output.decode()
print(run_sandboxed(SandboxSpec(bytes(live), whole, store=bytes(store)), body))
"""

    assert as_user(scene, program).split() == ["keptno"]
    assert os.listdir(scene.place / "store") == ["new"]


def test_a_live_directory_that_is_gone_shows_the_copy_and_stays_gone(scene: Scene) -> None:
    shutil.rmtree(scene.live)
    seen = as_user(scene, "print(say('pwd; cat who; ls -d $HOME'))")

    assert seen.split() == [str(scene.live), f"copy{scene.place}/home"]
    assert not scene.live.exists()


def test_a_directory_in_the_root_that_is_gone_shows_the_copy(scene: Scene) -> None:
    path = f"/clew-test-{scene.mark}"
    program = f"print(say('pwd; cat who; ls -d /usr/bin', path={path.encode()!r}))"

    assert as_user(scene, program).split() == [path, "copy/usr/bin"]
    assert not os.path.exists(path)


def test_an_overlay_will_do_as_long_as_no_directory_of_its_base_is_renamed(scene: Scene) -> None:
    layers = scene.layers()
    text = "cat who; echo new > who; rm sub/file; mkdir more; mv who more; cat more/who; ls sub"
    program = f"print(say({text!r}, copy=OverlayCopy(*{tuple(layers)!r})))"

    assert as_user(scene, program).split() == ["copynew"]
    assert (scene.base / "who").read_text() == "copy"


def test_temporary_files_are_shown_also_beside_a_mount(scene: Scene) -> None:
    """In a user namespace, nothing can be laid over a directory that has a mount in it."""
    place = scene.place / "temporary"
    for name in ("directory", "mounted"):
        (place / name).mkdir(parents=True)
    (place / "file").write_text("live")
    (place / "directory" / "file").write_text("live")
    scene.own_by(UID)
    text = (
        "cd $TMPDIR; cat file directory/file mounted/inside; echo new > directory/file;"
        " cat directory/file; echo > more; ls; echo new > file"
    )
    with mounted(place / "mounted", "mode=755"):
        (place / "mounted" / "inside").write_text("inside")
        program = "print(say(%r)); print(run_sandboxed(SandboxSpec(bytes(live), whole),"
        program += " lambda inside: (inside.run(['true'], timeout=60), inside.notes)[1]))"
        seen = finish_program(
            start_program(scene, program % text, *as_ordinary_user(), TMPDIR=str(place))
        )

    said, *refused, notes = seen.splitlines()
    assert said == "liveliveinsidenew"
    assert refused[:4] == ["directory", "file", "more", "mounted"]
    assert "Read-only file system" in refused[4]
    assert f"Some live files cannot be written, or are not visible: '{place}'" in notes
    assert (place / "directory" / "file").read_text() == "live"
    assert not (place / "more").exists()


def test_the_notes_say_what_does_not_work(scene: Scene) -> None:
    program = "print(json.dumps(run_sandboxed(SandboxSpec(bytes(live), whole), lambda i: i.notes)))"

    assert json.loads(as_user(scene, program)) == [
        "The home directory and the rest of the disk are not isolated",
        "Files of other users appear to belong to nobody",
        "Programs that change the user (sudo) do not work",
    ]


def test_nothing_outlives_them_when_they_are_killed(scene: Scene) -> None:
    program = """
print("started", flush=True)
say("trap '' TERM; (setsid sleep 600 &); echo > begun; while :; do sleep 600; done")
"""
    as_user(scene, "")
    process = start_program(scene, program, *as_ordinary_user())
    wait_for((scene.directory / "begun").exists, "the command did not begin")
    assert len(scene.marked_processes()) >= 5
    kill_program(process)

    scene.wait_until_nothing_runs()


def test_where_parts_of_proc_are_hidden_the_live_one_has_to_do(scene: Scene) -> None:
    hide = 'mount --bind /dev/null /proc/uptime && exec "$@"'
    prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", hide, "sh"]
    program = """
def body(inside):
    ran = inside.run(["cat", "who", "/proc/self/comm"], timeout=600)
    return [ran.output.decode(), *(note for note in inside.notes if "/proc" in note)]
print(json.dumps(run_sandboxed(SandboxSpec(bytes(live), whole), body)))
"""
    as_user(scene, "")
    seen = finish_program(start_program(scene, program, *prefix, *as_ordinary_user()))

    assert json.loads(seen) == [
        "copycat\n",
        "Cannot mount a private /proc: Operation not permitted",
    ]


# Systems that do not permit it


REFUSED = """
def body(inside):
    print("the body ran", flush=True)
try:
    run_sandboxed(SandboxSpec(bytes(live), whole), body)
except SandboxUnavailable as error:
    print(json.dumps([str(error), error.reason, why_unavailable()]))
"""


@pytest.fixture
def without_namespaces() -> list[str]:
    """A command prefix that prevents the creation of namespaces."""
    as_ordinary_user()  # or skip
    require("unshare", "setpriv")
    limit = "echo 0 > /proc/sys/user/max_user_namespaces"
    drop = 'exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"'
    return ["unshare", "--user", "--map-root-user", "sh", "-c", f"{limit}; {drop}", "sh"]


def test_without_namespaces_it_is_refused_with_the_reason_before_the_body_runs(
    without_namespaces: list[str],
) -> None:
    for scene in open_scene():
        seen = finish_program(start_program(scene, REFUSED, *without_namespaces))
        message, why, asked_before = json.loads(seen)

        assert "user.max_user_namespaces is 0" in why
        assert asked_before == why
        assert message == f"Sandbox not available: {why}"
        assert (scene.live / "who").read_text() == "live"
