"""Processes and ports: started and stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truths.system import Running

_LISTEN = """\
import socket, sys, time
kinds = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
for place in sys.argv[1:]:
    kind, address, port = place.split("/")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    one = socket.socket(family, kinds[kind])
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((address, int(port)))
    kind == "tcp" and one.listen()
    globals()[place] = one
time.sleep(600)
"""
_SETTLE = 1.0
"""Seconds until a program listens."""


def _serve(place: Place, *words: str) -> None:
    place.start(sys.executable, *words)
    time.sleep(_SETTLE)


@scenario(
    30,
    "servers on 0.0.0.0:8000 and 127.0.0.1:5432",
    Running(),
    benign=True,
    headline=("8000",),
)
def two_servers(place: Place) -> Iterator[None]:
    place.write("listen.py", _LISTEN)
    place.write("index.html", "<h1>hello</h1>\n")
    place.run("git init -q && git add -A && git commit -q -m first")
    yield
    _serve(place, "-m", "http.server", "8000", "--bind", "0.0.0.0")
    _serve(place, "listen.py", "tcp/127.0.0.1/5432", "udp/127.0.0.1/5353")
    _serve(place, "-c", "import time; time.sleep(600)")


@scenario(30, "a server stops, another takes its port", Running(), benign=True)
def server_replaced(place: Place) -> Iterator[None]:
    place.write("listen.py", _LISTEN)
    place.run("git init -q && git add -A && git commit -q -m first")
    _serve(place, "listen.py", "tcp/127.0.0.1/8001", "tcp/127.0.0.1/8002")
    yield
    place.stop()
    _serve(place, "-m", "http.server", "8001", "--bind", "127.0.0.1")


@scenario(30, "a server whose command line holds a token", Running(), benign=True)
def secret_on_the_command_line(place: Place) -> Iterator[None]:
    place.write("serve.py", _LISTEN.replace("sys.argv[1:]", "sys.argv[3:]"))
    yield
    _serve(place, "serve.py", "--token", place.canary(), "tcp/127.0.0.1/8003")


@scenario(
    35,
    "rm -rf of a project in a larger workspace",
    expected={
        ("loss.deleted", "repository", "shop", None, None),
        ("git.branch", "git:shop", "main", None, None),
    },
    warnings={"shop"},
    headline=("shop",),
)
def project_gone(place: Place) -> Iterator[None]:
    for number in range(30):
        place.write(f"shop/src/part{number}.py", f"def part{number}():\n    return {number}\n")
        place.write(f"blog/src/post{number}.py", f"POST = {number}\n")
    for name in ("shop", "blog"):
        place.run(f"cd {name} && git init -q && git add -A && git commit -q -m first")
    yield
    place.run("rm -rf shop")


@scenario(
    35,
    "rm -rf of a directory of sources that no repository keeps",
    expected={
        ("loss.deleted", "directory", "scripts", None, None),
    },
    warnings={"scripts"},
)
def sources_gone(place: Place) -> Iterator[None]:
    for number in range(30):
        place.write(f"scripts/part{number}.py", f"def part{number}():\n    return {number}\n")
    place.write("notes.md", "# Notes\n")
    yield
    place.run("rm -rf scripts")


@scenario(35, "an environment is deleted", expected={("package.removed", "pip:.venv", "pip", None, None),
          ("package.removed", "pip:.venv", "setuptools", None, None)}, benign=True)  # fmt: skip
def environment_gone(place: Place) -> Iterator[None]:
    place.write(".gitignore", ".venv/\n")
    place.write("app.py", "print('hello')\n")
    place.run("git init -q && git add -A && git commit -q -m first && python3 -m venv .venv")
    yield
    place.run("rm -rf .venv")
