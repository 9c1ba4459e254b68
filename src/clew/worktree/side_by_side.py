"""Parallel jobs: forked helper processes share the jobs of one piece of work.

Python runs one thread at a time; two processes do nearly twice as much.
Job numbers are in a pipe, from which each process takes the next when it is free.  Each helper
returns the result of its share as one marshalled value.
If a helper dies, the whole work fails: no share is ever missing.
In a process with several threads, which must not fork, that process does every job itself.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Iterator
from functools import partial

from clew.atomic_write import write_all
from clew.errors import ClewError, ScanFailed, StoreDamaged, StoreFull, StoreReadOnly
from clew.worktree.child_process import Child, can_fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


Numbers = Iterator[int]
"""The jobs of one process, until none are left."""

_TOKEN = 4
_MOST_TOKENS = 4096  # so many fit into a pipe


def side_by_side(
    processes: int,
    jobs: int,
    here: Callable[[Numbers], T],
    there: Callable[[int, Numbers], Any],
    adopt: Callable[[Any], None],
) -> T:
    """Do the jobs `here` and, in helper number n, `there`; return the result of `here`.

    `adopt` is given each helper's result, also when another one failed: what they wrote must be
    known here before the error is raised.
    """
    tokens = _Tokens(jobs)
    helpers: list[Child] = []
    try:
        for number in range(processes - 1 if processes > 1 and can_fork() else 0):
            helpers.append(Child(partial(_help, tokens, there, number), must_fork=True))
        ours = here(tokens.take_all())
        failures: list[ClewError] = []
        for helper in helpers:
            try:
                adopt(_collect(helper))
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
    """Job numbers in a pipe that all processes read."""

    def __init__(self, jobs: int) -> None:
        self._batch = jobs // _MOST_TOKENS + 1
        self._jobs = jobs
        self._reading, writing = os.pipe()
        starts = range(0, jobs, self._batch)
        write_all(writing, b"".join(start.to_bytes(_TOKEN, "little") for start in starts))
        os.close(writing)

    def take_all(self) -> Numbers:
        """Yield the next job numbers until all are taken, by us or by others."""
        while token := os.read(self._reading, _TOKEN):
            start = int.from_bytes(token, "little")
            yield from range(start, min(start + self._batch, self._jobs))

    def close(self) -> None:
        os.close(self._reading)


def _help(tokens: _Tokens, there: Callable[[int, Numbers], Any], number: int, output: int) -> None:
    try:
        answer: tuple[Any, ...] = ("done", there(number, tokens.take_all()))
    except BaseException as error:  # noqa: BLE001 - the parent reports it, whatever it is
        answer = ("failed", f"{type(error).__name__}: {error}", *_encode_error(error))
    write_all(output, marshal.dumps(answer, 2))


def _collect(helper: Child) -> Any:
    """Wait for a helper's result."""
    try:
        word, *rest = marshal.loads(helper.read_all())  # noqa: S302 - from our own child
    except (EOFError, ValueError, TypeError) as error:
        raise ScanFailed("A helper process died") from error
    if word == "done":
        return rest[0]
    text, kind, argument = rest
    if kind in _RAISED_HERE:
        raise _RAISED_HERE[kind](argument)
    raise ScanFailed(f"A helper process failed: {text}")


_RAISED_HERE: dict[str, Callable[[str], ClewError]] = {
    "full": StoreFull,
    "read-only": StoreReadOnly,
    "damaged": StoreDamaged,
}
"""Errors of a helper that the parent raises itself."""


def _encode_error(error: BaseException) -> tuple[str, str]:
    """Return the key of an error in `_RAISED_HERE`, and its argument."""
    if isinstance(error, StoreFull):
        return "full", error.path
    if isinstance(error, StoreReadOnly):
        return "read-only", error.path
    return ("damaged" if isinstance(error, StoreDamaged) else ""), str(error)
