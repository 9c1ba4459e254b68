"""Result tracking: wait until the results of a batch have reached the session store.

Claude Code reports a batch about 0.1 s before that, whether or not a hook runs.  Without waiting, a
checkpoint would contain the files of calls whose results are missing from its conversation;
`hooks/arrival.py` does the same for transcripts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio

TIMEOUT_SECONDS = 5.0
SHORT_TIMEOUT_SECONDS = 0.2
"""After a first timeout: a newer version may write results in another form."""
_POLL_SECONDS = 0.01


class ReceivedResults:
    """The calls whose results a session store has received."""

    def __init__(self) -> None:
        self.is_enabled = False
        """Whether hooks wait for results; otherwise nothing is recorded."""
        self._calls: set[str] = set()

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """Record the results in some entries."""
        if self.is_enabled:
            for entry in entries:
                self._calls.update(_answered(entry))

    def has(self, calls: Iterable[str]) -> bool:
        return self._calls.issuperset(calls)

    def forget(self, calls: Iterable[str]) -> None:
        """Drop calls that are no longer waited for."""
        self._calls.difference_update(calls)


async def wait_for_results(received: ReceivedResults, calls: Iterable[str], timeout: float) -> bool:
    """Wait until the results of calls have wait_for_results; return whether they have."""
    wanted = [call for call in calls if call]
    with anyio.move_on_after(timeout):
        while not received.has(wanted):
            await anyio.sleep(_POLL_SECONDS)
        return True
    return False


def _answered(entry: dict[str, Any]) -> set[str]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    found = (block.get("tool_use_id") for block in blocks if isinstance(block, dict))
    return {one for one in found if isinstance(one, str)}
