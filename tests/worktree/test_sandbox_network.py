"""The network of a sandbox, and servers started in one to be probed."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from operator import methodcaller
from threading import Thread
from typing import Any

import pytest

from clew.model.verdict import RunEnd
from clew.worktree.run_command import CommandResult
from clew.worktree.sandbox import Net, run_sandboxed
from tests.worktree.sandboxing import LONG, Scene, open_scene

ASK = """
import urllib.request
try:
    print(urllib.request.urlopen("http://127.0.0.1:{port}/", timeout=60).read().decode())
except OSError as error:
    print("nobody", error)
"""

SERVE = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
answers = {answers}
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        status = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        self.send_header("Location", "/ok")
        self.end_headers()
        self.wfile.write(b"x" * 100)
    def log_message(self, *_):
        print("asked for", self.path, flush=True)
server = HTTPServer(("127.0.0.1", 8000), Handler)
print("listening", "." * {chatter}, flush=True)
server.serve_forever()
"""


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)  # Python is needed inside, wherever it is
    yield from open_scene()


@pytest.fixture
def live_server() -> Iterator[int]:
    """The port of a server outside."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"the live one")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def python(program: str) -> str:
    """Return a shell command that runs a program."""
    return f"exec {sys.executable} - <<'END'\n{textwrap.dedent(program)}\nEND\n"


def serve(scene: Scene, text: str, *, timeout: float = LONG, **fields: Any) -> CommandResult:
    url = "http://127.0.0.1:8000/health?x=1"
    words = f"export {scene.mark}=1; {text}"
    given = scene.enclosure(**fields)
    return run_sandboxed(given, lambda inside: inside.serve_and_probe(words, url, timeout=timeout))


def server(*answers: int, chatter: int = 1) -> str:
    return python(SERVE.format(answers=list(answers), chatter=chatter))


def test_no_live_server_answers_in_a_network_of_its_own(scene: Scene, live_server: int) -> None:
    ask = python(ASK.format(port=live_server))

    assert scene.say(ask).startswith("nobody")
    assert scene.say(ask, net=Net.HOST) == "the live one\n"


def test_a_server_can_be_asked_inside(scene: Scene) -> None:
    program = """
        import socket
        server = socket.create_server(("127.0.0.1", 8000))
        client = socket.create_connection(("127.0.0.1", 8000))
        server.accept()[0].sendall(b"hello")
        print(client.recv(5).decode())
    """

    assert scene.say(python(program)) == "hello\n"


def test_the_only_network_is_the_loopback(scene: Scene) -> None:
    assert scene.say("grep -c : /proc/net/dev; grep -c lo: /proc/net/dev") == "1\n1\n"


def test_a_server_that_answers_well_is_good_and_is_ended(scene: Scene) -> None:
    table = scene.mounts()
    ran = serve(scene, server(200))

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, 0)
    assert "listening" in ran.output.decode()
    assert "GET http://127.0.0.1:8000/health?x=1 → 200\n" in ran.output.decode()
    assert scene.marked_processes() == []
    assert scene.mounts() == table


def test_a_server_is_asked_until_it_is_ready_and_each_answer_is_told_once(scene: Scene) -> None:
    ran = serve(scene, server(503, 503, 500, 503, 204))
    told = [line.split()[-1] for line in ran.output.decode().splitlines() if "→" in line]

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, 0)
    assert told == ["503", "500", "204"]


def test_a_redirection_is_not_followed(scene: Scene) -> None:
    ran = serve(scene, server(302, 302, 503, 200))
    told = [line.split()[-1] for line in ran.output.decode().splitlines() if "→" in line]

    assert told == ["302", "503", "200"]
    assert "asked for /ok" not in ran.output.decode()


@pytest.mark.parametrize(("text", "code"), [("echo oops; exit 3", 3), ("echo oops; exit 0", 1)])
def test_a_server_that_ends_has_failed(scene: Scene, text: str, code: int) -> None:
    ran = serve(scene, text)

    assert (ran.how, ran.exit_code) == (RunEnd.EXITED, code)
    assert ran.output.startswith(b"oops\n")


def test_a_server_that_does_not_listen_runs_out_of_time(scene: Scene) -> None:
    ran = serve(scene, "sleep 600", timeout=1)

    assert (ran.how, ran.exit_code) == (RunEnd.TIMEOUT, None)
    assert scene.marked_processes() == []


def test_a_server_that_talks_a_lot_can_still_answer(scene: Scene) -> None:
    assert serve(scene, server(200, chatter=1_000_000)).exit_code == 0


def test_a_server_outside_does_not_answer_for_the_one_inside(
    scene: Scene, live_server: int
) -> None:
    url = f"http://127.0.0.1:{live_server}/"
    ran = run_sandboxed(
        scene.enclosure(), methodcaller("serve_and_probe", "sleep 600", url, timeout=1)
    )

    assert ran.how == RunEnd.TIMEOUT


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/", "/etc/passwd", "http://", "file:///etc/passwd"]
)
def test_only_addresses_of_http_are_asked(scene: Scene, url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        run_sandboxed(
            scene.enclosure(), lambda inside: inside.serve_and_probe("true", url, timeout=1)
        )
