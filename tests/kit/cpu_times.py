"""Processor times of tests: `make test ARGS=--cpu-times` prints them by directory and by test.

A control group (cgroup v1) counts the time of all processes that a test starts, also of daemons;
where none can be made, only children that were waited for are counted.  Elapsed minus processor
time is what a test waits: for disks, for other processes' timers, for other tests on the machine.
"""

from __future__ import annotations

import atexit
import os
import resource
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import pytest

_GROUPS = Path("/sys/fs/cgroup/cpuacct")
_SLOWEST = 40


class CpuTimes:
    """A plugin that measures each phase of each test, and sums up what its workers measured."""

    def __init__(self, rows: int = _SLOWEST) -> None:
        self._rows = rows
        self._read = _counter()
        self._cpu, self._clock = self._read(), time.monotonic()
        self._tests: dict[str, list[float]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        cpu, clock = self._read(), time.monotonic()
        report.cpu_times = [cpu - self._cpu, clock - self._clock]  # type: ignore[attr-defined]
        self._cpu, self._clock = cpu, clock
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        cpu, clock = getattr(report, "cpu_times", (0.0, 0.0))
        found = self._tests.setdefault(report.nodeid, [0.0, 0.0])
        found[0] += cpu
        found[1] += clock

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        for title, depth in (("directory", 2), ("file", 9)):
            sums: dict[str, list[float]] = {}
            for test, (cpu, clock) in self._tests.items():
                key = "/".join(test.split("::")[0].split("/")[:depth])
                found = sums.setdefault(key, [0.0, 0.0, 0])
                found[0] += cpu
                found[1] += clock
                found[2] += 1
            self._table(write, title, sums)
        self._table(write, "test", {test: [*found, 1] for test, found in self._tests.items()})

    def _table(
        self, write: Callable[[str], None], title: str, sums: dict[str, list[float]]
    ) -> None:
        write(f"\n{'cpu s':>8} {'wall s':>8} {'tests':>6}  {title}")
        largest = sorted(sums.items(), key=lambda item: -max(item[1][:2]))
        for name, (cpu, clock, number) in largest[: self._rows]:
            write(f"{cpu:8.2f} {clock:8.2f} {number:6.0f}  {name}")
        totals = [sum(column) for column in zip(*sums.values(), strict=True)]
        if totals:
            write(f"{totals[0]:8.2f} {totals[1]:8.2f} {totals[2]:6.0f}  total")


def _counter() -> Callable[[], float]:
    """Return a function that reads the seconds of this process and of all that it starts."""
    group = _GROUPS / f"clew-tests-{os.getpid()}"
    with suppress(OSError):
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
        atexit.register(_remove, group)
        return lambda: int((group / "cpuacct.usage").read_text()) / 1e9
    return _waited


def _remove(group: Path) -> None:
    with suppress(OSError):  # a daemon is still in it
        (_GROUPS / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


def _waited() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
