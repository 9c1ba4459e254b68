"""Waiting for what was said: some agents tell of a batch before its results are in the transcript.

A checkpoint that did not wait would hold the files of calls whose results its conversation does not
know.  It waits only if there is a checkpoint to make, and not for long.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

PATIENCE = 0.6
_PAUSE = 0.005
_TAIL = 4 << 20


def wait_for_results(transcript: str, calls: Iterable[str], patience: float = PATIENCE) -> bool:
    """Return once the results of all calls are written down; False if they never were."""
    wanted = [b'"tool_use_id":"%s"' % call.encode(errors="replace") for call in calls if call]
    until = time.monotonic() + patience
    while True:
        tail = _tail(transcript)
        if tail is None or all(one in tail for one in wanted):
            return tail is not None
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE)


def _tail(path: str) -> bytes | None:
    try:
        # What is no file after all is not waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read(_TAIL)
    except OSError:
        return None
