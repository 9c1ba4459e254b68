"""Stage of the demo: runs the commands that it shows, and checks the claims that it makes."""

from __future__ import annotations

import hashlib
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


class ClaimFailed(Exception):
    """A claim of the demo is false."""


class Stage:
    """A terminal in the project's directory."""

    def __init__(self, base: Path, project: str) -> None:
        self.project = base / project
        self._base = base
        self._is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        tools = base / "bin"
        tools.mkdir(parents=True)
        (tools / "python3").symlink_to(sys.executable)
        (tools / "clew").write_text(f'#!/bin/sh\nexec {_clew()} "$@"\n')
        (tools / "clew").chmod(0o755)
        self._environ = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": str(base),
            "CLEW_HOME": str(base / "history"),
            "COLUMNS": "100",
            "LANG": "C.UTF-8",
            "TERM": os.environ.get("TERM", "dumb"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "demo",
            "GIT_AUTHOR_EMAIL": "demo@localhost",
            "GIT_COMMITTER_NAME": "demo",
            "GIT_COMMITTER_EMAIL": "demo@localhost",
            "GIT_OPTIONAL_LOCKS": "0",  # `git status` must not write the index
        }

    def say(self, text: str) -> None:
        print(f"\n{self._paint(text, '1')}", flush=True)

    def run(self, line: str, codes: Sequence[int] = (0,)) -> str:
        """Show and run one line, and return what it printed."""
        print(f"\n{self._paint(f'$ {line}', '36')}", flush=True)
        where = self.project if self.project.exists() else self._base
        done = subprocess.run(  # noqa: S602 (the lines are in this file)
            line,
            shell=True,
            cwd=where,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        print(done.stdout, end="", flush=True)
        if done.returncode not in codes:
            raise ClaimFailed(f"`{line}` failed with exit code {done.returncode}")
        return done.stdout

    def ask(self, line: str) -> str:
        """Run one line without showing it, for a check."""
        words = shlex.split(line)
        asked = subprocess.run(
            words, cwd=self.project, env=self._environ, capture_output=True, check=True, text=True
        )
        return asked.stdout

    def claim(self, text: str, holds: bool) -> None:
        if not holds:
            raise ClaimFailed(text)
        print(self._paint(f"  ✓ {text}", "32"), flush=True)

    def fingerprint(self) -> str:
        """Return one digest of all names, types, modes, file times and bytes of the project."""
        digest = hashlib.sha256()
        for directory, folders, files in os.walk(self.project):
            folders.sort()
            for name in sorted(folders + files):
                path = os.path.join(directory, name)
                status = os.lstat(path)
                is_file = stat.S_ISREG(status.st_mode)
                times = status.st_mtime_ns if is_file else 0
                digest.update(f"{path}\0{status.st_mode}\0{times}\0".encode())
                if is_file:
                    digest.update(Path(path).read_bytes())
        return digest.hexdigest()

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._is_coloured else text


def _clew() -> str:
    installed = Path(sys.executable).with_name("clew")
    if installed.exists():
        return shlex.quote(str(installed))
    return f"{shlex.quote(sys.executable)} -m clew"
