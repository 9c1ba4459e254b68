"""An overlay copy behaves like a complete one: the known differences of overlays."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.errors import SandboxUnavailable
from clew.worktree import sandbox_mounts
from clew.worktree.sandbox import Inside, run_sandboxed
from tests.kit.tools import require_root
from tests.kit.walker import Tree, differences, look
from tests.worktree.sandboxing import LONG, Scene, open_scene


@pytest.fixture
def scene() -> Iterator[Scene]:
    require_root("an overlay with all its options")
    yield from open_scene()


def both(scene: Scene, text: str) -> tuple[Tree, Tree]:
    """Return the results of a shell command in an overlay copy and in a complete copy."""
    shutil.rmtree(scene.directory)
    subprocess.run(["cp", "-a", scene.base, scene.directory], check=True)

    def body(inside: Inside) -> Tree:
        ran = inside.run(["/bin/sh", "-ec", text], timeout=LONG)
        assert (ran.how, ran.exit_code) == ("exited", 0), ran
        return look(scene.live)

    layered, whole = (
        run_sandboxed(scene.enclosure(copy=copy), body) for copy in (scene.layers(), scene.whole)
    )
    return layered.state(), whole.state()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("mv sub elsewhere; echo new > elsewhere/file", id="a directory is renamed"),
        pytest.param("mv sub a; mkdir sub; mv a sub/inner", id="and moved into its own place"),
        pytest.param("rm -r sub; mkdir sub; echo 1 > sub/other", id="deleted and made again"),
        pytest.param("rm -r sub; echo file > sub", id="a file in a directory's place"),
        pytest.param("rm who; mkdir who; echo 1 > who/x", id="a directory in a file's place"),
        pytest.param("rm who; ln -s sub/file who", id="a link in a file's place"),
        pytest.param("chmod 700 sub; chmod 600 who; chown 7:7 sub/file", id="modes and owners"),
        pytest.param("mknod null c 1 3; mkfifo pipe; mknod disk b 7 9", id="devices and pipes"),
        pytest.param("ln who third; echo more >> third", id="a new link to an old file"),
        pytest.param("rm first", id="one of two links goes"),
        pytest.param("echo new > first", id="a file with two names is written"),
        pytest.param("chmod 600 first; mv second sub/", id="and one name moves"),
        pytest.param("echo x >> who; mv who sub/file", id="a file replaces another"),
        pytest.param("touch 'a,b:c\\d'; mkdir -p .hidden/deep; : > .wh.x", id="odd names"),
    ],
)
def test_what_a_command_does_comes_out_the_same(scene: Scene, text: str) -> None:
    (scene.base / "first").write_text("linked")
    os.link(scene.base / "first", scene.base / "second")
    layered, whole = both(scene, text)

    assert differences(layered, whole) == []


def test_a_directory_of_the_base_can_be_renamed_and_not_only_copied(scene: Scene) -> None:
    def body(inside: Inside) -> list[str]:
        os.rename(scene.live / "sub", scene.live / "renamed")
        return sorted(os.listdir(scene.live))

    assert run_sandboxed(scene.enclosure(copy=scene.layers()), body) == ["renamed", "who"]


def test_names_of_one_file_stay_one_file_when_it_is_written(scene: Scene) -> None:
    (scene.base / "first").write_text("linked")
    os.link(scene.base / "first", scene.base / "second")
    text = "echo new > first; cat second; stat -c %h first; [ first -ef second ] && echo same"

    assert scene.say(text, copy=scene.layers()) == "new\n2\nsame\n"


def test_a_socket_in_the_copy_can_be_made_and_used(scene: Scene) -> None:
    def body(inside: Inside) -> bool:
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(scene.live / "socket"))
        server.listen()
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(scene.live / "socket"))
        client.close()
        server.close()
        return stat.S_ISSOCK(os.stat(scene.live / "socket").st_mode)

    assert run_sandboxed(scene.enclosure(copy=scene.layers()), body)


def test_one_base_serves_several_copies_at_once(scene: Scene) -> None:
    def body(outer: Inside) -> str:
        (scene.live / "who").write_text("changed by the first")
        inner = scene.enclosure(copy=second)
        return run_sandboxed(inner, lambda inside: (scene.live / "who").read_text())

    first, second = scene.layers(), scene.layers()

    assert run_sandboxed(scene.enclosure(copy=first), body) == "copy"
    assert (scene.base / "who").read_text() == "copy"


def test_an_old_kernel_gets_the_options_it_knows(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_mounts, "OF_A_COPY", (b"no_such_option=on", b"redirect_dir=on"))

    assert scene.say("mv sub a; cat a/file", copy=scene.layers()) == "copy"


def test_a_layered_copy_whose_base_is_gone_cannot_be_had(scene: Scene) -> None:
    layers = scene.layers(Path("/no/such/base"))

    with pytest.raises(SandboxUnavailable, match="No such file or directory: '/no/such/base'"):
        scene.run("true", copy=layers)
