"""Several processes do one piece of work side by side.

Python does one thing at a time; two processes do nearly twice as much.
They are forked before any thread starts, share out the jobs through a pipe of numbers (whoever is
free takes the next), and each helper hands what came of its share back as one marshalled value.
A helper that dies takes the whole work with it: no share is ever missing.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
from collections.abc import Callable, Iterator

from clew.errors import ClewError, ScanFailed, StoreDamaged, StoreFull, StoreReadOnly
from clew.worktree.syscalls import die_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


Numbers = Iterator[int]
"""The jobs of one process, until none are left."""

_TOKEN = 4
_MOST_TOKENS = 4096  # so many fit into a pipe


def processors() -> int:
    """Return how many processes may run side by side, four at most."""
    return min(4, len(os.sched_getaffinity(0)))


def side_by_side(
    processes: int,
    jobs: int,
    here: Callable[[Numbers], T],
    there: Callable[[int, Numbers], Any],
    adopt: Callable[[Any], None],
) -> T:
    """Do the jobs `here` and, in helper number n, `there`; return what came of ours.

    `adopt` is given what each helper returned, also when another one failed: what they wrote
    must be ours before we give up.
    """
    tokens = _Tokens(jobs)
    helpers = [_fork(number, tokens, there) for number in range(processes - 1)]
    try:
        ours = here(tokens.take_all())
        failures: list[ClewError] = []
        for helper in helpers:
            try:
                adopt(helper.collect())
            except ClewError as error:
                failures.append(error)
        if failures:
            raise failures[0]
    finally:
        tokens.close()
        for helper in helpers:
            helper.end()
    return ours


class _Tokens:
    """Job numbers in a pipe: whoever is free takes the next."""

    def __init__(self, jobs: int) -> None:
        self._batch = jobs // _MOST_TOKENS + 1
        self._jobs = jobs
        self._reading, writing = os.pipe()
        starts = range(0, jobs, self._batch)
        _write_all(writing, b"".join(start.to_bytes(_TOKEN, "little") for start in starts))
        os.close(writing)

    def take_all(self) -> Numbers:
        """Yield the next job numbers until all are taken, by us or by others."""
        while token := os.read(self._reading, _TOKEN):
            start = int.from_bytes(token, "little")
            yield from range(start, min(start + self._batch, self._jobs))

    def close(self) -> None:
        os.close(self._reading)


def _fork(number: int, tokens: _Tokens, there: Callable[[int, Numbers], Any]) -> _Helper:
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
        try:
            answer: tuple[Any, ...] = ("done", there(number, tokens.take_all()))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
            answer = ("failed", f"{type(error).__name__}: {error}", *_portrait(error))
        _write_all(writing, marshal.dumps(answer, 2))
        status = 0
    finally:
        os._exit(status)  # the parent's files and connections are not ours to close


class _Helper:
    """A forked process, seen from the parent."""

    def __init__(self, pid: int, reading: int) -> None:
        self._pid = pid
        self._reading = reading

    def collect(self) -> Any:
        """Wait for what came of the helper's share."""
        with os.fdopen(self._reading, "rb", closefd=False) as file:
            answer = file.read()
        try:
            word, *rest = marshal.loads(answer)  # noqa: S302 - from our own child
        except (EOFError, ValueError, TypeError) as error:
            raise ScanFailed("A helper process died") from error
        if word == "done":
            return rest[0]
        text, kind, made_with = rest
        if kind in _TOLD:
            raise _TOLD[kind](made_with)
        raise ScanFailed(f"A helper process failed: {text}")

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


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
