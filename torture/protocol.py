"""Protocol: what the fork server is asked to run, and what it answers.

The numbers are those of `torture/shim.c`.
"""

from __future__ import annotations

from typing import NamedTuple

COUNT, KILL_PROCESS, KILL_GROUP, TORN, FAIL, FAIL_ALL, SHORT, TRACE = range(8)
CHANGES, READS, OPENS, ALLOCATES, SYNCS = 1, 2, 4, 8, 16


class Fault(NamedTuple):
    """What happens at the `at`th counted call; `error` is an errno."""

    action: int = COUNT
    at: int = 0
    mask: int = CHANGES
    error: int = 0


class Clock(NamedTuple):
    """Nanoseconds added to the real-time clock, and from the `step_at`th counted call on."""

    offset_ns: int = 0
    step_at: int = 0
    step_ns: int = 0


class Request(NamedTuple):
    """A command line, where it runs, and what happens to it."""

    words: list[str]
    env: dict[str, str]
    cwd: str
    stdin: bytes
    fault: Fault
    clock: Clock
    kill_after: float | None
    kills_group: bool
    timeout: float


class Response(NamedTuple):
    """The end of a command; `code` is negative for a signal."""

    code: int
    out: str
    err: str
    seconds: float
    cpu_seconds: float
    calls: int
    """Counted calls."""
    hit: str
    """Name of the call that was hit, empty if it was not reached."""
    sites: list[tuple[int, str, int, str]]
    """Of a traced command: index, name and kinds of each call, and where clew makes it."""
