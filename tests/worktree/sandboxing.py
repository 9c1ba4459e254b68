"""A test scene for sandboxes: a live workspace, copies of it, and checks for leftovers."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clew.worktree.mounts import filesystem_of, read_mounts
from clew.worktree.run_command import CommandResult
from clew.worktree.sandbox import (
    FullCopy,
    Inside,
    OverlayCopy,
    SandboxSpec,
    run_sandboxed,
    why_unavailable,
)
from tests.kit.everything import release
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.removing import remove
from tests.kit.running import SOURCE
from tests.kit.tools import require_root

LONG = 600.0
"""A timeout in seconds that only a failing test reaches."""


class Scene:
    """A live workspace with content `live`, and two copies with content `copy`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.live = place / "live"
        self.directory = place / "copies" / "whole"
        self.base = place / "copies" / "base"
        self.mark = f"CLEW_TEST_{secrets.token_hex(8)}"
        """A marker in the environment of every process that a test starts inside."""
        for path, text in ((self.live, "live"), (self.directory, "copy"), (self.base, "copy")):
            path.mkdir(parents=True)
            (path / "who").write_text(text)
            (path / "sub").mkdir()
            (path / "sub" / "file").write_text(text)

    @property
    def whole(self) -> FullCopy:
        return FullCopy(bytes(self.directory))

    def layers(self, base: Path | None = None) -> OverlayCopy:
        """Return the base with new upper directories."""
        if _is_overlay(self.place):
            pytest.skip("an overlay cannot be laid over an overlay")
        top = self.place / "copies" / secrets.token_hex(4)
        for name in ("upper", "work", "merged"):
            (top / name).mkdir(parents=True)
        parts = [base or self.base, top / "upper", top / "work", top / "merged"]
        return OverlayCopy(*map(bytes, parts))

    def enclosure(self, **fields: Any) -> SandboxSpec:
        return SandboxSpec(bytes(self.live), self.whole)._replace(**fields)

    def run(self, text: str, *, timeout: float | None = LONG, **fields: Any) -> CommandResult:
        """Run a shell command in a sandbox."""
        return run_sandboxed(
            self.enclosure(**fields), partial(self.shell, text=text, timeout=timeout)
        )

    def say(self, text: str, **fields: Any) -> str:
        """Return the output of a shell command in a sandbox, which must succeed."""
        ran = self.run(text, **fields)
        assert (ran.how, ran.exit_code) == ("exited", 0), ran
        return ran.output.decode()

    def shell(self, inside: Inside, text: str, timeout: float | None = LONG) -> CommandResult:
        words = ["/usr/bin/env", f"{self.mark}=1", "/bin/sh", "-c", text]
        return inside.run(words, timeout=timeout)

    def own_by(self, user: int) -> None:
        """Change the owner of everything."""
        for path in (self.place, *self.place.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)

    def marked_processes(self) -> list[int]:
        """Return the processes that were started inside and are still running."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    environment = Path(f"/proc/{name}/environ").read_bytes()
                except OSError:
                    continue  # it has ended
                if self.mark.encode() in environment:
                    found.append(int(name))
        return found

    def mounts(self) -> list[str]:
        """Return the mounts that a sandbox could have left behind, ignoring unrelated ones."""
        ours = re.compile(rf"{re.escape(str(self.place))}(/.*)?|/|/(tmp|dev|dev/shm|proc|sys|run)")
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return [line for line in lines if ours.fullmatch(line.split()[4])]

    def wait_until_nothing_runs(self) -> None:
        wait_for(lambda: not self.marked_processes(), "what was started inside still runs")


def open_scene(under: str | None = None) -> Iterator[Scene]:
    """Yield a scene in a directory that every user may enter."""
    if why := why_unavailable():
        pytest.skip(why)
    place = Path(os.path.realpath(tempfile.mkdtemp(prefix="enclosure-", dir=under)))
    place.chmod(0o755)
    scene = Scene(place)
    yield scene
    for pid in scene.marked_processes():  # none, if the test passed
        os.kill(pid, signal.SIGKILL)
    release(place)
    remove(place)


@contextmanager
def mounted(place: Path, options: str = "rw") -> Iterator[None]:
    """Mount a tmpfs; needs root."""
    require_root("mounting")
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def wait_for(condition: Callable[[], bool], failure: str) -> None:
    """Poll until a condition holds."""
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(failure)
        time.sleep(0.005)


def _is_overlay(place: Path) -> bool:
    found = filesystem_of(bytes(place), read_mounts())
    return found is not None and found.kind == b"overlay"


DEAF = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Starts a program that ignores SIGCHLD, so the kernel reports no exit codes."""

_PRELUDE = """
import json, os, sys
from pathlib import Path
from clew.errors import ClewError, SandboxUnavailable
from clew.worktree.sandbox import *
place = Path(sys.argv[1])
live, home = place / "live", place / "home"
whole = FullCopy(bytes(place / "copies" / "whole"))
def say(text, **fields):
    given = SandboxSpec(bytes(live), whole)._replace(**fields)
    ran = run_sandboxed(given, lambda inside: inside.run(["/bin/sh", "-c", text], timeout=600))
    return ran.output.decode()
"""


def start_program(
    scene: Scene, program: str, *prefix: str, **variables: str
) -> subprocess.Popen[str]:
    """Start Python with the sandbox functions imported."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", _PRELUDE + program, str(scene.place)],
        cwd="/",
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(scene.place / "home"),
            scene.mark: "1",
            **variables,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish_program(process: subprocess.Popen[str]) -> str:
    """Return the output of a program, which must succeed."""
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, err
    return out


def kill_program(process: subprocess.Popen[str]) -> None:
    """Kill a program with SIGKILL; surviving children may hold its output open."""
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def as_user(scene: Scene, program: str) -> str:
    """Return the output of a program run by an unprivileged user, who owns the scene."""
    (scene.place / "home").mkdir(exist_ok=True)
    scene.own_by(UID)
    return finish_program(start_program(scene, program, *as_ordinary_user()))
