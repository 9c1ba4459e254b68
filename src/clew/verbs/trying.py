"""Trying: everything that runs a command in a private copy of a moment.

No lock is held while somebody's command runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from clew.model.sandbox_results import Board, Command, Comparison, Executed, Judged
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase
from clew.verbs.events import VERIFIED, announced


class Trying(WorkspaceBase):
    """The verbs that try something, and leave the workspace alone."""

    @announced(VERIFIED)
    def verify(
        self,
        ref: str,
        command: Command | None = None,
        *,
        timeout: str | float | None = None,
        net: str | None = None,
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> Judged:
        """Run a check in a private copy of a moment, and stamp its state with what it says.

        A `command` is text for the shell, or a tuple of words; without one it is the workspace's
        own check.  `net="host"` shares the network; `serve` starts a server before an address is
        asked.
        """
        from clew.operations.sandbox.verify_copy import chosen_check, verify_moment

        monitor = monitor or self.monitor
        self._store.require_writable()
        options = chosen_check(self._context, command, timeout, net, serve)
        with self._reading(monitor):
            checkpoint = self._look_up(ref, monitor)
        verdict = verify_moment(self._context, checkpoint, options, monitor)
        with self._reading(monitor):
            found = self._context.mark_here(self._context.find(checkpoint.id))
            runs = self._store.verdicts.of_state(verdict.state, verdict.command)
        return Judged(found, verdict._replace(is_flaky=runs[0].is_flaky))

    def exec(
        self,
        ref: str,
        command: Command,
        *,
        timeout: str | float | None = None,
        net: str | None = None,
        watch: Callable[[bytes], None] | None = None,
        monitor: Monitor | None = None,
    ) -> Executed:
        """Run a command in a throw-away copy of a moment, and tell what it changed there.

        Nothing else can be written, and nothing is kept.
        `watch` hears what the command says while it says it, in a forked process.
        """
        from clew.operations.sandbox.exec import exec_options, execute

        monitor = monitor or self.monitor
        self._store.require_writable()
        options = exec_options(command, timeout, net, watch)
        with self._reading(monitor):
            checkpoint = self._look_up(ref, monitor)
        return execute(self._context, checkpoint, options, monitor)

    def try_ways(
        self,
        ref: str,
        ways: Mapping[str, Command],
        *,
        verify: Command | None = None,
        jobs: int | None = None,
        timeout: str | float | None = None,
        net: str | None = None,
        monitor: Monitor | None = None,
    ) -> Board:
        """Go several ways from one moment side by side, each in a copy of its own.

        A way that came to its end is a fork from then on, to be compared, adopted or discarded.
        `verify` is asked of each result; without it, it is the workspace's own check, if any.
        """
        from clew.operations.sandbox.try_commands import try_options, try_ways

        monitor = monitor or self.monitor
        self._store.require_writable()
        options = try_options(self._context, ways, verify, jobs, timeout, net)
        with self._reading(monitor):
            base = self._look_up(ref, monitor)
        return try_ways(self._context, base, options, monitor)

    def compare(self, refs: Sequence[str], *, monitor: Monitor | None = None) -> Comparison:
        """Put forks or checkpoints side by side, each told from where they parted."""
        from clew.operations.forks.compare import compare_moments
        from clew.operations.forks.references import moment_named

        monitor = monitor or self.monitor
        asked = [moment_named(self._context, ref, monitor) for ref in refs]
        with self._reading(monitor):
            return compare_moments(self._context, asked, monitor)
