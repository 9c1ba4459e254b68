"""A project whose moments are tried in private copies, by root and by an ordinary user, and what to
look for when all is over.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.worktree.sandbox import why_unavailable
from tests.kit.everything import release
from tests.kit.live_place import LIVE
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.removing import remove
from tests.kit.running import Clew

_NO_MORE = """
echo 0 > /proc/sys/user/max_mnt_namespaces
echo 0 > /proc/sys/user/max_user_namespaces
exec "$@"
"""
NO_NAMESPACES = ["unshare", "--user", "--map-root-user", "sh", "-ec", _NO_MORE, "sh"]
"""What to put before a command so that it can have no namespaces, in one that has none to give."""


class Place:
    """A project with a store, and marks by which what was started in it is known."""

    def __init__(self, root: Path, clew: Clew) -> None:
        self.root = root
        self.clew = clew
        self.project = clew.workspace
        self.mark = f"CLEW_TEST_{secrets.token_hex(8)}"
        clew.extra[self.mark] = "1"
        clew.extra["VIRTUAL_ENV"] = sys.prefix  # Python is wanted inside, wherever it is
        self._started: list[subprocess.Popen[str]] = []

    def write(self, path: str, text: str, *, mode: int | None = None) -> Path:
        """Write a file of the project, as its owner."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if mode is not None:
            file.chmod(mode)
        self.give_away()
        return file

    def give_away(self) -> None:
        """Make the project's owner the owner of all that is in it."""
        owner = self.project.stat()
        for path in self.project.rglob("*"):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)

    def tree(self) -> str:
        """Return the id of the live files, times included."""
        found: str = self.clew.json("save", "--skip-unchanged")["checkpoint"]["tree"]
        return found

    def marked_processes(self) -> list[int]:
        """Return the processes that clew started, or what it ran, and that are still there."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if (
                    name.isdigit()
                    and self.mark.encode() in Path(f"/proc/{name}/environ").read_bytes()
                ):
                    found.append(int(name))
            except OSError:
                continue  # it went, or is nobody's any more
        return found

    def copies(self) -> list[str]:
        """Return what is left of copies that were in use: the kept ones are not."""
        return [
            str(path)
            for path in (self.clew.store / "copies").rglob("*")
            if path.name in ("upper", "merged")
        ]

    def mounts(self) -> list[str]:
        """Return what is mounted in it, as everybody sees it."""
        table = Path("/proc/self/mountinfo").read_text().splitlines()
        return [line for line in table if str(self.root) in line]

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command that ends with the place at the latest."""
        process = subprocess.Popen(
            self.clew.command(*words),
            cwd=self.project,
            env=self.clew.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """Leave nothing running that a failing test has left."""
        for process in self._started:
            process.kill()
            process.communicate()


@contextmanager
def place_for(who: str, under: str = LIVE) -> Iterator[Place]:
    """Give a place to `root` or to an `ordinary` user."""
    if why := why_unavailable():
        pytest.skip(why)
    prefix = as_ordinary_user() if who == "ordinary" else []
    root = Path(os.path.realpath(tempfile.mkdtemp(prefix="trying-", dir=under)))
    root.chmod(0o755)
    for name in ("project", "home"):
        (root / name).mkdir()
    if who == "ordinary":
        for path in (root, *root.iterdir()):
            os.chown(path, UID, UID)
    place = Place(root, Clew(root / "project", root / "store", prefix=prefix))
    try:
        yield place
    finally:
        place.end()
        release(root)
        remove(root)


def wait_for(condition: Callable[[], object], failure: str) -> None:
    """Look again and again until a condition holds."""
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(failure)
        time.sleep(0.01)
