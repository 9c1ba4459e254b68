"""A git repository: checkpoints of its files that never touch its history.

Nothing is committed, staged, checked out or cleaned.  What git ignores is kept too; only the
repository itself, `.git`, and Chimera's own state are left as they are by a restore.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess

from clew.compat.chimera.local import LocalEnvironment
from clew.compat.chimera.places import OWN_STATE, is_there
from clew.model.checkpoint import Checkpoint
from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from clew.worktree.interpreter import find_program

_GIT = ".git"
_STAGE = ".clew-"
"""What another restore that is at work has put there, and will take away."""


class GitEnvironment(LocalEnvironment):
    """A `LocalEnvironment` that is a git repository."""

    def setup(self) -> None:
        """Make the directory, and a repository in it where there is none; nothing is committed."""
        super().setup()
        if not (self.workdir / _GIT).exists():
            git = find_program("git")
            if git is None:
                raise FileNotFoundError(errno.ENOENT, "No git on the PATH")
            command = [git, "init", "--quiet", str(self.workdir)]
            subprocess.run(command, check=True, capture_output=True)

    def checkpoint(self) -> str:
        """Keep the files and return the checkpoint's id."""
        with self.workspace() as workspace:
            return self._keep(workspace, "checkpoint")

    def _found(self, workspace: Workspace, checkpoint_id: str) -> str:
        if re.fullmatch("[0-9a-f]{64}", checkpoint_id) and is_there(workspace, checkpoint_id):
            return checkpoint_id
        raise ValueError(f"Checkpoint {checkpoint_id} not found")

    def _bring_back(self, workspace: Workspace, reference: str) -> RestoreResult:
        then = {os.fsdecode(entry.name) for entry in workspace.ls(reference).entries}
        names = (then | _names(self.workdir)) - {_GIT, *OWN_STATE}
        if not names:  # no path at all would mean every path
            return _nothing_done(workspace.resolve(reference))
        return workspace.restore(reference, paths=[str(self.workdir / name) for name in names])

    def _is_ours(self, path: bytes) -> bool:
        return path.split(b"/")[0] != os.fsencode(_GIT)


def _names(directory: os.PathLike[str]) -> set[str]:
    try:
        return {name for name in os.listdir(directory) if not name.startswith(_STAGE)}
    except FileNotFoundError:
        return set()


def _nothing_done(here: Checkpoint) -> RestoreResult:
    return RestoreResult(here, None, here, 0, 0, 0, 0, verified=True)
