"""Bisecting: finding the moment from which on something is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import BadOption
from clew.model.bisect_search import BisectResult
from clew.model.checkpoint import Checkpoint
from clew.model.sandbox_results import Command, line_of
from clew.model.verdict import Verdict
from clew.monitor import Monitor, Once
from clew.verbs.base import WorkspaceBase

if TYPE_CHECKING:
    from clew.operations.sandbox.bisect import BisectOptions
    from clew.operations.sandbox.bisect_range import Range


class Bisecting(WorkspaceBase):
    """The verb that looks for the first bad checkpoint."""

    def bisect(
        self,
        good: str | None = None,
        bad: str | None = None,
        *,
        command: Command | None = None,
        repeat: int = 1,
        timeout: str | float | None = None,
        net: str | None = None,
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> BisectResult:
        """Return the first checkpoint on which a check fails, by running it in private copies.

        `bad` defaults to *here*, `good` to the newest before it that is known to pass, else to the
        oldest; `command` to the workspace's own check.
        Known verdicts are not asked for again, so after an interrupt the same call goes on.
        """
        from clew.operations.sandbox.bisect import SKIP_CODE, BisectOptions, bisect, with_story
        from clew.operations.sandbox.verdicts import as_kept
        from clew.operations.sandbox.verify_copy import chosen_check, verify_moment

        if repeat < 1:
            raise BadOption("--repeat", "must be at least 1")
        monitor = monitor or self.monitor
        self._store.require_writable()
        check = chosen_check(self._context, command, timeout, net, serve)
        options = BisectOptions(as_kept(line_of(check.command)), check.timeout, repeat)
        with self._reading(monitor):
            line = self._line(good, bad, options, monitor)

        heard = Once(monitor)  # what cannot be isolated here cannot be isolated for any of them

        def judge(checkpoint: Checkpoint) -> Verdict:
            return verify_moment(self._context, checkpoint, check, heard, skip_code=SKIP_CODE)

        found = bisect(self._context, line, options, judge, monitor)
        with self._reading(monitor):
            return with_story(self._context, found)

    def _line(
        self, good: str | None, bad: str | None, options: BisectOptions, monitor: Monitor
    ) -> Range:
        """Return the checkpoints to look at."""
        from clew.operations.sandbox.bisect import is_vouched_for, notice_unsaved
        from clew.operations.sandbox.bisect_range import range_between, range_to

        newest = self._resolve(bad if bad is not None else "@", monitor)
        if bad is None:
            notice_unsaved(self._context, newest, monitor)
        if good is None:
            return range_to(self._context, newest, is_vouched_for(self._context, options))
        return range_between(self._context, self._resolve(good, monitor), newest)
