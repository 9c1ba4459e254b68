"""Real git repositories, as dictionaries for `tests/kit/moments.py`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.kit.moments import Moment, directory, file, link

CANARY = "canary-7f3a"
"""In every commit message; no fact may repeat it."""


class Repo:
    """A real repository below a directory that serves as the root."""

    def __init__(self, root: Path, place: str = "") -> None:
        self.root = root
        self.path = root / place
        self.path.mkdir(parents=True, exist_ok=True)

    def git(self, *words: str, check: bool = True) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.com",
        }
        settings = ("init.defaultBranch=main", "protocol.file.allow=always", "gc.auto=0")
        options = [word for setting in settings for word in ("-c", setting)]
        done = subprocess.run(
            ["git", *options, *words],
            cwd=self.path, env=environment, capture_output=True, text=True, check=check,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, name: str, content: str = "x\n") -> str:
        self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "-qm", f"{name} {CANARY}")
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, content: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def moment(self) -> Moment:
        return moment(self.root)


def moment(root: Path) -> Moment:
    """Return a real directory as a dictionary."""
    found = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = link(os.readlink(path))
        elif path.is_dir():
            found[name] = directory()
        else:
            found[name] = file(path.read_bytes(), mode=path.stat().st_mode & 0o7777)
    return found
