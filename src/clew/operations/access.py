"""Access to an open workspace: its locks, and the work left over that must come first.

Every lock is taken here.  Before it is taken, a purge that was cut short is finished; after it is
taken, spooled verdicts are written.  A restore that was interrupted is reported to readers and
continued for writers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from clew.errors import ClewError, RestoreInterrupted, RestorePending, UnknownReference
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.ids import short
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.find_workspace import relative_path
from clew.operations.host import REAL, Host
from clew.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.model.restore_results import InterruptedRestore, RestoreResult


class Access:
    """One open workspace; every command reaches its operations through one of these."""

    def __init__(self, store: Store, info: WorkspaceInfo, host: Host = REAL) -> None:
        self.store = store
        self.context = Context(store, info, host)
        self.monitor = Monitor()
        """Receives the notices of calls that pass no monitor of their own."""
        self.paths_from: bytes | None = None
        """The directory that relative paths start from; None is the current one."""
        self.continued_restore: RestoreResult | None = None
        """The result of an interrupted restore that had to be continued first."""
        self.on_restored: Callable[[RestoreResult], None] = lambda _: None
        """Called when an interrupted restore was continued."""
        self._has_noticed = False

    @property
    def info(self) -> WorkspaceInfo:
        return self.context.info

    # References and paths

    def resolve(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        """Return the checkpoint that a reference names."""
        from clew.operations.history.references import resolve

        return resolve(self.context, ref, monitor or self.monitor)

    def look_up(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        """Return the checkpoint that a reference names; for readers, also the newest of a fork."""
        try:
            return self.resolve(ref, monitor)
        except UnknownReference as unknown:
            from clew.operations.forks.references import newest_of_fork

            try:
                return newest_of_fork(self.context, ref)
            except UnknownReference:
                raise unknown from None  # it names the rule by which a checkpoint was removed

    def session_id(self, ref: str | None) -> bytes | None:
        """Return the id of a session that is named; empty for `none`."""
        if ref is None:
            return None
        from clew.operations.sessions.sessions import session_id

        return session_id(self.context, ref)

    def relative(self, path: str) -> bytes:
        """Return a path relative to the root of the workspace."""
        return relative_path(self.info, path, self.paths_from)

    def notice_other_directory(self, monitor: Monitor) -> None:
        """Report that the directory at the workspace's path is not the one it was bound to."""
        try:
            inode = os.stat(self.info.path).st_ino
        except OSError:
            return
        if inode != self.info.inode:
            if self.context.here is not None:
                monitor.notice("The workspace directory was replaced since the last save")
            self.store.workspaces.bind(self.info.uuid, self.info.path, inode)
            self.context.info = self.info._replace(inode=inode)

    # Locks

    @contextmanager
    def reading(self, monitor: Monitor | None = None) -> Iterator[Context]:
        """Hold the store shared: nothing that is read is removed meanwhile."""
        monitor = monitor or self.monitor
        self.finish_purge(monitor)
        self.notice_interrupted(monitor)
        with self.store.locks.shared(monitor):
            self._write_spooled()
            yield self.context

    @contextmanager
    def writing(self, monitor: Monitor | None = None) -> Iterator[Context]:
        """Hold the workspace too: no other process saves or restores it meanwhile."""
        monitor = monitor or self.monitor
        self.store.require_writable()
        self.finish_purge(monitor)
        with (
            self.store.locks.workspace(self.info.uuid, monitor),
            self.store.locks.shared(monitor),
        ):
            self._write_spooled()
            yield self.context

    @contextmanager
    def capturing(self, monitor: Monitor) -> Iterator[Context]:
        """Hold the workspace for a person's save; an interrupted restore is continued first.

        Where that fails, the workspace is saved as it is.
        """
        with self.writing(monitor) as context:
            if self.store.journal.unfinished(self.info.uuid) is not None:
                try:
                    self._continue_restore(monitor)
                except RestorePending as error:
                    monitor.notice(f"{error}; saving the current state")
            yield context

    @contextmanager
    def overwriting(self, monitor: Monitor) -> Iterator[Context]:
        """Hold the workspace for a restore; an interrupted one is continued first.

        A Ctrl-C then reports the state of the workspace.
        """
        with self._reporting_state(), self.writing(monitor) as context:
            if self.store.journal.unfinished(self.info.uuid) is not None:
                self._continue_restore(monitor)
            yield context
        self._start_stories()

    @contextmanager
    def resuming(self, monitor: Monitor) -> Iterator[Context]:
        """Hold the workspace to continue or abort an interrupted restore."""
        with self._reporting_state(), self.writing(monitor) as context:
            yield context
        self._start_stories()

    def _start_stories(self) -> None:
        """Have the checkpoints described that a restore has made."""
        from clew.operations.history.background_stories import start_background_stories

        start_background_stories(self.context, if_missing=True)

    @contextmanager
    def _reporting_state(self) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt as error:
            raise RestoreInterrupted(self.interrupted_restore()) from error

    # Work left over

    def interrupted_restore(self) -> InterruptedRestore | None:
        """Return what is known of a restore that was interrupted; None if there is none."""
        if self.store.journal.unfinished(self.info.uuid) is None:
            return None
        from clew.operations.restore.resume import interrupted_restore

        return interrupted_restore(self.context)

    def notice_interrupted(self, monitor: Monitor) -> None:
        """Report an interrupted restore, once; a reader does not continue it."""
        if self._has_noticed or self.store.journal.unfinished(self.info.uuid) is None:
            return
        pending = self.interrupted_restore()
        if pending is None:
            return
        self._has_noticed = True
        state = "some files have changed" if pending.has_moved else "no file has changed yet"
        monitor.notice(f"The restore to {_target_title(pending)} was interrupted: {state}")
        monitor.notice(
            "Finish it with `clew restore --continue`, or undo it with `clew restore --abort`"
        )

    def finish_purge(self, monitor: Monitor) -> None:
        """Finish a purge that was cut short, before any lock is taken.

        Where that fails, saving and reading must still be possible.
        """
        if not (self.store.writable and self.store.is_purge_unfinished):
            return
        from clew.operations.maintenance.purge import finish_purge

        try:
            with self.store.locks.purging_if_free() as is_free:
                if not is_free or not self.store.is_purge_unfinished:
                    return  # another process finishes it, or has
                purged = finish_purge(self.store, monitor)
        except (ClewError, OSError) as error:
            monitor.notice(f"Cannot finish the interrupted purge yet: {error}")
            return
        monitor.notice("Finished an interrupted purge")
        for sentence in purged.remaining:
            monitor.notice(f"Not removed: {sentence}")

    def _continue_restore(self, monitor: Monitor) -> None:
        from clew.operations.restore.resume import continue_restore, interrupted_restore

        pending = interrupted_restore(self.context)
        if pending is not None:
            monitor.notice(f"Continuing the interrupted restore to {_target_title(pending)} first")
        target = pending.target if pending is not None else None
        try:
            self.continued_restore = continue_restore(self.context, monitor)
        except (ClewError, OSError) as error:
            raise RestorePending(target.id if target is not None else b"", str(error)) from error
        if self.continued_restore is not None:
            self.on_restored(self.continued_restore)

    def _write_spooled(self) -> None:
        """Write the verdicts that an earlier command could not."""
        if self.store.writable and self.store.spool.is_waiting:
            from clew.operations.sandbox.verdicts import write_spooled

            write_spooled(self.context)


def _target_title(pending: InterruptedRestore) -> str:
    target = pending.target
    if target is None:
        return "a checkpoint"
    intent = target.labels.intent
    return f"{short(target.id)} ({intent})" if intent else short(target.id)
