"""Transcript polling: wait until an agent has written the results of a batch to its transcript.

Some agents report a batch before that.  Without waiting, a checkpoint would contain the files of
calls whose results are missing from its conversation.  We wait only if a checkpoint is due, and with
a time limit.

Only the transcript shows whether a call ran at all: a batch lists refused calls like successful ones.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable

TIMEOUT_SECONDS = 2.0
_EFFECT_TIMEOUT_SECONDS = 3.0
_POLL_SECONDS = 0.005
_TAIL_BYTES = 4 << 20


def wait_for_results(
    transcript: str, calls: Iterable[str], timeout: float = TIMEOUT_SECONDS
) -> bool:
    """Wait until the results of all calls are in the transcript; return whether they are."""
    wanted = [_result_marker(call) for call in calls if call]
    until = time.monotonic() + timeout
    while True:
        tail = _tail(transcript)
        if tail is not None and all(one in tail for one in wanted):
            return True
        if tail is None and not _may_appear(transcript):
            return False
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_SECONDS)


def has_failed(transcript: str, call: str, timeout: float = _EFFECT_TIMEOUT_SECONDS) -> bool | None:
    """Return whether a call failed or was refused, by the transcript; None if it is not there."""
    if not call or not wait_for_results(transcript, [call], timeout):
        return None
    lines = (_tail(transcript) or b"").splitlines()
    found = next((line for line in reversed(lines) if _result_marker(call) in line), b"")
    try:
        parts = json.loads(found)["message"]["content"]
        return any(one.get("is_error") is True for one in parts if one.get("tool_use_id") == call)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _may_appear(path: str) -> bool:
    """Return whether a file that cannot be read may only be missing so far.

    An agent may create it after its first call.
    """
    directory = os.path.dirname(path)  # one for each project, which the agent may create, too
    return not os.path.lexists(path) and (
        os.path.isdir(directory) or os.path.isdir(os.path.dirname(directory))
    )


def _result_marker(call: str) -> bytes:
    return b'"tool_use_id":"%s"' % call.encode(errors="replace")


def _tail(path: str) -> bytes | None:
    try:
        # O_NONBLOCK: do not wait for a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL_BYTES, 0))
            return file.read(_TAIL_BYTES)
    except OSError:
        return None
