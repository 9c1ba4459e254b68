"""The copy of a machine as the root of a command."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.worktree.sandbox import FullCopy, Inside, run_sandboxed
from tests.kit.live_place import LIVE
from tests.kit.tools import require, require_root
from tests.worktree.sandboxing import LONG, Scene, mounted, open_scene


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield from open_scene("/tmp")


@pytest.fixture
def machine(scene: Scene) -> Path:
    """A directory with a shell and its libraries only."""
    require_root("making a machine")
    require("ldd")
    place = scene.place / "machine"
    words = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True).stdout.split()
    for path in ["/bin/sh", *(word for word in words if word.startswith("/"))]:
        (place / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place / path[1:])
    (place / "tmp").mkdir()
    (place / "etc").mkdir()
    (place / "etc" / "who").write_text("the copy\n")
    return place


def as_machine(
    scene: Scene, place: Path, text: str, live: Path = Path("/"), sockets: tuple[bytes, ...] = ()
) -> tuple[str, tuple[str, ...]]:
    def body(inside: Inside) -> tuple[str, tuple[str, ...]]:
        ran = inside.run(["/bin/sh", "-c", text], timeout=LONG)
        assert (ran.how, ran.exit_code) == ("exited", 0), ran
        return ran.output.decode(), inside.notes

    given = scene.enclosure(
        path=b"/", copy=FullCopy(bytes(place)), machine=bytes(live), sockets=sockets
    )
    return run_sandboxed(given, body)


def test_a_machine_sees_the_copy_as_its_root(scene: Scene, machine: Path) -> None:
    text = "pwd; read x < /etc/who; echo $x; cd /; echo *; echo new > /etc/new; echo > /tmp/x"
    seen, _ = as_machine(scene, machine, text)

    top = sorted(path.name for path in machine.iterdir())
    assert seen == f"/\nthe copy\n{' '.join(top)}\n"
    assert {"dev", "proc", "sys", "run", "tmp", "etc"} <= set(top)
    assert (machine / "etc" / "new").read_text() == "new\n"
    assert not os.path.exists("/etc/new")
    assert [path.name for path in (machine / "tmp").iterdir()] == ["x"]  # of the copy, as `/etc`


def test_a_machine_sees_what_the_live_one_keeps_in_memory(scene: Scene, machine: Path) -> None:
    require_root("mounting a tmpfs")
    live = scene.place / "live machine"
    run = live / "run"
    run.mkdir(parents=True)
    (machine / "run").mkdir()
    (machine / "run" / "captured").write_text("below the mount\n")
    with mounted(run), socket.socket(socket.AF_UNIX) as server:
        (run / "state").write_text("live\n")
        inner = run / "user" / "1000"
        inner.mkdir(parents=True)
        server.bind(str(run / "s"))
        server.listen()
        with mounted(inner):
            (inner / "token").write_text("of the session\n")
            text = (
                "read x < /run/state; echo $x; read x < /run/user/1000/token; echo $x;"
                " echo new > /run/state; echo new > /run/user/1000/token; cd /run; echo *"
            )
            seen, notes = as_machine(scene, machine, text, live)

            assert seen == "live\nof the session\ns state user\n"
            assert (inner / "token").read_text() == "of the session\n"
        assert (run / "state").read_text() == "live\n"
    assert not any("not visible" in note for note in notes)


@pytest.mark.parametrize("allowed", [False, True])
def test_a_machine_reaches_a_live_socket_only_if_it_is_allowed(
    scene: Scene, scratch: Path, allowed: bool
) -> None:
    require_root("a layered machine")
    scene.place = scratch
    layers = scene.layers(Path("/"))
    with tempfile.TemporaryDirectory(dir=LIVE) as place, socket.socket(socket.AF_UNIX) as server:
        path = f"{place}/s"
        server.bind(path)
        server.listen()
        probe = f'import socket; socket.socket(socket.AF_UNIX).connect("{path}")'
        ran = scene.run(
            f"{sys.executable} -c '{probe}'",
            path=b"/",
            copy=layers,
            machine=b"/",
            sockets=(path.encode(),) if allowed else (),
        )

    assert (ran.exit_code == 0) == allowed, ran.output


def test_a_link_in_a_machine_does_not_lead_a_mount_outside(scene: Scene, machine: Path) -> None:
    require_root("mounting a tmpfs")
    live = scene.place / "live machine"
    (live / "var" / "tmp").mkdir(parents=True)
    outside = scene.place / "outside"
    (outside / "tmp").mkdir(parents=True)
    (machine / "var").symlink_to(outside)
    with mounted(live / "var" / "tmp"):
        (live / "var" / "tmp" / "secret").touch()
        seen, _ = as_machine(scene, machine, "echo *; cd /var/tmp 2>&1 || echo none", live)

    assert "none" in seen
    assert list((outside / "tmp").iterdir()) == []


def test_what_a_machine_lacked_is_made_in_the_copy_and_said(scene: Scene, machine: Path) -> None:
    _, notes = as_machine(scene, machine, "echo $$ > /dev/null")

    assert notes == (
        "Devices are not isolated",
        "Missing in the copy and created there: /proc, /dev, /sys, /run",
    )


def test_a_machine_has_its_own_processes_and_cannot_write_to_the_kernel(
    scene: Scene, machine: Path
) -> None:
    text = "set -- /proc/[0-9]*; echo $#; while read _ at _ how _; do echo $at $how; done < /proc/mounts"
    count, *lines = as_machine(scene, machine, text)[0].splitlines()
    flags = {at: how.split(",") for at, how in map(str.split, lines)}

    assert int(count) < 5
    assert "ro" in flags["/sys"]
    assert "rw" in flags["/proc"]


def test_a_machine_may_have_a_link_where_something_would_be_mounted(
    scene: Scene, machine: Path
) -> None:
    (machine / "tmp").rmdir()
    (machine / "tmp").symlink_to("/only-in-the-copy")
    (machine / "only-in-the-copy").mkdir()
    as_machine(scene, machine, "echo x > /tmp/new")

    assert (machine / "only-in-the-copy" / "new").exists()


def test_the_body_finds_a_machine_where_it_is(scene: Scene, machine: Path) -> None:
    given = scene.enclosure(path=b"/", copy=FullCopy(bytes(machine)), machine=b"/")

    assert run_sandboxed(given, lambda inside: inside.root) == bytes(machine)
    assert run_sandboxed(scene.enclosure(), lambda inside: inside.root) == bytes(scene.live)


def test_a_layered_copy_of_the_real_machine_runs_and_leaves_it_alone(
    scene: Scene, scratch: Path
) -> None:
    require_root("a layered machine")
    scene.place = scratch
    layers = scene.layers(Path("/"))
    with tempfile.NamedTemporaryFile(dir=LIVE) as file:
        text = (
            f"cat {file.name}; rm {file.name}; ls {file.name} 2>/dev/null; echo x > {file.name}.new"
        )
        ran = scene.run(text, path=b"/", copy=layers, machine=b"/")

        assert (ran.how, ran.exit_code, ran.output) == ("exited", 0, b"")
        assert os.path.exists(file.name)
        assert not os.path.exists(f"{file.name}.new")
    assert os.path.exists(f"{os.fsdecode(layers.upper)}{file.name}.new")
