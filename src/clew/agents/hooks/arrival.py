"""Waiting for what was said: some agents tell of a batch before its results are in the transcript.

A checkpoint that did not wait would hold the files of calls whose results its conversation does not
know.  It waits only if there is a checkpoint to make, and not for long.

And nobody but the transcript tells whether a call ran at all: what was refused is in the batch like
what went well.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable

PATIENCE = 2.0
_PATIENCE_FOR_ACTS = 3.0
_PAUSE = 0.005
_TAIL = 4 << 20


def wait_for_results(transcript: str, calls: Iterable[str], patience: float = PATIENCE) -> bool:
    """Return once the results of all calls are written down; False if they never were."""
    wanted = [_mark(call) for call in calls if call]
    until = time.monotonic() + patience
    while True:
        tail = _tail(transcript)
        if tail is None or all(one in tail for one in wanted):
            return tail is not None
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE)


def has_failed(transcript: str, call: str, patience: float = _PATIENCE_FOR_ACTS) -> bool | None:
    """Tell whether a call failed or was refused, as it was written down; None if it never was."""
    if not call or not wait_for_results(transcript, [call], patience):
        return None
    lines = (_tail(transcript) or b"").splitlines()
    found = next((line for line in reversed(lines) if _mark(call) in line), b"")
    try:
        parts = json.loads(found)["message"]["content"]
        return any(one.get("is_error") is True for one in parts if one.get("tool_use_id") == call)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _mark(call: str) -> bytes:
    return b'"tool_use_id":"%s"' % call.encode(errors="replace")


def _tail(path: str) -> bytes | None:
    try:
        # What is no file after all is not waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read(_TAIL)
    except OSError:
        return None
