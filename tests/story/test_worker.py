"""Whatever a detector does, it costs at most one line of the story."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from clew.detectors.detector import Detector, Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.env_files import EnvFiles
from clew.detectors.module_paths import DETAILS
from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.story import Story
from clew.story.budget import Budget, WorkerLimits
from clew.story.worker import StoryTask, tell
from tests.kit.moments import evidence

_SECONDS = 20.0  # for slow machines; the tests are about the deadline of a single detector


class Hostile:
    """Fails in a given way when it runs."""

    version = 1
    kinds: tuple[str, ...] = ()
    watch = WatchedPaths(everything=True)

    def __init__(self, act: Callable[[], object], name: str = "hostile") -> None:
        self.name = name
        self._act = act

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        self._act()
        return iter(())


def _loop() -> None:
    while True:
        pass


def _loop_in_c() -> None:
    re.match(r"(a+)+$", "a" * 40 + "b")


def _eat_memory() -> None:
    kept = []
    while True:
        kept.append(bytearray(64 << 30))


def _recurse() -> None:
    _recurse()


def _raise() -> None:
    raise ValueError("a message that could hold a secret")


def _exit() -> None:
    os._exit(7)


def _crash() -> None:
    faulthandler.disable()  # its report would clutter the test output
    os.kill(os.getpid(), signal.SIGSEGV)


def _sleep() -> None:
    time.sleep(60)


def _tell(detectors: Sequence[Detector], seconds: float = _SECONDS) -> Story | None:
    task = StoryTask(lambda: evidence({}, {".env": b"A=1", "other": b""}), detectors, ())
    return tell(lambda: task, WorkerLimits(seconds, stalled=1.5))


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (_loop, "took too long"),
        (_loop_in_c, "took too long"),
        (_sleep, "took too long"),
        (_eat_memory, "needs too much memory"),
        (_recurse, "nested too deeply"),
        (_raise, "cannot be read (ValueError)"),
        (_exit, "died"),
        (_crash, "died"),
    ],
)
def test_a_terrible_detector_costs_one_line(act: Callable[[], object], why: str) -> None:
    told = _tell([EnvFiles(), Hostile(act), Hostile(lambda: None, "last")])

    assert told is not None
    assert [(fact.kind, fact.subject, fact.after) for fact in told.facts] == [
        ("env.added", "A", None),
        ("detector.failed", "", why),
    ]
    assert [line.text for line in told.lines] == [
        ".env: +A",
        "other added",
        f"not analysed: hostile ({why})",
    ]


def test_two_terrible_detectors_cost_two_lines() -> None:
    told = _tell([Hostile(_exit, "one"), Hostile(_loop, "two"), EnvFiles()])

    assert told is not None
    failed = [fact.scope for fact in told.facts if fact.kind == "detector.failed"]
    assert failed == ["one", "two"]
    assert ".env: +A" in [line.text for line in told.lines]


def test_the_deadline_is_kept() -> None:
    started = time.monotonic()

    told = _tell([Hostile(_sleep, f"sleeper {number}") for number in range(50)], seconds=2.0)

    assert time.monotonic() - started < 8.0  # 50 of them would take most of a minute
    assert told is not None
    assert {path for line in told.lines for path in line.paths} == {".env", "other"}


def test_no_process_is_left_behind() -> None:
    _tell([Hostile(_sleep)])

    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_an_evidence_that_cannot_be_made_gives_no_story() -> None:
    def broken() -> Evidence:
        raise OSError("gone")

    assert tell(lambda: StoryTask(broken, (), ()), WorkerLimits(5.0)) is None


def test_what_was_found_by_then_is_told_when_time_runs_out() -> None:
    def slow() -> None:
        time.sleep(0.3)

    slow_ones = [Hostile(slow, f"slow {number}") for number in range(30)]

    told = _tell([EnvFiles(), *slow_ones], seconds=3.0)

    assert told is not None
    assert "env.added" in {fact.kind for fact in told.facts}
    assert "there was no time" in {fact.after for fact in told.facts}
    assert [line.text for line in told.lines if line.heading == "Files"] == ["other added"]


def _spend(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_details_are_left_out_first_when_the_processor_time_is_used_up() -> None:
    busy = [Hostile(lambda: _spend(0.2), f"busy {number}") for number in range(4)]
    detectors: list[Detector] = [*busy, Hostile(lambda: None, "detail"), EnvFiles()]
    task = StoryTask(
        lambda: evidence({}, {".env": b"A=1"}), detectors, (), details=frozenset(("detail",))
    )

    told = tell(lambda: task, WorkerLimits(_SECONDS, processor_seconds=0.6))

    assert told is not None
    failed = {(fact.scope, fact.after) for fact in told.facts if fact.kind == "detector.failed"}
    assert failed == {("detail", "there was no time")}
    assert told.is_cut
    assert told.headline == ".env +A; not all analysed"


def test_no_detector_is_started_long_after_the_processor_time_is_used_up() -> None:
    busy = [Hostile(lambda: _spend(0.2), f"busy {number}") for number in range(9)]
    task = StoryTask(lambda: evidence({}, {".env": b"A=1"}), [*busy, EnvFiles()], ())

    told = tell(lambda: task, WorkerLimits(_SECONDS, processor_seconds=0.3))

    assert told is not None
    failed = [fact.scope for fact in told.facts if fact.kind == "detector.failed"]
    assert 4 <= len(failed) <= 8


def test_time_on_the_clock_does_not_count_as_long_as_there_is_plenty() -> None:
    waiting = [Hostile(lambda: time.sleep(0.2), f"waits {number}") for number in range(5)]
    task = StoryTask(lambda: evidence({}, {".env": b"A=1"}), [*waiting, EnvFiles()], ())

    told = tell(lambda: task, WorkerLimits(_SECONDS, processor_seconds=0.2))

    assert told is not None
    assert not told.is_cut


def test_each_changed_path_adds_to_the_budget() -> None:
    small, large = Budget(WorkerLimits(), 10), Budget(WorkerLimits(), 100_000)

    assert not small.allows(5.0, is_detail=False)
    assert large.allows(5.0, is_detail=True)
    assert large.detector_seconds(100_000) > small.detector_seconds(10) == pytest.approx(0.5, 0.01)
    assert WorkerLimits().clock_seconds(100_000) > WorkerLimits().clock_seconds(0)


def test_details_are_detectors() -> None:
    assert {one.name for one in (*DETECTORS, *SORTERS)} >= DETAILS
