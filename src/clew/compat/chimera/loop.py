"""Agent loop: automatic snapshots before tool calls and checkpoints after them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from clew.compat.chimera.checkpoints import CheckpointInfo
from clew.errors import BadOption

PATH_ARGUMENTS = ("path", "file_path", "filename", "file", "notebook_path", "target_file")
"""Names of the arguments with which tools name a file."""
READING_TOOLS = frozenset({
    "read", "read_file", "view", "cat", "list_files", "list_dir", "ls", "glob", "grep", "search",
    "search_files", "find_files",
})  # fmt: skip
"""Read-only tools, which need no snapshot."""
RUNNING_TOOLS = frozenset({
    "bash", "shell", "sh", "exec", "execute", "run", "run_command", "run_shell", "terminal",
    "run_tests", "python",
})  # fmt: skip
"""Tools that may change any file: the whole workspace is captured before them."""


class Creating(Protocol):
    """The interface of a `CheckpointManager`."""

    @property
    def auto_checkpoint(self) -> bool: ...

    def create(self, name: str = "", description: str = "") -> CheckpointInfo: ...


class Snapshotting(Protocol):
    """The interface of a `GhostCommitManager`."""

    def snapshot(self, label: str, paths: list[str] | None = None, /) -> str: ...


class LoopConfig:
    """Checkpoints at an interval of steps or seconds, and a ghost commit before each change.

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
                raise BadOption(name, "must be greater than 0")
        self.checkpoint_manager = checkpoint_manager
        self.ghost_commits = ghost_commits
        self.checkpoint_every_steps = checkpoint_every_steps
        self.checkpoint_every_seconds = checkpoint_every_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._steps = 0
        self._steps_at_last = 0
        self._time_of_last = clock()

    def before_tool(self, tool: str, arguments: Mapping[str, object] | None = None) -> str | None:
        """Snapshot what a tool may change; return the snapshot's id, or None for a read-only tool."""
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
        """Count a step, and take a checkpoint if one is due."""
        with self._lock:
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
