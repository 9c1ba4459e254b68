"""Going back, and back again: restore, undo, redo."""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import BadOption, NoInterruptedRestore
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase
from clew.verbs.confirm import Confirm
from clew.verbs.events import RESTORED, announced


class GoingBack(WorkspaceBase):
    """The verbs that change the workspace's directory."""

    def preview(
        self,
        ref: str,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview:
        """Say what a restore would do."""
        from clew.operations.restore.path_selection import require_paths, with_units
        from clew.operations.restore.preview import preview_restore

        _require_merge(favour, keep_mine, parts)
        chosen = [self._relative(path) for path in paths]
        with self._reading(monitor):
            target = self._resolve(ref, monitor)
            if keep_mine:
                from clew.operations.forks.merge import preview_merge
                from clew.operations.restore.keep_mine import keeping_mine

                request = keeping_mine(self._context, target, chosen, favour)
                return preview_merge(self._context, request, monitor or self.monitor)
            require_paths(self._context, target, chosen)
            within = with_units(self._context, target, chosen)
            return preview_restore(
                self._context, target, within, monitor or self.monitor, tuple(parts)
            )

    @announced(RESTORED)
    def restore(
        self,
        ref: str,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Make the workspace, or only `paths`, exactly what a checkpoint holds.

        Conversation and tasks of the attached session come along; `parts`, of "files",
        "conversation" and "tasks", chooses among them.
        With `keep_mine`, what was edited since *here* stays: it is merged into what the checkpoint
        holds.  `favour`, "ours" or "theirs", decides the conflicts of that merge.
        """
        from clew.operations.restore.path_selection import require_paths, with_units
        from clew.operations.restore.restore import RestoreOptions, restore

        monitor = monitor or self.monitor
        _require_merge(favour, keep_mine, parts)
        chosen = [self._relative(path) for path in paths]
        self._notice_other_directory(monitor)
        with self._overwriting(monitor):
            target = self._resolve(ref, monitor)
            if keep_mine:
                from clew.operations.forks.merge import merge
                from clew.operations.restore.keep_mine import keeping_mine

                request = keeping_mine(self._context, target, chosen, favour, confirm)
                return merge(self._context, request, monitor)
            require_paths(self._context, target, chosen)
            within = with_units(self._context, target, chosen)
            options = RestoreOptions(within=within, confirm=confirm, parts=tuple(parts))
            return restore(self._context, target, options, monitor)

    @announced(RESTORED)
    def undo(
        self, steps: int = 1, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Step back along the trail; unsaved work counts as a step and is rescued."""
        from clew.operations.restore.undo import undo

        monitor = monitor or self.monitor
        with self._overwriting(monitor):
            return undo(self._context, steps, confirm, monitor)

    @announced(RESTORED)
    def redo(
        self, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Step forward again after an undo."""
        from clew.operations.restore.undo import redo

        monitor = monitor or self.monitor
        with self._overwriting(monitor):
            return redo(self._context, confirm, monitor)

    @announced(RESTORED)
    def continue_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        """Finish a restore that was interrupted; what was changed since is left alone and listed."""
        from clew.operations.restore.resume import continue_restore

        monitor = monitor or self.monitor
        with self._resuming(monitor):
            return _required(continue_restore(self._context, monitor))

    @announced(RESTORED)
    def abort_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        """Take back a restore that was interrupted: the workspace is as it was before it began.

        What was changed since is left alone and listed.
        """
        from clew.operations.restore.resume import abort_restore

        monitor = monitor or self.monitor
        with self._resuming(monitor):
            return _required(abort_restore(self._context, monitor))


def _required(result: RestoreResult | None) -> RestoreResult:
    if result is None:  # given up long ago; only its stage was left
        raise NoInterruptedRestore
    return result


def _require_merge(favour: str | None, keep_mine: bool, parts: Sequence[str]) -> None:
    if keep_mine and parts:
        raise BadOption("--keep-mine", "merges files, and brings back nothing else")
    if favour is not None and not keep_mine:
        raise BadOption(
            f"--{favour}", "decides the conflicts of --keep-mine, and there are no others"
        )
