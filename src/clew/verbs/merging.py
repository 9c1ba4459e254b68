"""Bringing lines of work together: adopt."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase
from clew.verbs.confirm import Confirm


class Merging(WorkspaceBase):
    """The verbs that take into the workspace what was done elsewhere."""

    def adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Take what a fork changed, all of it or only `paths`, into the live workspace.

        What only one side changed is taken, and text is merged by hunks.  Where there are conflicts
        nothing is changed, unless `favour`, "ours" or "theirs", decides them.
        """
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import merge

        monitor = monitor or self.monitor
        chosen = [self._relative(path) for path in paths]
        self._notice_other_directory(monitor)
        with self._overwriting(monitor):
            request = adopting(self._context, fork, chosen, favour, monitor)
            return merge(self._context, request._replace(confirm=confirm), monitor)

    def preview_adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview:
        """Say what adopting a fork would do, conflicts included."""
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import preview_merge

        monitor = monitor or self.monitor
        chosen = [self._relative(path) for path in paths]
        with self._reading(monitor):
            request = adopting(self._context, fork, chosen, favour, monitor)
            return preview_merge(self._context, request, monitor)
