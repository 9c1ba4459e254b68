"""Forking: several lines of work from one moment."""

from __future__ import annotations

from clew.model.fork_results import DiscardResult, ForkResult, ForkStanding
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase


class Forking(WorkspaceBase):
    """The verbs that grow other workspaces, and let them go."""

    def fork(
        self,
        ref: str,
        directory: str | None = None,
        *,
        name: str | None = None,
        conversation: bool = False,
        monitor: Monitor | None = None,
    ) -> ForkResult:
        """Grow a workspace from a checkpoint, in `directory` or in the store.

        With `conversation` an agent can go on in it: it has a session of its own, with
        conversation and tasks as they stood.
        """
        from clew.operations.forks.fork import fork
        from clew.store.backup import backup_if_due

        monitor = monitor or self.monitor
        self._store.require_writable()
        with self._reading(monitor):
            base = self._resolve(ref, monitor)
            result = fork(self._context, base, directory, name, monitor, conversation=conversation)
        backup_if_due(self._store)
        return result

    def forks(self) -> tuple[ForkStanding, ...]:
        """Return what grew from this workspace, newest first, and how far each has come."""
        from clew.operations.forks.directories import sweep_places
        from clew.operations.forks.list_forks import list_forks

        if self._store.writable:
            sweep_places(self._store)
        with self._reading():
            return tuple(list_forks(self._context))

    def discard(
        self, fork: str, *, files: bool = False, force: bool = False, monitor: Monitor | None = None
    ) -> DiscardResult:
        """Remove a fork and its history; one with changes only with `force`.

        Its directory goes too if it is in the store, or with `files`.
        """
        from clew.operations.forks.discard import discard_fork
        from clew.operations.forks.list_forks import find_fork

        monitor = monitor or self.monitor
        self._store.require_writable()
        self._finish_purge(monitor)
        found = find_fork(self._context, fork)
        return discard_fork(self._context, found, monitor, files=files, force=force)
