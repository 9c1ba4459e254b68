"""Host: the machine that operations run on, behind one small class.

A workspace is opened with a host and its context carries it.  The store and the worktree are below:
they receive values and functions of it.  A test opens a workspace with a subclass instead of
patching names; see `tests/kit/fake_host.py`.
"""

from __future__ import annotations

import os
import time

from clew.store.limits import DEFAULT, StoreLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.model.database_look import LookedServer
    from clew.model.signals import Signals

_NO_LIMIT = 1 << 62


class Host:
    """Clock, free space, processors, processes and environment of this machine."""

    machine_store = "/var/lib/clew"
    """The path of the store for a whole machine."""
    store_limits: StoreLimits = DEFAULT
    story_seconds: float | None = None
    """Time limit of a story; None for that of its worker."""

    @property
    def environ(self) -> Mapping[bytes, bytes]:
        """The environment variables; as bytes, which the locale's codec may not round-trip."""
        return os.environb

    def now_ns(self) -> int:
        return time.time_ns()

    def monotonic(self) -> float:
        """Return seconds that only grow, for time limits."""
        return time.monotonic()

    def free_bytes(self, path: str | bytes) -> int:
        """Return the free bytes of the filesystem of `path`."""
        space = os.statvfs(path)
        if not space.f_blocks:  # a filesystem in memory without a size
            return _NO_LIMIT
        return space.f_bavail * space.f_frsize

    def boot_id(self) -> str:
        """Return an id that changes with every boot; empty if it is not known."""
        from clew.worktree.boot import boot_id  # noqa: PLC0415  only a scan needs it

        return boot_id()

    def cpus(self) -> int:
        """Return how many processors this process may use."""
        return len(os.sched_getaffinity(0))

    def processors(self) -> int:
        """Return how many processes may run in parallel, four at most."""
        return min(4, self.cpus())

    def observe(self, root: bytes) -> Signals:
        """Return the processes that run and listen in a workspace."""
        from clew.worktree.observe import observe  # noqa: PLC0415  a hook that finds nothing new is fast

        return observe(root)

    def look_at_servers(self, root: bytes) -> tuple[LookedServer, ...]:
        """Return what the database servers that run in a workspace say."""
        from clew.worktree.look_at_servers import look_at_servers  # noqa: PLC0415  off by default

        return look_at_servers(root)

    def fail_point(self, name: str) -> None:
        """Do nothing.  Operations call this where a crash or a concurrent change is hardest to survive.

        A test raises here, or changes the disk.
        """


REAL = Host()
