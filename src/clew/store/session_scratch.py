"""Session scratch: data that the hooks of a session pass from one to the next.

Each hook is a separate process, and several may run at once; access is exclusive (flock).
A lost file costs labels of the next checkpoint, never files, so nothing here is synced.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LARGEST = 1 << 20
_NAME_DIGITS = 32
_TEXT_FIELDS = ("prompt", "failed")
"""Fields with text of users and tools; see `agents/session_scratch.py`."""


class SessionScratchFiles:
    """The files below ``desks/``."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    @contextmanager
    def at(self, session: bytes) -> Iterator[tuple[bytes, Callable[[bytes], None]]]:
        """Lock a session's file; yield its content and a function that replaces it."""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        path = os.path.join(self._directory, session.hex())
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)

            def put(content: bytes) -> None:
                os.pwrite(descriptor, content, 0)
                os.ftruncate(descriptor, len(content))

            yield os.pread(descriptor, LARGEST, 0), put
            os.utime(descriptor)  # the time of the session's last event
        finally:
            os.close(descriptor)

    def forget_words(self, session: bytes) -> None:
        """Delete the text of prompts and failures; keep the list of actions without an outcome."""
        if not os.path.exists(os.path.join(self._directory, session.hex())):
            return
        import json  # imported lazily: only a purge needs it

        with self.at(session) as (content, put):
            try:
                notes = json.loads(content)
                kept = {key: notes[key] for key in notes if key not in _TEXT_FIELDS}
            except (ValueError, TypeError, RecursionError):
                kept = {}
            put(json.dumps(kept).encode())

    def is_resting(self, session: bytes) -> bool:
        """Return whether the agent has stopped and waits for a prompt."""
        import json  # imported lazily: no hook needs it

        try:
            with open(os.path.join(self._directory, session.hex()), "rb") as file:
                return json.loads(file.read(LARGEST))["resting"] is True
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return False

    def last_seen(self) -> dict[bytes, int]:
        """Return the time of each session's last event, in nanoseconds."""
        try:
            with os.scandir(self._directory) as entries:
                found = [entry for entry in entries if len(entry.name) == _NAME_DIGITS]
                return {bytes.fromhex(one.name): one.stat().st_mtime_ns for one in found}
        except (OSError, ValueError):
            return {}
