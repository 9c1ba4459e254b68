"""A directory of this machine: every checkpoint of it is one of clew's.

All of it is kept: links, modes, empty directories, whatever an ignore file says.  A restore takes a
rescue first, proves what it will write, and leaves alone what no checkpoint covers.
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
from clew.compat.chimera.places import (
    Records,
    is_there,
    opened,
    require_harmless,
    require_whole,
)
from clew.compat.chimera.results import CommandResult, TestResult, read_summary
from clew.model.record import Origin
from clew.model.restore_results import RestoreResult
from clew.places import StrPath
from clew.workspace import Workspace

CHECKPOINT_SIZE_WARN_BYTES = 256 << 20


class LargeCheckpointWarning(UserWarning):
    """A checkpoint made the store grow by more than `CHECKPOINT_SIZE_WARN_BYTES`."""


class LocalEnvironment(Environment):
    """A directory in which files are read and written, commands run, and moments kept."""

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
        self.workdir = Path(_chosen(workdir, working_dir)).resolve()
        self.test_cmd = test_cmd
        self.timeout = timeout
        self.store = store
        """Where its history is kept; None for the user's own store."""
        self._use_session = session
        self._shells: shell.Shells | None = None

    @property
    def working_dir(self) -> Path:
        """Another name of `workdir`."""
        return self.workdir

    @property
    def records_key(self) -> str:
        """What its records are known by."""
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
        """Run a shell command; with a session, where the shell of that name left off."""
        seconds = timeout or self.timeout
        if self._shells is not None:
            return self._shells.run(shell_name, cmd, seconds)
        return shell.run(cmd, str(self.workdir), seconds)

    def run_tests(self) -> TestResult:
        return read_summary(self.run_command(self.test_cmd))

    def checkpoint(self) -> str:
        """Keep the directory and return the checkpoint's id: "0", "1", ..."""
        with self.workspace() as workspace:
            kept = self._keep(workspace, "checkpoint")
            with self._ids(workspace).changing() as ledger:
                return str(ledger.add({"checkpoint": kept}) - 1)

    def restore(self, checkpoint_id: str) -> None:
        """Make the directory what a checkpoint holds; what was there is kept as a rescue."""
        with self.workspace() as workspace:
            require_whole(self._bring_back(workspace, self._found(workspace, checkpoint_id)))

    def clone(self) -> Self:
        """Return an environment beside this one that holds the same."""
        place = self.workdir.parent / f"chimera-clone-{uuid4().hex[:8]}"
        with self.workspace() as workspace:
            workspace.forks.create(self._keep(workspace, "before a clone"), str(place))
        return type(self)(place, self.test_cmd, self.timeout, self._use_session, store=self.store)

    def differs_from(self, checkpoint_id: str) -> bool:
        """Tell whether the directory is anything but what a checkpoint holds."""
        with self.workspace() as workspace:
            found = workspace.diff(self._found(workspace, checkpoint_id))
            return any(self._is_ours(change.path) for change in found.changes)

    def label(self, checkpoint_id: str, name: str, description: str) -> None:
        """Have `clew log` show what was said of a checkpoint."""
        with self.workspace() as workspace:
            reference = self._found(workspace, checkpoint_id)
            workspace.edit(reference, intent=name, description=description)

    def reference(self, checkpoint_id: str) -> str:
        """Return what clew calls a checkpoint: diff it, verify it, fork it, restore parts of it."""
        with self.workspace() as workspace:
            return self._found(workspace, checkpoint_id)

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Give the directory as clew sees it, with all its verbs."""
        require_harmless(str(self.workdir))
        with opened(str(self.workdir), self.store) as workspace:
            yield workspace

    # What a kind of environment does its own way

    def _found(self, workspace: Workspace, checkpoint_id: str) -> str:
        """Return clew's id of a checkpoint; nothing but an id that was given out is one."""
        if re.fullmatch("[0-9]{1,18}", checkpoint_id):
            entry = self._ids(workspace).read().entries.get(int(checkpoint_id) + 1)
            if entry is not None and is_there(workspace, entry["checkpoint"]):
                return str(entry["checkpoint"])
        raise ValueError(f"Checkpoint {checkpoint_id} not found")

    def _bring_back(self, workspace: Workspace, reference: str) -> RestoreResult:
        return workspace.restore(reference)

    def _is_ours(self, path: bytes) -> bool:
        return True

    def _keep(self, workspace: Workspace, intent: str) -> str:
        saved = workspace.save(intent, origin=Origin.HOOK)
        if saved.new_bytes > CHECKPOINT_SIZE_WARN_BYTES:
            text = f"This checkpoint took {saved.new_bytes:,} bytes: exclude what can be made again"
            warnings.warn(text, LargeCheckpointWarning, stacklevel=3)
        reference = saved.checkpoint.id.hex()
        workspace.edit(reference, pin=True)  # no prune knows of the id that we give out
        return reference

    def _ids(self, workspace: Workspace) -> Records:
        return Records(f"chimera.environment {workspace.info.text_id}", workspace.store_path)


def _chosen(workdir: StrPath | None, working_dir: StrPath | None) -> StrPath:
    if workdir is not None and working_dir is not None:
        raise TypeError("Either workdir or working_dir, not both")
    chosen = workdir if workdir is not None else working_dir
    if chosen is None:
        raise TypeError("An environment needs a workdir")
    return os.fspath(chosen)
