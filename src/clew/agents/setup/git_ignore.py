"""Whether git ignores a settings file."""

from __future__ import annotations

import os
import subprocess

from clew.worktree.interpreter import find_program

_TIMEOUT_SECONDS = 10
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""The repository is untrusted: git starts no program that its configuration names."""


def is_ignored(path: str, root: str) -> bool | None:
    """Return whether git ignores a file; None outside a repository, or without git."""
    git = find_program("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, "-C", root, *_NO_PROGRAMS, "check-ignore", "--quiet", "--", path],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {0: True, 1: False}.get(done.returncode)


def ignore_command(path: str, root: str) -> str:
    """Return a command that has git ignore a file; it is run in `root`."""
    return f"echo {os.path.relpath(path, root)} >> .gitignore"
