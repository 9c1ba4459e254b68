"""Upkeep: what history costs, whether it is whole, and what may go."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.results import CheckResult, DeleteResult, GcResult, PruneResult, Stats
from clew.monitor import Monitor
from clew.verbs.auto_prune import Thrift
from clew.verbs.events import PRUNED, announced


class Upkeep(Thrift):
    """The verbs that look after the store."""

    def delete(
        self, refs: Sequence[str], *, purge: bool = False, monitor: Monitor | None = None
    ) -> DeleteResult:
        """Delete checkpoints and free their space; `purge` removes their bytes for good."""
        from clew.operations.maintenance.delete import delete

        self._store.require_writable()
        with self._reading(monitor):
            chosen = [self._resolve(ref, monitor).id for ref in refs]
        return delete(self._context, chosen, purge, monitor or self.monitor)

    @announced(PRUNED)
    def prune(
        self,
        *,
        keep_last: int | None = None,
        keep_within: str | None = None,
        max_bytes: str | int | None = None,
        dry_run: bool = False,
        confirm: Callable[[PruneResult], bool] | None = None,
        monitor: Monitor | None = None,
    ) -> PruneResult:
        """Thin out automatic checkpoints by age, or remove what is beyond a limit.

        Without arguments nothing goes that somebody saved, verified or names, unless a limit is
        set in the settings.  `keep_last` and `keep_within` are such a limit, and with `max_bytes`
        more goes until the store fits, the automatic ones first.
        `confirm` is asked before what somebody made goes; without it that counts as allowed.
        """
        from clew.operations.maintenance.prune import prune
        from clew.operations.maintenance.settings import as_bytes, as_duration

        if not dry_run:
            self._store.require_writable()
        within = as_duration("--keep-within", keep_within) if keep_within is not None else None
        limit = as_bytes("--max-bytes", max_bytes) if max_bytes is not None else None
        return prune(
            self._context, keep_last=keep_last, keep_within=within, max_bytes=limit,
            dry_run=dry_run, confirm=confirm, monitor=monitor or self.monitor,
        )  # fmt: skip

    def gc(self, *, purge: bool = False, monitor: Monitor | None = None) -> GcResult:
        """Free what no checkpoint needs any more; with `purge` no byte of it is left."""
        from clew.operations.maintenance.gc import collect

        self._store.require_writable()
        return collect(self._context, monitor or self.monitor, purge=purge)

    def check(self, *, read_data: bool = False, monitor: Monitor | None = None) -> CheckResult:
        """Tell whether the store is whole; `read_data` reads every byte."""
        from clew.operations.maintenance.check import check

        return check(self._context, read_data, monitor or self.monitor)

    def stats(self) -> Stats:
        """Tell what history costs."""
        from clew.operations.history.stats import stats

        return stats(self._context)

    def space_warnings(self) -> list[str]:
        """Return what somebody should know of the room that history takes: nothing, mostly."""
        from clew.operations.save.budget_warning import budget_warning
        from clew.operations.save.min_free import floor_warning

        with self._reading():
            found = (budget_warning(self._context), floor_warning(self._context))
        return [warning for warning in found if warning is not None]

    def config(self) -> dict[str, str]:
        """Return the settings in force, defaults included."""
        from clew.operations.maintenance.settings import in_force

        return in_force(self._context)

    def set_config(self, key: str, value: str) -> None:
        """Change a setting of this workspace."""
        from clew.operations.maintenance.settings import change

        change(self._context, key, value)

    def unset_config(self, key: str) -> None:
        """Go back to a setting's default."""
        from clew.operations.maintenance.settings import change

        change(self._context, key, None)
