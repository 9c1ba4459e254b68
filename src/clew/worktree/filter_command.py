"""Filter command: a user's command that reads bytes and writes bytes.

Its time and its output are limited; processes that it leaves running are killed.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO

from clew.model.named_tuple import NamedTuple

_PIECE = 64 << 10
_STDERR_LIMIT = 4 << 10
"""How many bytes of standard error are retained."""


class Filtered(NamedTuple):
    """The result of a filter command."""

    output: bytes
    problem: str
    """Why the output must not be used; empty on success."""
    complaint: bytes
    """The end of its standard error."""


def run_filter(
    command: str,
    content: bytes,
    directory: bytes,
    environment: Mapping[str, str],
    *,
    seconds: float,
    most_bytes: int,
) -> Filtered:
    """Run a command line with `content` on its standard input and return its output."""
    with os.fdopen(os.memfd_create("given"), "w+b") as given:  # an unread pipe would fill up
        given.write(content)
        given.seek(0)
        process = subprocess.Popen(  # noqa: S602 - a command line that the user gave
            command, shell=True, cwd=directory, env={**os.environ, **environment}, stdin=given,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    deadline = time.monotonic() + seconds
    with process.stdout as stdout, process.stderr as stderr:
        try:
            output, complaint, problem = _read_output(stdout, stderr, deadline, most_bytes)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if problem else max(deadline - time.monotonic(), 0))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    if not problem and code:
        problem = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
    return Filtered(output, problem, complaint)


def _read_output(
    stdout: IO[bytes], stderr: IO[bytes], deadline: float, most_bytes: int
) -> tuple[bytes, bytes, str]:
    """Read both streams until they are closed; return them, and why reading stopped early."""
    pieces: list[bytes] = []
    size = 0
    complaint = b""
    open_streams = [stdout.fileno(), stderr.fileno()]
    while open_streams:
        left = deadline - time.monotonic()
        ready = select.select(open_streams, [], [], left)[0] if left > 0 else []
        if not ready:
            return b"".join(pieces), complaint, "it timed out"
        for descriptor in ready:
            piece = os.read(descriptor, _PIECE)
            if not piece:
                open_streams.remove(descriptor)
            elif descriptor == stderr.fileno():
                complaint = (complaint + piece)[-_STDERR_LIMIT:]
            else:
                pieces.append(piece)
                size += len(piece)
        if size > most_bytes:
            return b"", complaint, "its output is too large"
    return b"".join(pieces), complaint, ""
