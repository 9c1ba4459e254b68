"""Story worker: a child process in which detectors run, limited in time and memory.

Every byte that detectors read is hostile, so nothing they do may harm or delay the parent: not an
endless loop, not a bomb that unpacks to a terabyte, not a crash of a C library.
A detector that hangs or dies costs one line.
The worker reports the findings of each detector when it has them, so the worker that replaces a
killed one continues from there without the detector at fault.
"""

from __future__ import annotations

import gc
import marshal
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from types import FrameType
from typing import Any

from clew.atomic_write import write_all
from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple
from clew.model.story import NO_TIME, TOOK_TOO_LONG, Story, StoryLine
from clew.story.analyse import DetectorResult, analyse, ask
from clew.story.budget import Budget, WorkerLimits
from clew.story.compose import compose
from clew.worktree.child_process import Child, can_fork
from clew.worktree.syscalls import lower_priority

_HEAD = 4
_FOR_DETECTORS = 0.6
"""The part of the time on the clock in which detectors are started."""
_LAST = 1.0
"""Seconds at least for a worker that puts into words what others have found."""
_START = 10.0
"""Seconds after which a worker that has not started is killed."""
_FILES = 1 << 30


class StoryTask(NamedTuple):
    """What the worker analyses."""

    evidence: Callable[[], Evidence]
    """Called in the worker, which opens the store itself."""
    detectors: Sequence[Detector]
    sorters: Sequence[Detector]
    live: Sequence[Fact] = ()
    details: frozenset[str] = frozenset()
    """Names of the detectors that are left out first when time runs out."""


def tell(make_task: Callable[[], StoryTask], limits: WorkerLimits | None = None) -> Story | None:
    """Return the story, or None when there was no time even to list the changed paths.

    `make_task` must be picklable where this process has several threads.
    """
    limits = limits or WorkerLimits()
    clock = _Clock(limits)
    # A forked worker has what this process has loaded; a spawned one loads its own.
    given = make_task() if can_fork() else make_task
    known: dict[str, DetectorResult] = {}
    while clock.has_time():
        attempt = _Attempt(given, known, limits, clock)
        try:
            story = attempt.follow()
        finally:
            attempt.end()
        if story is not None:
            return story
        if attempt.current is None:
            return None  # it ended before the first detector, or after the last
        why = TOOK_TOO_LONG if attempt.was_slow else "died"
        known[attempt.current] = DetectorResult(attempt.current, problems=(("", why),))
    return None


class _Clock:
    """When the story must be complete; starting a worker does not count."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._has_paths = False
        self._is_over = False
        self.deadline = time.monotonic() + limits.seconds

    def has_time(self) -> bool:
        """Return whether another worker may start; the last one starts no detector."""
        if time.monotonic() < self.deadline:
            return True
        if self._is_over:
            return False
        self._is_over = True
        self.deadline += max(self._limits.seconds / 4, _LAST)
        return True

    def add(self, seconds: float) -> None:
        self.deadline += seconds

    def part_left(self, part: float) -> float:
        """Return the time at which this part of what is left has passed."""
        now = time.monotonic()
        return now if self._is_over else now + part * (self.deadline - now)

    def set_paths(self, number: int) -> None:
        """Extend the time for so many changed paths, once."""
        if not self._has_paths:
            self._has_paths = True
            self.deadline += self._limits.clock_seconds(number) - self._limits.seconds


class _Attempt:
    """One worker, as the parent sees it."""

    def __init__(
        self,
        given: StoryTask | Callable[[], StoryTask],
        known: dict[str, DetectorResult],
        limits: WorkerLimits,
        clock: _Clock,
    ) -> None:
        self._known = known
        self._clock = clock
        self._stalled = limits.stalled
        self.current: str | None = None
        """The detector that runs."""
        self.was_slow = False
        self._started = time.monotonic()
        work = partial(_work, given, known, limits, clock)
        self._child = Child(work, must_fork=isinstance(given, StoryTask))

    def follow(self) -> Story | None:
        """Read the worker's messages until its story is complete or it must be stopped."""
        reading = self._child.output
        pending = bytearray()
        started = self._started
        until = started + _START
        while True:
            left = until - time.monotonic()
            if left <= 0 or not select.select([reading], [], [], left)[0]:
                self.was_slow = True
                return None
            piece = os.read(reading, 1 << 20)
            if not piece:
                self.was_slow = self._child.is_out_of_time()
                return None
            pending += piece
            for word, value in _cut(pending):
                if word == "ready":
                    self._clock.add(time.monotonic() - self._started)
                elif word == "paths":
                    self._clock.set_paths(value)
                elif word == "begin":
                    self.current, started = value, time.monotonic()
                elif word == "done":
                    result = _result(value)
                    self._known[result.name] = result
                    self.current = None
                elif word == "story":
                    return _story(value)
            until = self._clock.deadline
            if self.current:
                until = min(until, started + self._stalled)

    def end(self) -> None:
        """Kill the worker if it still runs."""
        self._child.end()


