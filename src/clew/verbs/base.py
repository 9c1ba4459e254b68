"""What every verb of a workspace needs: the open store, the locks, and words made into checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from clew.errors import ClewError, RestoreInterrupted, RestorePending, UnknownReference
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.ids import short
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.find_workspace import relative_path
from clew.store.store import Store
from clew.verbs.events import RESTORED, Handler, Listeners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from clew.model.restore_results import InterruptedRestore, RestoreResult


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
        self.monitor = Monitor()
        """Told what a verb without a monitor of its own has to say."""
        self.continued_restore: RestoreResult | None = None
        """The result of an interrupted restore that a verb had to continue before its own work."""
        self._has_noticed = False

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
        from clew.operations.history.references import resolve

        return resolve(self._context, ref, monitor or self.monitor)

    def _look_up(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        """Return what a reference means where nothing is changed: then a fork's newest will do too."""
        try:
            return self._resolve(ref, monitor)
        except UnknownReference as unknown:
            from clew.operations.forks.references import newest_of_fork

            try:
                return newest_of_fork(self._context, ref)
            except UnknownReference:
                raise unknown from None  # which says more, if it was there once

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

    def interrupted_restore(self) -> InterruptedRestore | None:
        """Return what is known of a restore that was interrupted; None if there is none."""
        if self._store.journal.unfinished(self.info.uuid) is None:
            return None
        from clew.operations.restore.resume import interrupted_restore

        return interrupted_restore(self._context)

    @contextmanager
    def _reading(self, monitor: Monitor | None = None) -> Iterator[None]:
        monitor = monitor or self.monitor
        self._finish_purge(monitor)
        self._notice_interrupted(monitor)
        with self._store.locks.shared(monitor):
            self._write_spooled()
            yield

    @contextmanager
    def _locked(self, monitor: Monitor | None = None) -> Iterator[None]:
        """Hold the workspace, which no interrupted restore has left half done."""
        monitor = monitor or self.monitor
        with self._holding(monitor):
            if self._store.journal.unfinished(self.info.uuid) is not None:
                self._continue_restore(monitor)
            yield

    @contextmanager
    def _overwriting(self, monitor: Monitor) -> Iterator[None]:
        """Hold the workspace for a restore; a Ctrl-C then says how far it came."""
        with self._saying_state(), self._locked(monitor):
            yield

    @contextmanager
    def _resuming(self, monitor: Monitor) -> Iterator[None]:
        """The same for what continues or aborts an interrupted restore."""
        with self._saying_state(), self._holding(monitor):
            yield

    @contextmanager
    def _saying_state(self) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt as error:
            raise RestoreInterrupted(self.interrupted_restore()) from error

    @contextmanager
    def _capturing(self, monitor: Monitor | None = None) -> Iterator[None]:
        """Hold the workspace as it is: if an interrupted restore cannot go on, that is a notice."""
        monitor = monitor or self.monitor
        with self._holding(monitor):
            if self._store.journal.unfinished(self.info.uuid) is not None:
                try:
                    self._continue_restore(monitor)
                except RestorePending as error:
                    monitor.notice(f"{error}. The workspace is saved as it is")
            yield

    @contextmanager
    def _holding(self, monitor: Monitor) -> Iterator[None]:
        self._store.require_writable()
        self._finish_purge(monitor)
        with (
            self._store.locks.workspace(self.info.uuid, monitor),
            self._store.locks.shared(monitor),
        ):
            self._write_spooled()
            yield

    def _continue_restore(self, monitor: Monitor) -> None:
        """Continue an interrupted restore, and keep the result for whoever asks."""
        from clew.operations.restore.resume import continue_restore, interrupted_restore

        pending = interrupted_restore(self._context)
        if pending is not None:
            monitor.notice(f"Continuing the interrupted restore to {_called(pending)} first")
        target = pending.target if pending is not None else None
        try:
            self.continued_restore = continue_restore(self._context, monitor)
        except (ClewError, OSError) as error:
            raise RestorePending(target.id if target is not None else b"", str(error)) from error
        if self.continued_restore is not None:
            self.listeners.tell(RESTORED, self.continued_restore)

    def _notice_interrupted(self, monitor: Monitor) -> None:
        """Say once that a restore is half done; looking does not carry it out."""
        if self._has_noticed or self._store.journal.unfinished(self.info.uuid) is None:
            return
        pending = self.interrupted_restore()
        if pending is None:
            return
        self._has_noticed = True
        state = (
            "part of the workspace is changed" if pending.has_moved else "nothing is changed yet"
        )
        monitor.notice(f"The restore to {_called(pending)} was interrupted: {state}")
        monitor.notice(
            "Finish it with `clew restore --continue`, or go back with `clew restore --abort`"
        )

    def _write_spooled(self) -> None:
        """Write down what an earlier command learned and could not keep."""
        if self._store.writable and self._store.spool.is_waiting:
            from clew.operations.sandbox.verdicts import write_spooled

            write_spooled(self._context)

    def _finish_purge(self, monitor: Monitor) -> None:
        """Remove the bytes of a purge that was cut short, before anybody holds a lock.

        Where that fails, saving and looking must be possible all the same.
        """
        if not (self._store.writable and self._store.is_purge_unfinished):
            return
        from clew.operations.maintenance.purge import finish_purge

        try:
            with self._store.locks.purging_if_free() as is_free:
                if not is_free or not self._store.is_purge_unfinished:
                    return  # another process is at it, or was
                purged = finish_purge(self._store, monitor)
        except (ClewError, OSError) as error:
            monitor.notice(f"A purge that was cut short cannot be finished yet: {error}")
            return
        monitor.notice("Finished a purge that was cut short")
        for sentence in purged.remaining:
            monitor.notice(f"Not removed: {sentence}")


def _called(pending: InterruptedRestore | None) -> str:
    """Return what to call the target of an interrupted restore."""
    target = pending.target if pending is not None else None
    if target is None:
        return "a checkpoint"
    intent = target.labels.intent
    return f"{short(target.id)} ({intent})" if intent else short(target.id)
