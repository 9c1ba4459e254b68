"""The store of a workspace, which other workspaces may share: `ws.store`."""

from __future__ import annotations

from clew.model.results import CheckResult, GcResult, Stats
from clew.monitor import Monitor
from clew.operations.access import Access


class WorkspaceStore:
    """Path, size, garbage collection and integrity of the store."""

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def path(self) -> str:
        """The directory of the store."""
        return self._access.store.layout.root

    def stats(self) -> Stats:
        """Return the size of the store and of the workspace's history."""
        from clew.operations.history.stats import stats

        return stats(self._access.context)

    def warnings(self) -> list[str]:
        """Return warnings about the size of the store and free disk space, usually none."""
        from clew.operations.save.budget_warning import budget_warning
        from clew.operations.save.min_free import min_free_warning

        with self._access.reading() as context:
            found = (budget_warning(context), min_free_warning(context))
        return [warning for warning in found if warning is not None]

    def gc(self, *, purge: bool = False, monitor: Monitor | None = None) -> GcResult:
        """Free the space of objects that no checkpoint needs; `purge` also erases their bytes."""
        from clew.operations.maintenance.gc import collect

        self._access.store.require_writable()
        return collect(self._access.context, monitor or self._access.monitor, purge=purge)

    def check(self, *, read_data: bool = False, monitor: Monitor | None = None) -> CheckResult:
        """Check the integrity of the store; `read_data` reads every byte."""
        from clew.operations.maintenance.check import check

        return check(self._access.context, read_data, monitor or self._access.monitor)
