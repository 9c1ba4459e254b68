"""Unix sockets of live processes: a command in a sandbox reaches none that was not allowed."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from clew.worktree.live_sockets import live_sockets
from tests.kit.live_place import LIVE
from tests.worktree.sandboxing import Scene, open_scene

ASK = f"{sys.executable} -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode())' "


@contextmanager
def answering(path: Path) -> Iterator[None]:
    """A process outside that answers `live`."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.send(b"live")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.fixture(params=["/tmp", LIVE])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A scene whose sockets are in a private directory, and in a live one."""
    yield from open_scene(request.param)


def test_bound_sockets_are_found_by_their_paths(tmp_path: Path) -> None:
    with answering(tmp_path / "s"), answering(tmp_path / "t"):
        (tmp_path / "file").touch()

        found = live_sockets({})

    assert bytes(tmp_path / "s") in found
    assert bytes(tmp_path / "t") in found
    assert not any(os.path.isfile(path) for path in found)


@pytest.mark.parametrize("form", ["%s", "unix://%s", "unix:path=%s,guid=1", "unix:%s;tcp:1"])
def test_sockets_that_variables_name_are_found(tmp_path: Path, form: str) -> None:
    """One of another network namespace is not in the kernel's table."""
    path = tmp_path / "agent.sock"
    os.mknod(path, 0o140600)

    assert bytes(path) not in live_sockets({})
    assert bytes(path) in live_sockets({b"SOME_AGENT": (form % path).encode()})


def test_no_live_socket_answers(scene: Scene) -> None:
    path = scene.place / "s"
    with answering(path):
        hidden = (os.path.realpath(bytes(path)),)

        seen = scene.run(f"test -S {path} && echo socket; {ASK}{path}", hidden_sockets=hidden)

    assert seen.exit_code == 1
    assert seen.output.decode().startswith("socket\n")
    assert "ConnectionRefusedError" in seen.output.decode()


def test_a_socket_that_was_allowed_answers(scene: Scene) -> None:
    with ExitStack() as stack:
        paths = [scene.place / name for name in ("s", "t")]
        for path in paths:
            stack.enter_context(answering(path))
        allowed, hidden = ((os.path.realpath(bytes(path)),) for path in paths)
        text = f"{ASK}{paths[0]}; {ASK}{paths[1]} 2>/dev/null || echo refused"

        assert scene.say(text, hidden_sockets=hidden, sockets=allowed).split() == [
            "live",
            "refused",
        ]


def test_a_socket_of_the_copy_can_be_replaced(scene: Scene) -> None:
    live = scene.live / "s"
    os.mknod(scene.directory / "s", 0o140600)
    with answering(live):
        text = "rm s && echo removed"

        assert scene.say(text, hidden_sockets=(bytes(live),)) == "removed\n"
