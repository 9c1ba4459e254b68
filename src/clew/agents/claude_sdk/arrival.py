"""Waiting for what was said: Claude Code tells of a batch before its results come to the store.

They come a tenth of a second later, hook or not.  A checkpoint that did not wait would hold files of
calls whose results its conversation does not know; `hooks/arrival.py` is the same for transcripts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio

PATIENCE = 5.0
IMPATIENCE = 0.2
"""For who has waited in vain: a newer version may write something else."""
_PAUSE = 0.01


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


async def arrived(mirrored: Mirrored, calls: Iterable[str], patience: float) -> bool:
    """Wait until the results of calls are written down; tell whether they are."""
    wanted = [call for call in calls if call]
    with anyio.move_on_after(patience):
        while not mirrored.has(wanted):
            await anyio.sleep(_PAUSE)
        return True
    return False


def _answered(entry: dict[str, Any]) -> set[str]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    found = (block.get("tool_use_id") for block in blocks if isinstance(block, dict))
    return {one for one in found if isinstance(one, str)}
