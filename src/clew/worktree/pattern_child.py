"""Regular expressions in a child process: a pattern that never ends is stopped by the kernel.

Python cannot interrupt a match.  The child has a limit of processor time for each text, after which
the kernel ends it, and a limit of memory.  The pattern is compiled in the child too.
"""

from __future__ import annotations

import marshal
import os
import re
import resource
import signal
import socket
from contextlib import suppress
from functools import partial
from struct import Struct

from clew.atomic_write import write_all
from clew.worktree.child_process import start_child

SECONDS = 2.0
"""Processor time for one text."""
_MEMORY = 512 << 20
_MOST_SPANS = 20
"""Matches of one line that are returned."""
_HEAD = Struct("<I")

Lines = list[tuple[int, list[tuple[int, int]]]]
"""Numbers of lines from 0, each with the start and end of the matches in it, in characters."""


class BadPattern(ValueError):
    """The pattern cannot be compiled."""


class TooSlow(Exception):
    """The pattern used up its time or memory on one text."""


class PatternChild:
    """Finds a pattern in texts, line by line."""

    def __init__(
        self,
        pattern: str,
        *,
        is_fixed: bool = False,
        ignores_case: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        """Compile the pattern; raise `BadPattern` if that fails."""
        self._body = partial(_serve, pattern, is_fixed, ignores_case, seconds)
        self._pid = 0
        self._socket = -1
        try:
            self._start()
        except TooSlow as error:
            raise BadPattern("it takes too long to compile") from error

    def search(self, text: bytes) -> Lines:
        """Return the lines with a match; raise `TooSlow` if that takes too long.

        The next call starts the child again.
        """
        if not self._pid:
            self._start()
        found: Lines = marshal.loads(self._ask(text))  # noqa: S302 - from our own child
        return found

    def close(self) -> None:
        """Kill the child, and wait for it."""
        if not self._pid:
            return
        os.close(self._socket)
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._pid = 0

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            self._pid = start_child(self._body, theirs.fileno())
        finally:
            theirs.close()
            self._socket = ours.detach()
        problem = self._answer()
        if problem:
            self.close()
            raise BadPattern(problem.decode())

    def _ask(self, text: bytes) -> bytes:
        try:
            write_all(self._socket, _HEAD.pack(len(text)) + text)
        except OSError as error:
            self.close()
            raise TooSlow from error
        return self._answer()

    def _answer(self) -> bytes:
        try:
            answer = _received(self._socket)
        except OSError:
            answer = None
        if answer is None:
            self.close()
            raise TooSlow
        return answer


def _received(descriptor: int) -> bytes | None:
    """Return one message; None at the end."""
    head = _exactly(descriptor, _HEAD.size)
    return None if head is None else _exactly(descriptor, _HEAD.unpack(head)[0])


def _exactly(descriptor: int, length: int) -> bytes | None:
    found = bytearray()
    while len(found) < length:
        piece = os.read(descriptor, length - len(found))
        if not piece:
            return None
        found += piece
    return bytes(found)


# In the child


def _serve(
    pattern: str, is_fixed: bool, ignores_case: bool, seconds: float, descriptor: int
) -> None:
    for number in (signal.SIGINT, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    _limit_memory()
    flags = re.IGNORECASE if ignores_case else re.NOFLAG
    problem = b""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        compiled = re.compile(re.escape(pattern) if is_fixed else pattern, flags)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        problem = str(error).encode("utf-8", "replace") or b"too large"
    _send(descriptor, problem)
    while not problem and (text := _received(descriptor)) is not None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        found = _matching_lines(compiled, text)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _send(descriptor, marshal.dumps(found))


def _matching_lines(pattern: re.Pattern[str], text: bytes) -> Lines:
    found = []
    for number, line in enumerate(text.decode("utf-8", "surrogateescape").split("\n")):
        first = pattern.search(line.removesuffix("\r"))
        if first is not None:
            spans: list[tuple[int, int]] = []
            for match in pattern.finditer(line.removesuffix("\r")):
                if len(spans) >= _MOST_SPANS:
                    break
                if match.end() > match.start():
                    spans.append(match.span())
            found.append((number, spans))
    return found


def _limit_memory() -> None:
    with open("/proc/self/statm", "rb") as file:
        held = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (held + _MEMORY, held + _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _send(descriptor: int, content: bytes) -> None:
    write_all(descriptor, _HEAD.pack(len(content)) + content)
