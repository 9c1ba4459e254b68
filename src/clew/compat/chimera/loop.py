"""What any loop of an agent can call around its tools, so that every change has a way back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from clew.compat.chimera.checkpoints import CheckpointInfo
from clew.errors import BadOption

PATH_ARGUMENTS = ("path", "file_path", "filename", "file", "notebook_path", "target_file")
"""What tools call the file that they are about."""
READING_TOOLS = frozenset({
    "read", "read_file", "view", "cat", "list_files", "list_dir", "ls", "glob", "grep", "search",
    "search_files", "find_files",
})  # fmt: skip
"""Tools that change nothing, so need no snapshot."""
RUNNING_TOOLS = frozenset({
    "bash", "shell", "sh", "exec", "execute", "run", "run_command", "run_shell", "terminal",
    "run_tests", "python",
})  # fmt: skip
"""Tools that may change anything: the whole workspace is kept before them."""


class Creating(Protocol):
    """What makes checkpoints: a `CheckpointManager`."""

    @property
    def auto_checkpoint(self) -> bool: ...

    def create(self, name: str = "", description: str = "") -> CheckpointInfo: ...


class Snapshotting(Protocol):
    """What keeps files: a `GhostCommitManager`."""

    def snapshot(self, label: str, paths: list[str] | None = None, /) -> str: ...


class LoopConfig:
    """Checkpoints every so many steps or seconds, and a ghost commit before each change.

    `manager.auto_checkpoint = True` alone means after every step.
    """

    def __init__(
        self,
        checkpoint_manager: Creating | None = None,
        ghost_commits: Snapshotting | None = None,
        *,
        checkpoint_every_steps: int | None = None,
        checkpoint_every_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value in (
            ("checkpoint_every_steps", checkpoint_every_steps),
            ("checkpoint_every_seconds", checkpoint_every_seconds),
        ):
            if value is not None and value <= 0:
                raise BadOption(name, "must be more than nothing")
        self.checkpoint_manager = checkpoint_manager
        self.ghost_commits = ghost_commits
        self.checkpoint_every_steps = checkpoint_every_steps
        self.checkpoint_every_seconds = checkpoint_every_seconds
        self._clock = clock
        self._turn = threading.Lock()
        self._steps = 0
        self._steps_at_last = 0
        self._time_of_last = clock()

    def before_tool(self, tool: str, arguments: Mapping[str, object] | None = None) -> str | None:
        """Keep what a tool is about to change; return the snapshot's id, or None if it reads only."""
        if self.ghost_commits is None or tool.lower() in READING_TOOLS:
            return None
        path = _path_in(arguments or {})
        if path is not None:
            return self.ghost_commits.snapshot(f"{tool}: {path}", [path])
        if tool.lower() in RUNNING_TOOLS:
            return self.ghost_commits.snapshot(_title(tool, arguments or {}), None)
        return None

    def after_tool(
        self, tool: str, arguments: Mapping[str, object] | None = None
    ) -> CheckpointInfo | None:
        """Count a step, and make a checkpoint where one is due."""
        with self._turn:
            self._steps += 1
            step = self._steps
            if self.checkpoint_manager is None or not self._is_due(self.checkpoint_manager):
                return None
            self._steps_at_last = step
            self._time_of_last = self._clock()
            manager = self.checkpoint_manager
        return manager.create(f"step-{step}", f"after {_title(tool, arguments or {})}")

    def _is_due(self, manager: Creating) -> bool:
        steps, seconds = self.checkpoint_every_steps, self.checkpoint_every_seconds
        if steps is None and seconds is None:
            return manager.auto_checkpoint
        if steps is not None and self._steps - self._steps_at_last >= steps:
            return True
        return seconds is not None and self._clock() - self._time_of_last >= seconds


def _path_in(arguments: Mapping[str, object]) -> str | None:
    for name in PATH_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _title(tool: str, arguments: Mapping[str, object]) -> str:
    about = _path_in(arguments) or arguments.get("command") or arguments.get("cmd")
    return f"{tool}: {about}" if isinstance(about, str) else tool