# In the worker


class _OutOfTime(BaseException):
    """Raised inside a detector that has used up its time; no detector catches it."""


def _limit(limits: WorkerLimits) -> None:
    with open("/proc/self/statm", "rb") as file:
        held = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    room = held + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILES, _FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if limits.lowers_priority:
        lower_priority()


def _end_after(seconds: float) -> None:
    """Have the kernel end this process when it has used so many more seconds of processor time.

    A detector that loops in C cannot be interrupted.
    """
    wanted = ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, resource.RLIM_INFINITY))


def _work(
    given: StoryTask | Callable[[], StoryTask],
    known: dict[str, DetectorResult],
    limits: WorkerLimits,
    clock: _Clock,
    writing: int,
) -> None:
    """Run the detectors that the budget allows, and compose the story of what they found."""
    task = given if isinstance(given, StoryTask) else given()
    _send(writing, "ready", None)
    _limit(limits)
    started = time.process_time()
    evidence = task.evidence()
    # They live as long as the worker: looking for garbage among 100,000 changes takes seconds.
    gc.freeze()
    _send(writing, "paths", len(evidence.changes))
    clock.set_paths(len(evidence.changes))
    enough = clock.part_left(_FOR_DETECTORS)
    budget = Budget(limits, len(evidence.changes))

    def run(detector: Detector, found: Evidence, share: Sequence[PathChange]) -> DetectorResult:
        used = time.process_time() - started
        may_run = budget.allows(used, is_detail=detector.name in task.details)
        if not may_run or time.monotonic() > enough:
            return DetectorResult(detector.name, problems=(("", NO_TIME),))
        _send(writing, "begin", detector.name)
        result = _ask_in_time(detector, found, share, budget.detector_seconds(len(share)))
        _send(writing, "done", _plain_result(result))
        return result

    results = list(analyse(evidence, task.detectors, task.sorters, run, known))
    _end_after(budget.worker_seconds)
    _send(writing, "story", _plain_story(compose(evidence, results, task.live)))


def _ask_in_time(
    detector: Detector, evidence: Evidence, share: Sequence[PathChange], seconds: float
) -> DetectorResult:
    def stop(_: int, __: FrameType | None) -> None:
        raise _OutOfTime

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    _end_after(seconds + 1)
    try:
        return ask(detector, evidence, share)
    except _OutOfTime:
        return DetectorResult(detector.name, problems=(("", TOOK_TOO_LONG),))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


# Between the two: marshal takes plain tuples only


def _send(writing: int, word: str, value: Any) -> None:
    content = marshal.dumps((word, value), 4)
    write_all(writing, len(content).to_bytes(_HEAD, "little") + content)


def _cut(pending: bytearray) -> list[tuple[str, Any]]:
    """Take the whole messages from the front of what has arrived."""
    messages: list[tuple[str, Any]] = []
    at = 0
    while at + _HEAD <= len(pending):
        end = at + _HEAD + int.from_bytes(pending[at : at + _HEAD], "little")
        if end > len(pending):
            break
        messages.append(marshal.loads(pending[at + _HEAD : end]))  # noqa: S302 - our own child
        at = end
    del pending[:at]
    return messages


def _plain_result(result: DetectorResult) -> tuple[object, ...]:
    findings = [
        ([tuple(fact) for fact in finding.facts], list(finding.claims), finding.text)
        for finding in result.findings
    ]
    return result.name, findings, list(result.problems), list(result.owners)


def _result(value: Any) -> DetectorResult:
    name, findings, problems, owners = value
    made = tuple(
        Finding(tuple(Fact(*fact) for fact in facts), claims, text)
        for facts, claims, text in findings
    )
    return DetectorResult(name, made, tuple(problems), tuple(owners))


def _plain_story(story: Story) -> tuple[object, ...]:
    return (
        story.headline,
        [tuple(fact) for fact in story.facts],
        [tuple(line) for line in story.lines],
        story.changed_paths,
    )


def _story(value: Any) -> Story:
    headline, facts, lines, changed = value
    return Story(
        headline,
        tuple(Fact(*fact) for fact in facts),
        tuple(StoryLine(*line) for line in lines),
        changed,
    )
