"""Local environment: a directory whose checkpoints are clew checkpoints.

Everything is captured: links, modes, empty directories, ignored files.  A restore saves a rescue
checkpoint first, verifies what it will write, and does not change what no checkpoint covers.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from uuid import uuid4

from clew.compat.chimera import shell
from clew.compat.chimera.environment import Environment
from clew.compat.chimera.results import CommandResult, TestResult, read_summary
from clew.compat.chimera.workspaces import (
    Records,
    has_checkpoint,
    opened,
    require_allowed,
    require_complete,
)
from clew.model.record import Origin
from clew.model.restore_results import RestoreResult
from clew.places import StrPath
from clew.workspace import Workspace

CHECKPOINT_SIZE_WARN_BYTES = 256 << 20


class LargeCheckpointWarning(UserWarning):
    """A checkpoint added more than `CHECKPOINT_SIZE_WARN_BYTES` to the store."""


class LocalEnvironment(Environment):
    """A local directory with files, commands and checkpoints."""

    size_warn_bytes = CHECKPOINT_SIZE_WARN_BYTES

    def __init__(
        self,
        workdir: StrPath | None = None,
        test_cmd: str = "python -m pytest",
        timeout: int = 300,
        session: bool = False,
        *,
        working_dir: StrPath | None = None,
        store: StrPath | None = None,
    ) -> None:
        self.workdir = Path(_directory_argument(workdir, working_dir)).resolve()
        self.test_cmd = test_cmd
        self.timeout = timeout
        self.store = store
        """The store of its history; None for the user's default store."""
        self._use_session = session
        self._shells: shell.Shells | None = None

    @property
    def working_dir(self) -> Path:
        """Another name of `workdir`."""
        return self.workdir

    @property
    def records_key(self) -> str:
        """The key of its records."""
        return f"{type(self).__name__} {self.workdir}"

    @property
    def has_session(self) -> bool:
        return self._shells is not None

    def setup(self) -> None:
        self.workdir.mkdir(parents=True, exist_ok=True)
        if self._use_session and self._shells is None:
            self._shells = shell.Shells(str(self.workdir))

    def cleanup(self) -> None:
        if self._shells is not None:
            self._shells.close()
            self._shells = None

    def read_file(self, path: str) -> str:
        full = self.workdir / path
        if not full.exists():
            raise FileNotFoundError(f"File not found: {path}")
        with full.open(encoding="utf-8", newline="") as file:
            return file.read()

    def write_file(self, path: str, content: str) -> None:
        full = self.workdir / path
        full.parent.mkdir(parents=True, exist_ok=True)
        with full.open("w", encoding="utf-8", newline="") as file:
            file.write(content)

    def list_files(self, pattern: str = "**/*") -> list[str]:
        found = (path for path in self.workdir.glob(pattern) if path.is_file())
        return sorted(str(path.relative_to(self.workdir)) for path in found)

    def run_command(
        self, cmd: str, timeout: int | None = None, shell_name: str = "main"
    ) -> CommandResult:
        """Run a shell command; with a session, in the last state of the shell of that name."""
        seconds = timeout or self.timeout
        if self._shells is not None:
            return self._shells.run(shell_name, cmd, seconds)
        return shell.run(cmd, str(self.workdir), seconds)

    def run_tests(self) -> TestResult:
        return read_summary(self.run_command(self.test_cmd))

    def checkpoint(self) -> str:
        """Save the directory and return the checkpoint's id: "0", "1", ..."""
        with self.workspace() as workspace:
            saved_id = self._save(workspace, "checkpoint")
            with self._ids(workspace).changing() as ledger:
                return str(ledger.add({"checkpoint": saved_id}) - 1)

    def restore(self, checkpoint_id: str) -> None:
        """Restore a checkpoint; the current state is saved as a rescue checkpoint."""
        with self.workspace() as workspace:
            require_complete(
                self._restore_files(workspace, self._resolve_id(workspace, checkpoint_id))
            )

    def clone(self) -> Self:
        """Return a copy of the environment in a sibling directory."""
        place = self.workdir.parent / f"chimera-clone-{uuid4().hex[:8]}"
        with self.workspace() as workspace:
            workspace.forks.create(self._save(workspace, "before a clone"), str(place))
        return type(self)(place, self.test_cmd, self.timeout, self._use_session, store=self.store)

    def differs_from(self, checkpoint_id: str) -> bool:
        """Return whether the directory differs from a checkpoint."""
        with self.workspace() as workspace:
            found = workspace.diff(self._resolve_id(workspace, checkpoint_id))
            return any(self._is_captured(change.path) for change in found.changes)

    def label(self, checkpoint_id: str, name: str, description: str) -> None:
        """Set the intent and the description that `clew log` shows for a checkpoint."""
        with self.workspace() as workspace:
            reference = self._resolve_id(workspace, checkpoint_id)
            workspace.edit(reference, intent=name, description=description)

    def reference(self, checkpoint_id: str) -> str:
        """Return the clew reference of a checkpoint, for use with any method of `Workspace`."""
        with self.workspace() as workspace:
            return self._resolve_id(workspace, checkpoint_id)

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Open the directory as a clew `Workspace`."""
        require_allowed(str(self.workdir))
        with opened(str(self.workdir), self.store) as workspace:
            yield workspace

    # Overridden by other environments

    def _resolve_id(self, workspace: Workspace, checkpoint_id: str) -> str:
        """Return clew's id of a checkpoint; only ids that we issued are valid."""
        if re.fullmatch("[0-9]{1,18}", checkpoint_id):
            entry = self._ids(workspace).read().entries.get(int(checkpoint_id) + 1)
            if entry is not None and has_checkpoint(workspace, entry["checkpoint"]):
                return str(entry["checkpoint"])
        raise ValueError(f"Checkpoint {checkpoint_id} not found")

    def _restore_files(self, workspace: Workspace, reference: str) -> RestoreResult:
        return workspace.restore(reference)

    def _is_captured(self, path: bytes) -> bool:
        return True

    def _save(self, workspace: Workspace, intent: str) -> str:
        saved = workspace.save(intent, origin=Origin.HOOK)
        if saved.new_bytes > self.size_warn_bytes:
            text = f"Large checkpoint ({saved.new_bytes:,} bytes): exclude files that can be regenerated"
            warnings.warn(text, LargeCheckpointWarning, stacklevel=3)
        reference = saved.checkpoint.id.hex()
        workspace.edit(reference, pin=True)  # the caller holds its id, so it must not be pruned
        return reference

    def _ids(self, workspace: Workspace) -> Records:
        return Records(f"chimera.environment {workspace.info.text_id}", workspace.store.path)


def _directory_argument(workdir: StrPath | None, working_dir: StrPath | None) -> StrPath:
    if workdir is not None and working_dir is not None:
        raise TypeError("Pass either workdir or working_dir, not both")
    chosen = workdir if workdir is not None else working_dir
    if chosen is None:
        raise TypeError("Missing argument: workdir")
    return os.fspath(chosen)
