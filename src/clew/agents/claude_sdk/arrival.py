"""Waiting for what was said: Claude Code tells of a batch before its results are written down.

It writes a tenth of a second later, hook or not.  A checkpoint that did not wait would hold files of
calls whose results its conversation does not know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import anyio
import anyio.to_thread

PATIENCE = 5.0
IMPATIENCE = 0.2
"""For who has waited in vain: a newer version may write something else."""
_PAUSE = 0.01


class Arrivals(Protocol):
    """Knows which results of calls are written down."""

    def has(self, calls: Iterable[str]) -> bool:
        """Tell whether the results of all these calls are."""
        ...


async def arrived(arrivals: Arrivals, calls: Iterable[str], patience: float) -> bool:
    """Wait until the results of calls are written down; tell whether they are."""
    wanted = [call for call in calls if call]
    with anyio.move_on_after(patience):
        while not await anyio.to_thread.run_sync(arrivals.has, wanted):
            await anyio.sleep(_PAUSE)
        return True
    return False


class Mirrored:
    """Results among the entries that a session store was given."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether anybody will ask; else nothing is remembered."""
        self._calls: set[str] = set()

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """Note the results in some entries."""
        if self.is_watched:
            for entry in entries:
                self._calls.update(_answered(entry))

    def has(self, calls: Iterable[str]) -> bool:
        return self._calls.issuperset(calls)

    def forget(self, calls: Iterable[str]) -> None:
        """Nobody will ask for these again."""
        self._calls.difference_update(calls)


class TranscriptTail:
    """Results in a transcript that grows."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._at = 0
        self._read = b""

    def has(self, calls: Iterable[str]) -> bool:
        try:
            with open(self._path, "rb") as file:
                file.seek(self._at)
                self._read += file.read()
                self._at = file.tell()
        except OSError:
            return True  # there is nothing to wait for
        missing = [
            call for call in calls if b'"tool_use_id":"%s"' % call.encode() not in self._read
        ]
        if not missing:
            self._read = b""  # what comes next is behind it
        return not missing


def _answered(entry: dict[str, Any]) -> set[str]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    found = (block.get("tool_use_id") for block in blocks if isinstance(block, dict))
    return {one for one in found if isinstance(one, str)}
