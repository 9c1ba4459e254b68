"""What every verb of a workspace needs: the open store, the locks, and words made into checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from clew.errors import ClewError, UnknownReference
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.find import relative_path
from clew.store.store import Store
from clew.verbs.events import Handler, Listeners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class WorkspaceBase:
    """A directory tree in an open store."""

    def __init__(self, store: Store, info: WorkspaceInfo, *, is_new: bool = False) -> None:
        self._store = store
        self._context = Context(store, info)
        self.is_new = is_new
        """Whether opening it made it a workspace."""
        self.listeners = Listeners()
        """Who is told what the verbs have done; see `on`."""
        self.paths_from: bytes | None = None
        """The directory that relative paths start from; None is the current one."""

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Have `handler` called after each `event`, and return what stops that.

        Events are `saved`, `restored`, `pruned`, `verified`, each with the verb's result, and
        `error` with what was refused.
        """
        return self.listeners.add(event, handler)

    @property
    def info(self) -> WorkspaceInfo:
        """Where it is, and what the store calls it."""
        return self._context.info

    @property
    def store_path(self) -> str:
        """The directory that keeps its history."""
        return self._store.layout.root

    def here(self) -> Checkpoint | None:
        """Return the checkpoint last saved or restored, without its story; None before the first."""
        return self._context.here

    def close(self) -> None:
        """Let go of the store; the workspace cannot be used any more."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Behind the verbs

    def _resolve(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        from clew.operations.resolve import resolve

        return resolve(self._context, ref, monitor or Monitor())

    def _look_up(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        """Return what a reference means where nothing is changed: then a fork's newest will do too."""
        try:
            return self._resolve(ref, monitor)
        except UnknownReference:
            from clew.operations.moments import newest_of_fork

            return newest_of_fork(self._context, ref)

    def _relative(self, path: str) -> bytes:
        return relative_path(self.info, path, self.paths_from)

    def _notice_other_directory(self, monitor: Monitor) -> None:
        """Say so when the directory at the workspace's path is not the one it was bound to."""
        try:
            inode = os.stat(self.info.path).st_ino
        except OSError:
            return
        if inode != self.info.inode:
            if self._context.here is not None:
                monitor.notice("This directory was replaced since it was last saved")
            self._store.workspaces.bind(self.info.uuid, self.info.path, inode)
            self._context.info = self.info._replace(inode=inode)

    @contextmanager
    def _reading(self, monitor: Monitor | None = None) -> Iterator[None]:
        monitor = monitor or Monitor()
        self._finish_purge(monitor)
        if self._store.writable and self._store.journal.unfinished(self.info.uuid) is not None:
            try:
                with self._locked(monitor):
                    pass
            except (ClewError, OSError) as error:  # looking must be possible all the same
                monitor.notice(f"A restore that was cut short cannot be finished yet: {error}")
        with self._store.locks.shared(monitor):
            self._write_spooled()
            yield

    @contextmanager
    def _locked(self, monitor: Monitor) -> Iterator[None]:
        """Hold the workspace, with whatever was cut short finished first."""
        self._store.require_writable()
        self._finish_purge(monitor)
        with (
            self._store.locks.workspace(self.info.uuid, monitor),
            self._store.locks.shared(monitor),
        ):
            unfinished = self._store.journal.unfinished(self.info.uuid)
            if unfinished is not None:
                from clew.operations.finish import finish_restore

                finish_restore(self._context, unfinished, monitor)
            self._write_spooled()
            yield

    def _write_spooled(self) -> None:
        """Write down what an earlier command learned and could not keep."""
        if self._store.writable and self._store.spool.is_waiting:
            from clew.operations.verdicts import write_spooled

            write_spooled(self._context)

    def _finish_purge(self, monitor: Monitor) -> None:
        """Remove the bytes of a purge that was cut short, before anybody holds a lock."""
        if self._store.writable and self._store.is_purge_unfinished:
            from clew.store.purge import finish_purge

            finish_purge(self._store, monitor)
