"""Forks, workspaces that were created from a checkpoint: `ws.forks`."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.model.sandbox_results import Comparison
from clew.monitor import Monitor
from clew.operations.access import Access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.workspace.workspace import Confirm


class Forks:
    """Creates, lists, compares, adopts and discards forks."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def create(
        self,
        ref: str,
        directory: str | None = None,
        *,
        name: str | None = None,
        conversation: bool = False,
        monitor: Monitor | None = None,
    ) -> ForkResult:
        """Create a workspace from a checkpoint, in `directory` or in the store.

        With `conversation` it has a session of its own, with the conversation and tasks of the
        checkpoint, so that an agent can continue in it.
        """
        from clew.operations.forks.fork import fork
        from clew.store.backup import backup_if_due

        monitor = monitor or self._access.monitor
        self._access.store.require_writable()
        with self._access.reading(monitor) as context:
            base = self._access.resolve(ref, monitor)
            result = fork(context, base, directory, name, monitor, conversation=conversation)
        backup_if_due(self._access.store)
        return result

    def list(self) -> tuple[ForkStatus, ...]:
        """Return the forks of this workspace, newest first, each with its progress."""
        from clew.operations.forks.directories import sweep_directories
        from clew.operations.forks.list_forks import list_forks

        if self._access.store.writable:
            sweep_directories(self._access.store)
        with self._access.reading() as context:
            return tuple(list_forks(context))

    def compare(self, refs: Sequence[str], *, monitor: Monitor | None = None) -> Comparison:
        """Compare forks or checkpoints, each described from their common ancestor."""
        from clew.operations.forks.compare import compare_states
        from clew.operations.forks.references import resolve_state

        monitor = monitor or self._access.monitor
        asked = [resolve_state(self._access.context, ref, monitor) for ref in refs]
        with self._access.reading(monitor) as context:
            return compare_states(context, asked, monitor)

    def adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Merge what a fork changed, all of it or only `paths`, into the live workspace.

        Text is merged by hunks.  With conflicts nothing is changed, unless `favour`, "ours" or
        "theirs", resolves them.
        """
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import merge

        monitor = monitor or self._access.monitor
        chosen = [self._access.relative(path) for path in paths]
        self._access.notice_other_directory(monitor)
        with self._access.overwriting(monitor) as context:
            request = adopting(context, fork, chosen, favour, monitor)
            return merge(context, request._replace(confirm=confirm), monitor)

    def preview_adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview:
        """Return what adopting a fork would do, conflicts included."""
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import preview_merge

        monitor = monitor or self._access.monitor
        chosen = [self._access.relative(path) for path in paths]
        with self._access.reading(monitor) as context:
            request = adopting(context, fork, chosen, favour, monitor)
            return preview_merge(context, request, monitor)

    def discard(
        self, fork: str, *, files: bool = False, force: bool = False, monitor: Monitor | None = None
    ) -> DiscardResult:
        """Delete a fork and its history; one with changes only with `force`.

        Its directory is deleted too if it is in the store, or with `files`.
        """
        from clew.operations.forks.discard import discard_fork
        from clew.operations.forks.list_forks import find_fork

        monitor = monitor or self._access.monitor
        self._access.store.require_writable()
        self._access.finish_purge(monitor)
        found = find_fork(self._access.context, fork)
        return discard_fork(self._access.context, found, monitor, files=files, force=force)
