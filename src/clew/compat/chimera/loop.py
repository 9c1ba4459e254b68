"""Agent loop: automatic snapshots before tool calls and checkpoints after them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from clew.compat.chimera.checkpoints import CheckpointInfo
from clew.compat.chimera.file_tracker import patched_files
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
FILE_READING_TOOLS = frozenset({"read_file", "read", "view", "cat"})
FILE_MODIFYING_TOOLS = frozenset({
    "write_file", "edit_file", "replace_in_file", "multi_edit", "notebook_edit", "write", "edit",
})  # fmt: skip
PATCHING_TOOLS = frozenset({"apply_patch"})
"""Tools whose argument is a patch, which names the files."""


class Creating(Protocol):
    """The interface of a `CheckpointManager`."""

    @property
    def auto_checkpoint(self) -> bool: ...

    def create(self, name: str = "", description: str = "") -> CheckpointInfo: ...


class Snapshotting(Protocol):
    """The interface of a `GhostCommitManager`."""

    def snapshot(self, label: str, paths: list[str] | None = None, /) -> str: ...


class Tracking(Protocol):
    """The interface of a `FileTracker`."""

    def record_read(self, path: str, /) -> None: ...

    def record_modified(self, path: str, /) -> None: ...


@dataclass
class LoopConfig:
    """Checkpoints at an interval of steps or seconds, and a ghost commit before each change.

    `manager.auto_checkpoint = True` alone means after every step.
    The other fields are Chimera's, in its order; its own loop reads them.
    """

    permissions: Any = None
    detector: Any = None
    compaction: Any = None
    handler: Any = None
    event_bus: Any = None
    auto_compact_threshold: float = 0.8
    lsp: Any = None
    cost_tracker: Any = None
    audit_log: Any = None
    checkpoint_manager: Creating | None = None
    git_workflow: Any = None
    wire: Any = None
    middleware: list[Any] | None = None
    truncation: Any = None
    ghost_commits: Snapshotting | None = None
    file_tracker: Tracking | None = None
    cancellation: Any = None
    message_queues: Any = None
    discipline: list[Any] | None = None
    instruction_anchor: Any = None
    learning: Any = None
    feedback_tracker: Any = None
    learning_injector: Any = None
    hook_emitter: Any = None
    tool_timeout_s: float | None = None
    condensation: Any = None
    condense_every_n_steps: int | None = None
    yolo_mode: bool = False
    secrets_redaction: bool | None = None
    _default_permissions_applied: bool = field(default=False, repr=False)
    checkpoint_every_steps: int | None = field(default=None, kw_only=True)
    checkpoint_every_seconds: float | None = field(default=None, kw_only=True)
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True, repr=False)
    _steps: int = field(default=0, init=False, repr=False, compare=False)
    _steps_at_last: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("checkpoint_every_steps", "checkpoint_every_seconds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise BadOption(name, "must be greater than 0")
        self._lock = threading.Lock()
        self._time_of_last = self.clock()
        _apply_defaults_of_chimera(self)

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
        self,
        tool: str,
        arguments: Mapping[str, object] | None = None,
        *,
        success: bool = True,
    ) -> CheckpointInfo | None:
        """Count a step, record its files, and take a checkpoint if one is due.

        After a tool that failed nothing is recorded.
        """
        if success and self.file_tracker is not None:
            _track(self.file_tracker, tool.lower(), arguments or {})
        with self._lock:
            self._steps += 1
            step = self._steps
            manager = self.checkpoint_manager
            if manager is None or not success or not self._is_due(manager):
                return None
            self._steps_at_last = step
            self._time_of_last = self.clock()
        return manager.create(f"step-{step}", f"after {_title(tool, arguments or {})}")

    def _is_due(self, manager: Creating) -> bool:
        steps, seconds = self.checkpoint_every_steps, self.checkpoint_every_seconds
        if steps is None and seconds is None:
            return manager.auto_checkpoint
        if steps is not None and self._steps - self._steps_at_last >= steps:
            return True
        return seconds is not None and self.clock() - self._time_of_last >= seconds


def _apply_defaults_of_chimera(config: LoopConfig) -> None:
    """Apply the safety defaults of an installed Chimera: its permission policy and redaction."""
    try:
        from chimera.core.loop_config import (  # type: ignore[import-not-found]
            LoopConfig as ChimerasLoopConfig,
        )
    except ImportError:
        return
    defaults = getattr(ChimerasLoopConfig, "__post_init__", None)
    if defaults is not None:
        defaults(config)


def _track(tracker: Tracking, tool: str, arguments: Mapping[str, object]) -> None:
    path = _path_in(arguments)
    if tool in PATCHING_TOOLS:
        for patched in patched_files(_patch_in(arguments)):
            tracker.record_modified(patched)
    elif path is not None and tool in FILE_READING_TOOLS:
        tracker.record_read(path)
    elif path is not None and tool in FILE_MODIFYING_TOOLS:
        tracker.record_modified(path)


def _patch_in(arguments: Mapping[str, object]) -> str:
    found = (arguments.get(name) for name in ("patch", "diff", "input"))
    return next((text for text in found if isinstance(text, str)), "")


def _path_in(arguments: Mapping[str, object]) -> str | None:
    for name in PATH_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _title(tool: str, arguments: Mapping[str, object]) -> str:
    about = _path_in(arguments) or arguments.get("command") or arguments.get("cmd")
    return f"{tool}: {about}" if isinstance(about, str) else tool
