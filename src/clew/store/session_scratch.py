"""Desks: what the hooks of a session remember from one to the next.

Each hook is a process of its own, and several may run at once; whoever sits at a desk has it alone.
Losing one costs words in the next checkpoint, never files, so nothing here is synced.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LARGEST = 1 << 20
_NAME_DIGITS = 32
_WORDS = ("prompt", "failed")
"""What people and tools said; see `agents/session_scratch.py`."""


class SessionScratchRows:
    """The files below ``desks/``."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    @contextmanager
    def at(self, session: bytes) -> Iterator[tuple[bytes, Callable[[bytes], None]]]:
        """Give what lies on a session's desk, and what puts something else there."""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        path = os.path.join(self._directory, session.hex())
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)

            def put(content: bytes) -> None:
                os.pwrite(descriptor, content, 0)
                os.ftruncate(descriptor, len(content))

            yield os.pread(descriptor, LARGEST, 0), put
            os.utime(descriptor)  # which tells when the session was last heard of
        finally:
            os.close(descriptor)

    def forget_words(self, session: bytes) -> None:
        """Forget what was asked for and what failed; which acts have no outcome yet stays."""
        if not os.path.exists(os.path.join(self._directory, session.hex())):
            return
        import json  # only a purge comes here

        with self.at(session) as (content, put):
            try:
                notes = json.loads(content)
                kept = {key: notes[key] for key in notes if key not in _WORDS}
            except (ValueError, TypeError, RecursionError):
                kept = {}
            put(json.dumps(kept).encode())

    def last_seen(self) -> dict[bytes, int]:
        """Return when each session was last heard of, in nanoseconds."""
        try:
            with os.scandir(self._directory) as entries:
                found = [entry for entry in entries if len(entry.name) == _NAME_DIGITS]
                return {bytes.fromhex(one.name): one.stat().st_mtime_ns for one in found}
        except (OSError, ValueError):
            return {}
