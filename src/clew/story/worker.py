"""The worker: detectors run in a forked process with limits, and are killed at their deadline.

Every byte that detectors read is hostile, so nothing they do may harm or delay anybody else: not a
loop without end, not a bomb that unpacks to a terabyte, not a crash of a C library.
A detector that hangs or dies costs one line.
The worker tells what each detector found as it goes, so when it must be killed, the next one goes on
from there without the culprit.
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple
from clew.model.story import Story, StoryLine
from clew.story.analyse import DetectorResult, analyse, ask
from clew.story.compose import compose
from clew.worktree.syscalls import die_with

_HEAD = 4
_STALLED = 0.9
"""Seconds of one detector after which the worker is killed."""
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


class StoryTask(NamedTuple):
    """What the worker works on."""

    evidence: Callable[[], Evidence]
    """Called in the worker: it opens what it reads from itself."""
    detectors: Sequence[Detector]
    sorters: Sequence[Detector]
    live: Sequence[Fact] = ()


def tell(task: StoryTask, limits: WorkerLimits | None = None) -> Story | None:
    """Return the story, or None when there was no time to tell even that something changed."""
    limits = limits or WorkerLimits()
    started = time.monotonic()
    deadline = started + limits.seconds
    enough = started + limits.seconds * _FOR_DETECTORS
    known: dict[str, DetectorResult] = {}
    while time.monotonic() < deadline:
        attempt = _Attempt(task, known, limits, enough)
        try:
            story = attempt.follow(deadline)
        finally:
            attempt.end()
        if story is not None:
            return story
        if attempt.current is None:
            return None  # it did not get as far as the first detector, or past the last
        why = "took too long" if attempt.was_slow else "died"
        known[attempt.current] = DetectorResult(attempt.current, problems=(("", why),))
    return None


class _Attempt:
    """One worker, seen from the parent."""

    def __init__(
        self, task: StoryTask, known: dict[str, DetectorResult], limits: WorkerLimits, enough: float
    ) -> None:
        self._known = known
        self.current: str | None = None
        """The detector at work."""
        self.was_slow = False
        reading, writing = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid:
            os.close(writing)
            self._reading = reading
            return
        try:
            os.close(reading)
            die_with(parent)
            _limit(limits)
            _work(task, known, enough, writing)
        finally:
            os._exit(0)  # the parent's files and connections are not ours to close

    def follow(self, deadline: float) -> Story | None:
        """Take in what the worker says until its story is told or it must be stopped."""
        pending = bytearray()
        started = time.monotonic()
        while True:
            until = min(deadline, started + _STALLED) if self.current else deadline
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                self.was_slow = True
                return None
            piece = os.read(self._reading, 1 << 20)
            if not piece:
                return None
            pending += piece
            for word, value in _cut(pending):
                if word == "begin":
                    self.current, started = value, time.monotonic()
                elif word == "done":
                    result = _result(value)
                    self._known[result.name] = result
                    self.current = None
                elif word == "story":
                    return _story(value)

    def end(self) -> None:
        """Leave nothing running and nothing open."""
        os.close(self._reading)
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self._pid, 0)


# In the worker


class _OutOfTime(BaseException):
    """Raised inside a detector that has used up its time; no detector catches it."""


def _limit(limits: WorkerLimits) -> None:
    with open("/proc/self/statm", "rb") as file:
        held = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    room = held + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILES, _FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _work(task: StoryTask, known: dict[str, DetectorResult], enough: float, writing: int) -> None:
    """Ask detectors until there was enough of it, and tell what was found by then."""
    evidence = task.evidence()

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
    view = memoryview(len(content).to_bytes(_HEAD, "little") + content)
    while view:
        view = view[os.write(writing, view) :]


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
