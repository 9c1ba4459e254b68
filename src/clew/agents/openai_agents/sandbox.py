"""Sandbox snapshots as checkpoints: one workspace per sandbox, one checkpoint per snapshot.

    client.create(snapshot=ClewSnapshotSpec(base_path=…))

The archive of a sandbox is unpacked into its own directory below `base_path` and saved, so
`clew log`, `diff` and `restore` work there, and snapshots are deduplicated.
A sandbox resumes from the current checkpoint of that workspace: the newest, or one that was restored.
It is read from the store, so the state of the directory does not matter.
"""

from __future__ import annotations

import asyncio
import io
import os
import tempfile
from pathlib import Path
from typing import IO, Literal, cast
from urllib.parse import quote

from agents.sandbox.errors import (
    SnapshotNotRestorableError,
    SnapshotPersistError,
    SnapshotRestoreError,
)
from agents.sandbox.session.dependencies import Dependencies
from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec

from clew import opening
from clew.errors import ClewError, NotAWorkspace
from clew.filenames import real_path
from clew.model.record import Origin
from clew.operations.history.archive import write_archive
from clew.workspace import Workspace
from clew.worktree.remove_tree import remove_tree
from clew.worktree.unpack import BadArchive, unpack

_SAVED = "sandbox snapshot"


class ClewSnapshot(SnapshotBase):
    """The snapshots of one sandbox."""

    type: Literal["clew"] = "clew"
    base_path: Path
    """The parent of the workspaces of sandboxes."""
    store: Path | None = None
    """The store; the user's default store if None."""

    @property
    def directory(self) -> Path:
        """The workspace of this sandbox."""
        return self.base_path.absolute() / f"sandbox-{quote(self.id, safe='')}"

    async def persist(self, data: io.IOBase, *, dependencies: Dependencies | None = None) -> None:
        """Save the content of the sandbox as a checkpoint."""
        try:
            await asyncio.to_thread(self._persist, cast("IO[bytes]", data))
        except (ClewError, OSError, BadArchive) as error:
            raise SnapshotPersistError(
                snapshot_id=self.id, path=self.directory, cause=error
            ) from error

    async def restore(self, *, dependencies: Dependencies | None = None) -> io.IOBase:
        """Return the archive to resume from."""
        try:
            return await asyncio.to_thread(self._restore)
        except NotAWorkspace as error:
            raise SnapshotNotRestorableError(snapshot_id=self.id, path=self.directory) from error
        except (ClewError, OSError) as error:
            raise SnapshotRestoreError(
                snapshot_id=self.id, path=self.directory, cause=error
            ) from error

    async def restorable(self, *, dependencies: Dependencies | None = None) -> bool:
        """Return whether there is a checkpoint to resume from."""
        return await asyncio.to_thread(self._is_restorable)

    def _persist(self, data: IO[bytes]) -> None:
        self.base_path.mkdir(parents=True, exist_ok=True)
        stage = tempfile.mkdtemp(prefix=".unpacking-", dir=self.base_path)
        try:
            unpack(data, os.fsencode(stage))
            self._put_in_place(stage)
        except BaseException:
            _remove(stage)
            raise
        workspace, _ = opening.init(self.directory, self.store)
        with workspace:
            workspace.save(_SAVED, skip_unchanged=True, origin=Origin.AUTOMATIC)

    def _put_in_place(self, stage: str) -> None:
        """Replace the directory of this sandbox by the unpacked one."""
        old = f"{stage}.old"
        if self.directory.exists():
            self.directory.rename(old)
        os.rename(stage, self.directory)
        _remove(old)

    def _restore(self) -> io.IOBase:
        with self._open() as workspace, workspace.reading_context() as context:
            here = context.here
            if here is None:
                raise NotAWorkspace(str(self.directory))
            file = tempfile.TemporaryFile()  # noqa: SIM115  the sandbox closes it
            try:
                write_archive(context, here, file)
                file.seek(0)
            except BaseException:
                file.close()
                raise
        return cast("io.IOBase", file)

    def _is_restorable(self) -> bool:
        try:
            with self._open() as workspace:
                return workspace.here() is not None
        except NotAWorkspace:
            return False

    def _open(self) -> Workspace:
        """Open the workspace of this sandbox, not one above it."""
        workspace = opening.open(self.directory, self.store)
        if workspace.info.path != real_path(os.fsencode(self.directory)):
            workspace.close()
            raise NotAWorkspace(str(self.directory))
        return workspace


class ClewSnapshotSpec(SnapshotSpec):
    """Where the snapshots of new sandboxes are stored."""

    type: Literal["clew"] = "clew"
    base_path: Path
    store: Path | None = None

    def build(self, snapshot_id: str) -> ClewSnapshot:
        """Return the snapshot object of a sandbox."""
        return ClewSnapshot(id=snapshot_id, base_path=self.base_path, store=self.store)


def _remove(path: str) -> None:
    if os.path.lexists(path):
        directory, name = os.path.split(os.fsencode(path))
        remove_tree(directory, name)
