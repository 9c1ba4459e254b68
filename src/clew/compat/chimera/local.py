"""Local environment: a directory whose checkpoints are clew checkpoints.

Everything is captured: links, modes, empty directories, ignored files.  A restore saves a rescue
checkpoint first, verifies what it will write, and does not change what no checkpoint covers.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from uuid import uuid4

from clew.compat.chimera import plain_copies, shell
from clew.compat.chimera.checkpoints import CheckpointInfo
from clew.compat.chimera.environment import Environment
from clew.compat.chimera.ghost_files import is_covered
from clew.compat.chimera.results import CommandResult, TestResult, read_summary
from clew.compat.chimera.retention import retained
from clew.compat.chimera.workspaces import (
    OWN_STATE,
    Records,
    has_checkpoint,
    opened,
    require_allowed,
    require_complete,
)
from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.restore_results import RestoreResult
from clew.places import StrPath
from clew.store.ledgers import Entry
from clew.workspace import Workspace

CHECKPOINT_SIZE_WARN_BYTES = 256 << 20
"""Read at every checkpoint, so that it can be set."""


class LargeCheckpointWarning(UserWarning):
    """A checkpoint added more than `CHECKPOINT_SIZE_WARN_BYTES` to the store."""


class LocalEnvironment(Environment):
    """A local directory with files, commands and checkpoints."""

    size_warn_bytes: int | None = None
    """Another limit than `CHECKPOINT_SIZE_WARN_BYTES`."""

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
        full = self._inside(path)
        if not full.exists():
            raise FileNotFoundError(f"File not found: {path}")
        with full.open(encoding="utf-8", newline="") as file:
            return file.read()

    def write_file(self, path: str, content: str) -> None:
        full = self._inside(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        with full.open("w", encoding="utf-8", newline="") as file:
            file.write(content)

    def list_files(self, pattern: str = "**/*") -> list[str]:
        """Return the files that a pattern matches, sorted, without Chimera's own state."""
        found = (path for path in self.workdir.glob(pattern) if path.is_file())
        inside = (path.relative_to(self.workdir) for path in found if self._contains(path))
        return sorted(str(path) for path in inside if not set(path.parts) & set(OWN_STATE))

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
        """Save the directory and return the checkpoint's id: "0", "1", ...

        An id of a checkpoint that Chimera wrote is not issued.
        """
        with self.workspace() as workspace:
            saved_id = self._save(workspace, "checkpoint")
            issued = self._issue_id(workspace, {"checkpoint": saved_id})
            self._apply_retention(workspace)
            return issued

    def restore(self, checkpoint_id: str) -> None:
        """Restore a checkpoint; the current state is saved as a rescue checkpoint."""
        with self.workspace() as workspace:
            try:
                reference = self._resolve_id(workspace, checkpoint_id)
            except ValueError:
                copy = self._find_copy(checkpoint_id)
                if copy is None:
                    raise
                self._restore_copy(workspace, checkpoint_id, copy)
            else:
                require_complete(self._restore_files(workspace, reference))

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

    def saved_by_hand(self) -> list[CheckpointInfo]:
        """Return the checkpoints that a user saved with a name or an intent, oldest first."""
        with self.workspace() as workspace:
            with workspace.reading_context() as context:
                timeline = list(context.store.checkpoints.newest_first(workspace.info.uuid))
            found = [one for one in reversed(timeline) if _title_by_hand(one)]
            ids = self._ids_by_hand(workspace, [one.id.hex() for one in found])
        return [
            CheckpointInfo(
                ids[one.id.hex()], _title_by_hand(one), one.record.time_ns / 1e9,
                one.labels.description,
            )
            for one in found
        ]  # fmt: skip

    def existing(self, checkpoint_ids: set[str]) -> set[str]:
        """Return those of some ids whose checkpoint was not deleted."""
        with self.workspace() as workspace:
            references = self._references(workspace, checkpoint_ids)
            with workspace.reading_context() as context:
                timeline = context.store.checkpoints.newest_first(workspace.info.uuid)
                present = {found.id.hex() for found in timeline}
        return {one for one, reference in references.items() if reference in present}

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

    def _resolve_id(self, workspace: Workspace, checkpoint_id: str) -> str:
        """Return clew's id of a checkpoint; only ids that we issued are valid."""
        reference = self._references(workspace, {checkpoint_id}).get(checkpoint_id)
        if reference is None or not has_checkpoint(workspace, reference):
            raise ValueError(f"Checkpoint {checkpoint_id} not found")
        return reference

    # Overridden by other environments

    def _references(self, workspace: Workspace, checkpoint_ids: set[str]) -> dict[str, str]:
        """Return clew's ids of those ids that were issued; their checkpoints may be deleted."""
        entries = self._ids(workspace).read().entries
        issued = {str(number - 1): str(entry["checkpoint"]) for number, entry in entries.items()}
        return {one: issued[one] for one in checkpoint_ids if one in issued}

    def _restore_files(self, workspace: Workspace, reference: str) -> RestoreResult:
        return workspace.restore(reference)

    def _is_captured(self, path: bytes) -> bool:
        return True

    def _ids_by_hand(self, workspace: Workspace, references: list[str]) -> dict[str, str]:
        """Return an id for each checkpoint, issued if it has none."""
        entries = self._ids(workspace).read().entries
        known = {entry["checkpoint"]: str(number - 1) for number, entry in entries.items()}
        return {
            one: known.get(one) or self._issue_id(workspace, {"checkpoint": one, "by_hand": True})
            for one in references
        }

    def _find_copy(self, checkpoint_id: str) -> str | None:
        """Return the plain copy that Chimera wrote for an id, or None."""
        return plain_copies.find(str(self.workdir), checkpoint_id)

    def _restore_copy(self, workspace: Workspace, checkpoint_id: str, copy: str) -> None:
        """Restore a plain copy; if that fails, restore the current state."""
        title = f"Chimera's checkpoint {checkpoint_id}"
        rescue = workspace.save(f"before {title}", origin=Origin.RESCUE).checkpoint.id.hex()

        def may_change(path: str) -> bool:
            return is_covered(workspace, rescue, path, exists=True)

        try:
            plain_copies.restore(copy, str(self.workdir), may_change)
        except BaseException:
            workspace.restore(rescue)
            raise
        workspace.save(title, origin=Origin.HOOK)

    def _inside(self, path: str) -> Path:
        """Return the full path; raise PermissionError, as Chimera does, if it is outside."""
        full = (self.workdir / path).resolve()
        if not full.is_relative_to(self.workdir):
            raise PermissionError(f"Path escapes workdir: {path}")
        return full

    def _contains(self, path: Path) -> bool:
        return ".." not in path.parts and path.is_relative_to(self.workdir)

    def _save(self, workspace: Workspace, intent: str) -> str:
        saved = workspace.save(intent, origin=Origin.HOOK)
        limit = CHECKPOINT_SIZE_WARN_BYTES if self.size_warn_bytes is None else self.size_warn_bytes
        if saved.new_bytes > limit:
            text = (
                f"Large checkpoint ({saved.new_bytes:,} bytes): exclude files that can be regenerated,"
                " or set `retain` in `[storage.checkpoints]`"
            )
            warnings.warn(text, LargeCheckpointWarning, stacklevel=3)
        reference = saved.checkpoint.id.hex()
        workspace.edit(reference, pin=True)  # the caller holds its id, so it must not be pruned
        return reference

    def _issue_id(self, workspace: Workspace, entry: Entry) -> str:
        with self._ids(workspace).changing() as ledger:
            taken = plain_copies.highest_id(str(self.workdir)) + 1
            ledger.state["last"] = max(int(ledger.state.get("last", 0)), taken)
            return str(ledger.add(entry) - 1)

    def _apply_retention(self, workspace: Workspace) -> None:
        """Withdraw the oldest ids above Chimera's `retain`; their checkpoints may then be pruned."""
        limit = retained(str(self.workdir))
        if limit is None:
            return
        with self._ids(workspace).changing() as ledger:
            ours = [number for number, entry in ledger.entries.items() if not entry.get("by_hand")]
            stale = [ledger.entries.pop(number)["checkpoint"] for number in ours[:-limit]]
        for reference in stale:
            with suppress(ClewError):  # it may have been deleted by hand
                workspace.edit(reference, pin=False)

    def _ids(self, workspace: Workspace) -> Records:
        return Records(f"chimera.environment {workspace.info.text_id}", workspace.store.path)


def _title_by_hand(checkpoint: Checkpoint) -> str:
    """Return what a user called a checkpoint; empty if nothing, or if clew chose the words."""
    labels = checkpoint.labels
    if checkpoint.record.origin != Origin.MANUAL:
        return ""
    if labels.named:
        return labels.name
    return "" if labels.is_intent_from_git else labels.intent


def _directory_argument(workdir: StrPath | None, working_dir: StrPath | None) -> StrPath:
    if workdir is not None and working_dir is not None:
        raise TypeError("Pass either workdir or working_dir, not both")
    chosen = workdir if workdir is not None else working_dir
    if chosen is None:
        raise TypeError("Missing argument: workdir")
    return os.fspath(chosen)
