"""A host as a test wants it: another time, a full disk, other processes, a small store.

What is not set is that of this machine.  `at` runs a function, or raises, when an operation reaches
one of its fail points.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from clew.model.database_look import LookedServer
from clew.model.signals import Listening, Signals
from clew.operations.host import Host
from clew.store.limits import StoreLimits

HOUR = 3600 * 1_000_000_000
DAY = 24 * HOUR


class Crash(BaseException):
    """The process died here."""


class SmallStore(StoreLimits):
    """A store of a test: 64 MiB for the reserve of each of many stores would fill a small disk."""

    reserve_bytes = 1 << 16


class FakeHost(Host):
    """The real machine, except for what a test sets."""

    def __init__(
        self,
        *,
        signals: Signals | None = None,
        store_limits: StoreLimits | None = None,
        environ: Mapping[bytes, bytes] | None = None,
        machine_store: str | None = None,
        processes: int | None = None,
    ) -> None:
        self.signals = signals
        """What runs and listens."""
        self.free: dict[Path, int | Iterator[int]] = {}
        """Free bytes at and below a path, or one answer after the other."""
        self.shift_ns = 0
        """How much the clock is ahead."""
        self.processes = processes
        self.boot: str | None = None
        """The id of the boot, if not that of this machine."""
        self.hurry = 0.0
        """Seconds that pass with each look at the clock for time limits."""
        self._hurried = 0.0
        self.store_limits = store_limits or Host.store_limits
        self.machine_store = machine_store or Host.machine_store
        self._environ = environ
        self._actions: dict[str, tuple[Callable[[], object], int | None]] = {}
        self.servers: tuple[LookedServer, ...] = ()
        """What database servers say."""
        self.looks = 0
        """How often they were asked."""
        self.reached: list[str] = []
        """The fail points, in order."""

    @property
    def environ(self) -> Mapping[bytes, bytes]:
        return super().environ if self._environ is None else self._environ

    def now_ns(self) -> int:
        return super().now_ns() + self.shift_ns

    def monotonic(self) -> float:
        self._hurried += self.hurry
        return super().monotonic() + self._hurried

    def free_bytes(self, path: str | bytes) -> int:
        asked = Path(os.fsdecode(path))
        for place in (asked, *asked.parents):
            if place in self.free:
                found = self.free[place]
                return found if isinstance(found, int) else next(found)
        return super().free_bytes(path)

    def processors(self) -> int:
        return super().processors() if self.processes is None else self.processes

    def observe(self, root: bytes) -> Signals:
        return super().observe(root) if self.signals is None else self.signals

    def look_at_servers(self, root: bytes) -> tuple[LookedServer, ...]:
        self.looks += 1
        return self.servers

    def boot_id(self) -> str:
        return self.boot if self.boot is not None else super().boot_id()

    def fail_point(self, name: str) -> None:
        self.reached.append(name)
        act, number = self._actions.get(name, (None, None))
        if act is not None and number in (None, self.reached.count(name)):
            act()

    def listen(self, port: int, command: str, directory: str = "/") -> None:
        """Let a program listen from now on."""
        boot = self.signals.boot if self.signals is not None else ""
        self.signals = Signals((Listening("tcp", "127.0.0.1", port, command, directory),), (), boot)

    @contextmanager
    def shifted(self, by_ns: int) -> Iterator[None]:
        """Be earlier or later by so much."""
        before, self.shift_ns = self.shift_ns, by_ns
        try:
            yield
        finally:
            self.shift_ns = before

    def when(
        self, name: str, act: Callable[[], object] | BaseException, number: int | None = None
    ) -> None:
        """Do something, or raise an error, whenever an operation reaches a fail point.

        With `number`, only when it does so for the `number`th time.
        """

        def fail() -> None:
            assert isinstance(act, BaseException)
            raise act

        self._actions[name] = fail if isinstance(act, BaseException) else act, number

    @contextmanager
    def at(
        self, name: str, act: Callable[[], object] | BaseException, number: int | None = None
    ) -> Iterator[None]:
        """Do the same in the body, which must reach the fail point."""
        self.reached.clear()
        self.when(name, act, number)
        try:
            yield
        finally:
            del self._actions[name]
        assert name in self.reached, f"{name!r} was not reached, only {self.reached}"


def quiet_host(*, small: bool = True) -> FakeHost:
    """Return a machine on which nothing runs or listens, with small stores."""
    return FakeHost(signals=Signals(boot="a boot"), store_limits=SmallStore() if small else None)
