"""Git environment: checkpoints of a repository's files that never change its history.

Nothing is committed, staged, checked out or cleaned.  Ignored files are captured too; a restore does
not change `.git` and Chimera's own state.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess

from clew.compat.chimera.local import LocalEnvironment
from clew.compat.chimera.workspaces import OWN_STATE, has_checkpoint
from clew.model.checkpoint import Checkpoint
from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from clew.worktree.interpreter import find_program

_GIT = ".git"
_STAGE = ".clew-"
"""Prefix of the stage of a concurrent restore, which removes it."""


class GitEnvironment(LocalEnvironment):
    """A `LocalEnvironment` that is a git repository."""

    def setup(self) -> None:
        """Create the directory, and a repository if there is none, without a commit."""
        super().setup()
        if not (self.workdir / _GIT).exists():
            git = find_program("git")
            if git is None:
                raise FileNotFoundError(errno.ENOENT, "git not found on the PATH")
            command = [git, "init", "--quiet", str(self.workdir)]
            subprocess.run(command, check=True, capture_output=True)

    def checkpoint(self) -> str:
        """Save the files and return the checkpoint's id."""
        with self.workspace() as workspace:
            return self._save(workspace, "checkpoint")

    def _resolve_id(self, workspace: Workspace, checkpoint_id: str) -> str:
        if re.fullmatch("[0-9a-f]{64}", checkpoint_id) and has_checkpoint(workspace, checkpoint_id):
            return checkpoint_id
        raise ValueError(f"Checkpoint {checkpoint_id} not found")

    def _restore_files(self, workspace: Workspace, reference: str) -> RestoreResult:
        then = {os.fsdecode(entry.name) for entry in workspace.ls(reference).entries}
        names = (then | _names(self.workdir)) - {_GIT, *OWN_STATE}
        if not names:  # an empty list would select every path
            return _nothing_done(workspace.resolve(reference))
        return workspace.restore(reference, paths=[str(self.workdir / name) for name in names])

    def _is_captured(self, path: bytes) -> bool:
        return path.split(b"/")[0] != os.fsencode(_GIT)


def _names(directory: os.PathLike[str]) -> set[str]:
    try:
        return {name for name in os.listdir(directory) if not name.startswith(_STAGE)}
    except FileNotFoundError:
        return set()


def _nothing_done(here: Checkpoint) -> RestoreResult:
    return RestoreResult(here, None, here, 0, 0, 0, 0, verified=True)
