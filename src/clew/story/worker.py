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
from types import FrameType
from typing import Any

from clew.atomic_write import write_all
from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple
from clew.model.story import Story, StoryLine
from clew.story.analyse import DetectorResult, analyse, ask
from clew.story.compose import compose
from clew.worktree.child_process import Child, can_fork
from clew.worktree.syscalls import lower_priority

_HEAD = 4
_START = 10.0
"""Seconds after which a worker that has not started is killed."""
_STALLED = 0.9
_PER_DETECTOR = 0.5
"""Seconds of processor time after which a detector is asked to stop."""
_FOR_DETECTORS = 0.55
"""The part of all time in which detectors are asked; the rest is for putting it into words."""
NO_TIME = "there was no time"
_MEMORY = 768 << 20
_FILES = 1 << 30


class WorkerLimits(NamedTuple):
    """What a story may cost."""

    seconds: float = 2.0
    memory: int = _MEMORY
    stalled: float = _STALLED
    """Seconds of one detector after which the worker is killed."""
    processor_seconds: float | None = None
    """Processor time of the worker; None for as much as `seconds`."""
    lowers_priority: bool = False
    """Whether the worker gives way to all other processes."""


class StoryTask(NamedTuple):
    """What the worker analyses."""

    evidence: Callable[[], Evidence]
    """Called in the worker, which opens the store itself."""
    detectors: Sequence[Detector]
    sorters: Sequence[Detector]
    live: Sequence[Fact] = ()


def tell(make_task: Callable[[], StoryTask], limits: WorkerLimits | None = None) -> Story | None:
    """Return the story, or None when there was no time even to list the changed paths.

    `make_task` must be picklable where this process has several threads.
    """
    limits = limits or WorkerLimits()
    clock = _Clock(limits.seconds)
    # A forked worker has what this process has loaded; a spawned one loads its own.
    given = make_task() if can_fork() else make_task
    known: dict[str, DetectorResult] = {}
    while time.monotonic() < clock.deadline:
        attempt = _Attempt(given, known, limits, clock)
        try:
            story = attempt.follow()
        finally:
            attempt.end()
        if story is not None:
            return story
        if attempt.current is None:
            return None  # it ended before the first detector, or after the last
        why = "took too long" if attempt.was_slow else "died"
        known[attempt.current] = DetectorResult(attempt.current, problems=(("", why),))
    return None


class _Clock:
    """When detectors must have ended, and the whole story; starting a worker does not count."""

    def __init__(self, seconds: float) -> None:
        now = time.monotonic()
        self.deadline = now + seconds
        self.enough = now + seconds * _FOR_DETECTORS

    def add(self, seconds: float) -> None:
        self.deadline += seconds
        self.enough += seconds


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
        work = partial(_work, given, known, limits, clock.enough - self._started)
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
                return None
            pending += piece
            for word, value in _cut(pending):
                if word == "ready":
                    self._clock.add(time.monotonic() - self._started)
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
    seconds = int(limits.processor_seconds or limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILES, _FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if limits.lowers_priority:
        lower_priority()


def _work(
    given: StoryTask | Callable[[], StoryTask],
    known: dict[str, DetectorResult],
    limits: WorkerLimits,
    seconds: float,
    writing: int,
) -> None:
    """Run detectors for so many seconds, and compose the story of what they found by then."""
    task = given if isinstance(given, StoryTask) else given()
    enough = time.monotonic() + seconds
    _send(writing, "ready", None)
    _limit(limits)
    evidence = task.evidence()
    # They live as long as the worker: looking for garbage among 100,000 changes takes seconds.
    gc.freeze()

    def run(detector: Detector, found: Evidence, share: Sequence[PathChange]) -> DetectorResult:
        if time.monotonic() > enough:
            return DetectorResult(detector.name, problems=(("", NO_TIME),))
        _send(writing, "begin", detector.name)
        result = _ask_in_time(detector, found, share)
        _send(writing, "done", _plain_result(result))
        return result

    results = list(analyse(evidence, task.detectors, task.sorters, run, known))
    _send(writing, "story", _plain_story(compose(evidence, results, task.live)))


def _ask_in_time(
    detector: Detector, evidence: Evidence, share: Sequence[PathChange]
) -> DetectorResult:
    def stop(_: int, __: FrameType | None) -> None:
        raise _OutOfTime

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _PER_DETECTOR)
    try:
        return ask(detector, evidence, share)
    except _OutOfTime:
        return DetectorResult(detector.name, problems=(("", "took too long"),))
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
