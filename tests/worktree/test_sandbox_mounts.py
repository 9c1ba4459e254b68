"""What a sandboxed command sees around the copy, and what it cannot change there."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.worktree import sandbox_mounts
from clew.worktree.sandbox import Inside, Net, run_sandboxed
from tests.kit.live_place import LIVE
from tests.kit.tools import require_root
from tests.kit.walker import differences, look
from tests.worktree.sandboxing import (
    Scene,
    finish_program,
    mounted,
    open_scene,
    start_program,
)


@pytest.fixture(params=["/tmp", LIVE, "/dev/shm"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A scene in a directory that is private inside the sandbox, and in one that is not."""
    if not os.path.isdir(request.param):
        pytest.skip(f"there is no {request.param}")
    yield from open_scene(request.param)


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield from open_scene("/tmp")


@pytest.fixture
def home(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = scene.place / "home"
    place.mkdir()
    (place / "mine").write_text("mine")
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.fixture
def store(anywhere: Scene) -> Path:
    place = anywhere.place / "store"
    place.mkdir()
    (place / "pack").write_text("kept")
    return place


# Temporary files


def test_the_workspace_may_be_anywhere(anywhere: Scene) -> None:
    before = look(anywhere.live)
    seen = anywhere.say("pwd; cat who; echo new > who; cat who; ls ..")

    assert seen.startswith(f"{anywhere.live}\ncopynew\n")
    assert differences(before, look(anywhere.live)) == []


@pytest.fixture(params=["/tmp", "/var/tmp", "/dev/shm", "TMPDIR", "XDG_RUNTIME_DIR"])
def temporary(
    request: pytest.FixtureRequest, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A directory with a file, in each place for temporary files."""
    parent = Path(request.param)
    if not parent.is_absolute():
        parent = scene.place / "named"
        parent.mkdir()
        monkeypatch.setenv(request.param, str(parent))
    with tempfile.TemporaryDirectory(dir=parent) as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "file").write_text("live")
        yield place


def test_temporary_files_are_shown_and_private(scene: Scene, temporary: Path) -> None:
    (temporary / "tool").write_text("#!/bin/sh\necho ran\n")
    (temporary / "tool").chmod(0o755)
    before = look(temporary)
    text = (
        "cat file; ./tool; echo new > file; cat file; echo > more; rm tool; mv more less; ls;"
        " cd ..; echo > beside-it; ls beside-it"
    )

    assert scene.say(f"cd {temporary} && {text}").split() == [
        *("liveran", "new", "file", "less", "beside-it")
    ]
    assert differences(before, look(temporary)) == []
    assert not (temporary.parent / "beside-it").exists()


def test_temporary_directories_have_their_mode_and_owner(scene: Scene, temporary: Path) -> None:
    os.chown(temporary.parent, *([4321, 4321] if temporary.parent.name == "named" else [0, 0]))
    seen = scene.say(f"stat -c '%a %u %g' {temporary.parent}").split()
    status = temporary.parent.stat()

    assert seen == [f"{status.st_mode & 0o7777:o}", str(status.st_uid), str(status.st_gid)]


def test_a_mount_among_temporary_files_is_shown(scene: Scene, temporary: Path) -> None:
    require_root("mounting")
    place = temporary / "mounted"
    place.mkdir()
    with mounted(place, "rw"):
        (place / "inside").write_text("inside")

        assert scene.say(f"cat {place}/inside {temporary}/file") == "insidelive"


def test_a_home_among_temporary_files_is_shown_and_private(scene: Scene, home: Path) -> None:
    assert scene.say(f"cat {home}/mine; ls ..; echo > {home}/new") == "minecopies\nhome\nlive\n"
    assert not (home / "new").exists()


def test_a_home_that_holds_the_workspace_shows_the_copy_in_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(scene.place))

    assert scene.say("cat $HOME/live/who; ls $HOME") == "copycopies\nlive\n"


@pytest.mark.parametrize(("where", "left"), [("/tmp/none-such", False), ("/var", True)])
def test_a_temporary_directory_that_is_not_there_is_not_named(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, where: str, left: bool
) -> None:
    monkeypatch.setenv("TMPDIR", where)

    assert scene.say("echo ${TMPDIR-none}") == (f"{where}\n" if left else "none\n")


def test_a_workspace_that_is_the_temporary_directory_is_what_is_there(scene: Scene) -> None:
    assert scene.say("pwd; cat /tmp/who", path=b"/tmp") == "/tmp\ncopy"
    assert not os.path.exists("/tmp/who")


# A live directory that was deleted or replaced


def test_a_live_directory_that_is_gone_shows_the_copy_and_stays_gone(anywhere: Scene) -> None:
    shutil.rmtree(anywhere.live)
    (anywhere.place / "beside").mkdir()
    (anywhere.place / "beside" / "file").write_text("beside")
    (anywhere.place / "link").symlink_to("beside/file")
    (anywhere.place / "plain").write_text("plain")
    path = bytes(anywhere.place / "live" / "deeper" / "still")
    before = look(anywhere.place)

    def body(inside: Inside) -> tuple[str, list[str]]:
        return anywhere.shell(inside, "pwd; cat who").output.decode(), os.listdir(anywhere.place)

    seen, around = run_sandboxed(anywhere.enclosure(path=path), body)

    assert seen == f"{os.fsdecode(path)}\ncopy"
    assert sorted(around) == ["beside", "copies", "link", "live", "plain"]
    assert differences(before, look(anywhere.place)) == []


def test_whoever_stands_in_a_live_directory_that_is_gone_stands_in_the_copy(scene: Scene) -> None:
    program = """
os.chdir(live)
os.rmdir(live)
print(run_sandboxed(SandboxSpec(bytes(live), whole), lambda inside: sorted(os.listdir("."))))
"""
    shutil.rmtree(scene.live)
    scene.live.mkdir()
    seen = finish_program(start_program(scene, program))

    assert seen == "['sub', 'who']\n"


def test_whoever_stands_in_the_live_workspace_stands_in_the_copy(scene: Scene) -> None:
    program = """
os.chdir(live / "sub")
print(run_sandboxed(SandboxSpec(bytes(live), whole), lambda inside: Path("file").read_text()))
"""

    assert finish_program(start_program(scene, program)) == "copy\n"


def test_what_lies_beside_a_directory_that_is_gone_is_the_live_one(
    scene: Scene, home: Path
) -> None:
    shutil.rmtree(scene.live)

    assert scene.say("cat $HOME/mine; echo new > $HOME/new") == "mine"
    assert (home / "new").read_text() == "new\n"


def test_a_file_in_the_place_of_the_live_directory_is_covered_by_the_copy(scene: Scene) -> None:
    shutil.rmtree(scene.live)
    scene.live.write_text("a file by now")

    assert scene.say("cat who") == "copy"
    assert scene.live.read_text() == "a file by now"


def test_a_link_in_the_place_of_the_live_directory_is_covered_by_the_copy(scene: Scene) -> None:
    scene.live.rename(scene.place / "moved")
    scene.live.symlink_to("moved")

    assert scene.say("cat who; cat ../moved/who || true", path=bytes(scene.live)).startswith("copy")
    assert (scene.place / "moved" / "who").read_text() == "live"
    assert scene.live.is_symlink()


def test_a_directory_in_the_root_that_is_gone_shows_the_copy_and_stays_gone(scene: Scene) -> None:
    path = b"/clew-test-" + secrets.token_hex(8).encode()
    before, table = sorted(os.listdir("/")), scene.mounts()
    seen = scene.say("pwd; cat who; ls -d /usr/bin /etc/passwd; echo $$ > /dev/null", path=path)

    assert seen == f"{os.fsdecode(path)}\ncopy/etc/passwd\n/usr/bin\n"
    assert sorted(os.listdir("/")) == before
    assert scene.mounts() == table


def test_the_body_sees_the_whole_machine_when_the_root_had_to_be_made_anew(scene: Scene) -> None:
    path = b"/clew-test-" + secrets.token_hex(8).encode()
    used = sandbox_mounts._directory_without_mounts()
    seen = run_sandboxed(
        scene.enclosure(path=path), lambda _: (sorted(os.listdir(b"/")), sorted(os.listdir(used)))
    )

    assert seen == (sorted([*os.listdir(b"/"), path[1:]]), sorted(os.listdir(used)))


def test_mounts_in_the_live_workspace_are_not_seen(scene: Scene) -> None:
    with mounted(scene.live / "sub"):
        (scene.live / "sub" / "on the mount").write_text("x")
        seen = scene.say("cat sub/file; ls sub")

    assert seen == "copyfile\n"


# The store


def test_the_store_can_be_read_and_not_written(anywhere: Scene, store: Path) -> None:
    text = f"cat {store}/pack; echo x > {store}/pack || rm {store}/pack || touch {store}/new || echo no"
    seen = anywhere.run(text, store=bytes(store)).output.decode()

    assert seen.startswith("kept")
    assert seen.endswith("no\n")
    assert sorted(path.name for path in store.iterdir()) == ["pack"]


def test_the_body_writes_to_the_store(anywhere: Scene, store: Path) -> None:
    def body(inside: Inside) -> str:
        (store / "from the body").write_text("x")
        return anywhere.shell(inside, f"cat '{store}/from the body'").output.decode()

    assert run_sandboxed(anywhere.enclosure(store=bytes(store)), body) == "x"
    assert (store / "from the body").read_text() == "x"


def test_a_store_inside_the_workspace_is_there_for_the_body_and_closed_for_the_command(
    anywhere: Scene,
) -> None:
    store = anywhere.live / "deep" / "store"
    store.mkdir(parents=True)

    def body(inside: Inside) -> str:
        (store / "new").write_text("kept")
        return (
            anywhere.shell(inside, "cat deep/store/new; echo > deep/store/x || echo no")
            .output[-100:]
            .decode()
        )

    seen = run_sandboxed(anywhere.enclosure(store=bytes(store)), body)

    assert seen.startswith("kept")
    assert seen.endswith("no\n")
    assert (store / "new").read_text() == "kept"


def test_a_workspace_inside_the_store_can_be_written(scene: Scene) -> None:
    text = "echo new > who; cat who; echo > ../x || echo no"

    assert scene.run(text, store=bytes(scene.place)).output.startswith(b"new\n")
    assert scene.run(text, store=bytes(scene.place)).output.endswith(b"no\n")


# Everything else is read-only


@pytest.fixture(
    params=[
        "one call",
        pytest.param("mount by mount", marks=pytest.mark.refuses("mount_setattr", errno.ENOSYS)),
    ]
)
def way(request: pytest.FixtureRequest) -> None:
    """How mounts become read-only: on new kernels, and on old ones."""


@pytest.mark.usefixtures("way")
def test_nothing_else_can_be_written_if_so_wished(
    anywhere: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = anywhere.place / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    refused = [f"{home}/x", f"{LIVE}/clew-x", "/etc/clew-x"]
    beside = f"{anywhere.place}/x"
    fine = ["x", "sub/x", "/tmp/x", "/var/tmp/x", "/dev/shm/x", "/dev/null"]
    if covered(anywhere):
        fine += [beside, refused.pop(0)]
    text = "; ".join(
        f"(echo > {path}) 2>/dev/null && echo {path}" for path in (*refused, beside, *fine)
    )
    written = anywhere.run(text, read_only_elsewhere=True).output.decode().split()

    assert sorted(set(written)) == sorted(fine)
    assert not (anywhere.place / "x").exists()
    assert list(home.iterdir()) == []


@pytest.mark.usefixtures("way")
def test_what_cannot_be_written_keeps_its_other_limits() -> None:
    for scene in open_scene(LIVE):
        place = scene.place / "limited"
        place.mkdir()
        with mounted(place, "nosuid,nodev,noexec,noatime"):
            seen = scene.say(f"grep {place} /proc/self/mounts", read_only_elsewhere=True)

        assert set(seen.split()[3].split(",")) >= {"ro", "nosuid", "nodev", "noexec", "noatime"}


def covered(scene: Scene) -> bool:
    """Return whether the scene is in a directory that is private inside."""
    return str(scene.place).startswith(("/tmp/", "/dev/shm/"))


def test_the_live_home_can_be_written_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    for scene in open_scene(LIVE):
        home = scene.place / "home"
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        scene.say("echo x > $HOME/new")

        assert (home / "new").exists()


# Names and notes


def test_names_of_hosts_and_shared_memory_are_private(scene: Scene) -> None:
    kinds = ("uts", "ipc", "mnt", "pid", "net")
    seen = scene.say(f"cd /proc/self/ns && readlink {' '.join(kinds)}").split()

    assert len(seen) == 5
    assert not set(seen) & {os.readlink(f"/proc/self/ns/{kind}") for kind in kinds}


def test_the_notes_say_what_is_not_isolated(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    require_root("the notes of an ordinary user are others")
    monkeypatch.delenv("TMPDIR", raising=False)

    def notes(**fields: Any) -> tuple[str, ...]:
        return run_sandboxed(scene.enclosure(**fields), lambda inside: inside.notes)

    disk = "The home directory and the rest of the disk are not isolated"

    assert notes() == (disk,)
    assert notes(net=Net.HOST) == (disk, "The network is shared with the host")
    assert notes(read_only_elsewhere=True) == (
        "Disks, mounts, the clock and kernel settings cannot be changed",
        "The home directory and the rest of the disk are read-only",
    )
    sockets = tuple(b"/run/%d" % number for number in range(4))
    assert notes(hidden_sockets=sockets) == (
        disk, "Live unix sockets are not reachable: '/run/0', '/run/1' and 2 more",
    )  # fmt: skip
