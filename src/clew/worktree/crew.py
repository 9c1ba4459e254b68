"""A crew: several processes walk one workspace's subtrees side by side.

Python reads about 15,000 small files a second; two processes read nearly twice that.
The crew is forked before any thread starts, shares out the work through a pipe of job numbers
(whoever is free takes the next), and each helper hands its share back as one marshalled value.
A helper that dies takes the whole scan with it: no share is ever missing from a tree.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
from collections.abc import Callable
from typing import Any, NamedTuple

from clew.errors import ClewError, ScanFailed, StoreDamaged, StoreFull, StoreReadOnly
from clew.worktree.scan import Job, walk_alone
from clew.worktree.syscalls import die_with
from clew.worktree.walk import Outcome, Walker

_TOKEN = 4
_MOST_TOKENS = 4096  # so many fit into a pipe
_WORTH_IT = 400
"""Directories below which a fork costs more than it gives."""


def processors() -> int:
    """Return how many processes may run side by side, four at most."""
    return min(4, len(os.sched_getaffinity(0)))


class Hands(NamedTuple):
    """How a helper gets its own walker, and hands over what its sink gathered."""

    prepare: Callable[[], None]
    """Called in the parent right before the fork."""
    become_helper: Callable[[Walker, int], Walker]
    """Called in child number n: returns a walker with its own sink and its own view of the store."""
    finish: Callable[[Walker], Any]
    """Called in the child when its share is done: returns what the sink has to tell."""
    adopt: Callable[[Any], None]
    """Called in the parent with what `finish` returned."""
    abandon: Callable[[], None] = lambda: None
    """Called in the child when its share failed: takes back what its sink wrote."""


class Crew:
    """Shares the jobs of a scan among processes."""

    def __init__(self, size: int, expected_directories: int | None, hands: Hands) -> None:
        """`expected_directories` is what the last scan saw, or None if there was none."""
        self._size = size
        self._expected = expected_directories
        self._hands = hands

    def share(self, walker: Walker, jobs: list[Job]) -> list[Outcome]:
        """Walk the jobs with all hands; alone where that is not worth it."""
        small = self._expected is not None and self._expected < _WORTH_IT
        if self._size < 2 or len(jobs) < 2 or small:
            return walk_alone(walker, jobs)
        self._hands.prepare()
        tokens = _Tokens(len(jobs))
        helpers = [self._fork(walker, jobs, tokens, number) for number in range(self._size - 1)]
        try:
            results = _walk_share(walker, jobs, tokens)
            failures: list[ClewError] = []
            for helper in helpers:
                try:
                    done, account, extra = helper.collect()
                except ClewError as error:
                    failures.append(error)  # the others' packs must be ours before we give up
                    continue
                results.update({number: Outcome(*fields) for number, fields in done})
                walker.account.add(account)
                self._hands.adopt(extra)
            if failures:
                raise failures[0]
        finally:
            tokens.close()
            for helper in helpers:
                helper.end()
        return [results[number] for number in range(len(jobs))]

    def _fork(self, walker: Walker, jobs: list[Job], tokens: _Tokens, number: int) -> _Helper:
        reading, writing = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid:
            os.close(writing)
            return _Helper(pid, reading)
        status = 1
        try:
            os.close(reading)
            die_with(parent)
            answer = self._help(walker, jobs, tokens, number)
            _write_all(writing, marshal.dumps(answer, 2))
            status = 0
        finally:
            os._exit(status)  # the parent's files and connections are not ours to close

    def _help(
        self, walker: Walker, jobs: list[Job], tokens: _Tokens, number: int
    ) -> tuple[Any, ...]:
        try:
            own = self._hands.become_helper(walker, number)
            results = _walk_share(own, jobs, tokens)
            done = [(number, tuple(outcome)) for number, outcome in results.items()]
            return "done", done, own.account.dump(), self._hands.finish(own)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
            with contextlib.suppress(Exception):
                self._hands.abandon()
            return "failed", f"{type(error).__name__}: {error}", *_portrait(error)


class _Tokens:
    """Job numbers in a pipe: whoever is free takes the next."""

    def __init__(self, jobs: int) -> None:
        self._batch = jobs // _MOST_TOKENS + 1
        self._jobs = jobs
        self._reading, writing = os.pipe()
        starts = range(0, jobs, self._batch)
        _write_all(writing, b"".join(start.to_bytes(_TOKEN, "little") for start in starts))
        os.close(writing)

    def take(self) -> range:
        """Return the next job numbers; none when all are taken."""
        token = os.read(self._reading, _TOKEN)
        start = int.from_bytes(token, "little")
        return range(start, min(start + self._batch, self._jobs)) if token else range(0)

    def close(self) -> None:
        os.close(self._reading)


class _Helper:
    """A forked process of the crew, seen from the parent."""

    def __init__(self, pid: int, reading: int) -> None:
        self._pid = pid
        self._reading = reading

    def collect(self) -> tuple[Any, Any, Any]:
        """Wait for the helper's share."""
        with os.fdopen(self._reading, "rb", closefd=False) as file:
            answer = file.read()
        try:
            word, done, account, extra = marshal.loads(answer)  # noqa: S302 - from our own child
        except (EOFError, ValueError, TypeError) as error:
            raise ScanFailed("A process of the scan died") from error
        if word != "done":
            if account in _TOLD:
                raise _TOLD[account](extra)
            raise ScanFailed(f"A process of the scan failed: {done}")
        return done, account, extra

    def end(self) -> None:
        """Leave nothing running and nothing open."""
        os.close(self._reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


_TOLD: dict[str, Callable[[str], ClewError]] = {
    "full": StoreFull,
    "read-only": StoreReadOnly,
    "damaged": StoreDamaged,
}
"""Errors of a helper that the parent raises as its own."""


def _portrait(error: BaseException) -> tuple[str, str]:
    """Return which of `_TOLD` an error is, and what it is made with."""
    if isinstance(error, StoreFull):
        return "full", error.path
    if isinstance(error, StoreReadOnly):
        return "read-only", error.path
    return ("damaged" if isinstance(error, StoreDamaged) else ""), str(error)


def _walk_share(walker: Walker, jobs: list[Job], tokens: _Tokens) -> dict[int, Outcome]:
    results: dict[int, Outcome] = {}
    while numbers := tokens.take():
        for number in numbers:
            results[number] = walker.walk(*jobs[number])
    return results


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
