"""Git environment: checkpoints of a repository's files that never change its history.

Nothing is committed, staged, checked out or cleaned in an existing repository.  Ignored files are
captured too; a restore does not change `.git` and Chimera's own state.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess

from clew.compat.chimera.local import LocalEnvironment
from clew.compat.chimera.workspaces import OWN_STATE
from clew.model.checkpoint import Checkpoint
from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from clew.worktree.interpreter import find_program

_GIT = ".git"
_SETTINGS = ("-c", "commit.gpgsign=false", "-c", f"core.hooksPath={os.devnull}")
"""The user's hooks, or a signing key that is missing, must not prevent the first commit."""
_STAGE = ".clew-"
"""Prefix of the stage of a concurrent restore, which removes it."""


class GitEnvironment(LocalEnvironment):
    """A `LocalEnvironment` that is a git repository."""

    def setup(self) -> None:
        """Create the directory, and if there is no repository, one with an initial commit."""
        super().setup()
        if not (self.workdir / _GIT).exists():
            self._create_repository()

    def checkpoint(self) -> str:
        """Save the files and return the checkpoint's id."""
        with self.workspace() as workspace:
            return self._save(workspace, "checkpoint")

    def _create_repository(self) -> None:
        """Create a repository as Chimera does: its own author, `.gitkeep`, and a commit of all files."""
        self._git("init", "--quiet")
        try:
            self._git("config", "user.email", "chimera@local")
            self._git("config", "user.name", "Chimera")
            (self.workdir / ".gitkeep").touch()
            self._git("add", "--", ".", *(f":(exclude,glob)**/{name}/**" for name in OWN_STATE))
            self._git("commit", "--quiet", "--allow-empty", "-m", "initial")
        except BaseException:
            shutil.rmtree(self.workdir / _GIT, ignore_errors=True)  # so that the next setup retries
            raise

    def _git(self, *words: str) -> None:
        git = find_program("git")
        if git is None:
            raise FileNotFoundError(errno.ENOENT, "git not found on the PATH")
        # GIT_DIR and the like, set by a hook or an alias, name another repository.
        variables = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            [git, *_SETTINGS, *words],
            cwd=self.workdir,
            env=variables,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip()
            raise RuntimeError(f"git {words[0]} failed: {reason}")

    def _ids_by_hand(self, workspace: Workspace, references: list[str]) -> dict[str, str]:
        return {one: one for one in references}

    def _find_copy(self, checkpoint_id: str) -> str | None:
        return None  # only a `LocalEnvironment` of Chimera writes them

    def _references(self, workspace: Workspace, checkpoint_ids: set[str]) -> dict[str, str]:
        return {one: one for one in checkpoint_ids if re.fullmatch("[0-9a-f]{64}", one)}

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
