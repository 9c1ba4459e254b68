"""Client of the fork server: runs commands with faults, and compiles the shim."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from torture.protocol import Clock, Fault, Request, Response

SOURCE = Path(__file__).resolve().parents[1] / "src"
_SHIM = Path(__file__).with_name("shim.c")
_PASSED = ("PATH", "HOME", "TMPDIR")
UTF8 = {"LC_ALL": "C.UTF-8"}


class Timeout(Exception):
    """A command did not end within its limit."""


def compile_shim(place: Path) -> Path | None:
    """Compile the shim into `place`; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    target = place / "shim.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-w", "-o", target, _SHIM, "-ldl"], check=True
    )
    return target


class Server:
    """A running fork server; `locale` is the environment that decides how Python starts."""

    def __init__(
        self, place: Path, shim: Path | None, locale: Mapping[str, str] = UTF8, name: str = "socket"
    ) -> None:
        self.cpu_seconds = 0.0
        self.has_shim = shim is not None
        self.locale = dict(locale)
        self._address = str(place / name)
        env = {
            **{key: os.environ[key] for key in _PASSED if key in os.environ},
            "PYTHONPATH": f"{SOURCE}:{SOURCE.parent}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            **locale,
            **({"LD_PRELOAD": str(shim)} if shim else {}),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "torture.server", self._address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=place,
        )  # fmt: skip
        assert self._process.stdout
        if self._process.stdout.readline() != b"ready\n":
            raise RuntimeError("the fork server did not start")
        self._open: list[socket.socket] = []

    def run(
        self,
        words: Sequence[str],
        cwd: str,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        fault: Fault = Fault(),
        clock: Clock = Clock(),
        kill_after: float | None = None,
        kills_group: bool = False,
        timeout: float = 120.0,
    ) -> Response:
        """Run one command to its end."""
        handle = self.start(
            words, cwd, env=env, stdin=stdin, fault=fault, clock=clock,
            kill_after=kill_after, kills_group=kills_group, timeout=timeout,
        )  # fmt: skip
        return self.finish(handle)

    def start(
        self,
        words: Sequence[str],
        cwd: str,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        fault: Fault = Fault(),
        clock: Clock = Clock(),
        kill_after: float | None = None,
        kills_group: bool = False,
        timeout: float = 120.0,
    ) -> socket.socket:
        """Start one command; `finish` returns its end."""
        whole = {
            **{key: os.environ[key] for key in _PASSED if key in os.environ},
            "CLEW_BACKGROUND": "off",
            **self.locale,
            **(env or {}),
        }
        request = Request(
            list(words), whole, cwd, stdin, fault, clock, kill_after, kills_group, timeout
        )
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self._address)
        connection.sendall(pickle.dumps(request))
        connection.settimeout(timeout + 60)
        return connection

    def finish(self, connection: socket.socket) -> Response:
        """Wait for a command; what it left behind may run on, see `settle`."""
        with connection.makefile("rb") as file:
            found: Response = pickle.load(file)
        self._open.append(connection)
        self.cpu_seconds += found.cpu_seconds
        return found

    def settle(self) -> None:
        """Wait until no process of an earlier command runs."""
        for connection in self._open:
            with connection:
                while connection.recv(4096):
                    pass
        self._open.clear()

    def close(self) -> None:
        self.settle()
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
