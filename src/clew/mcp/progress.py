"""Progress of a call: a thread works and says where it is, the event loop passes it on.

What is counted starts again with every phase, and a check counts nothing at all; so the number that
grows is the time in seconds since the server began, and the words beside it say what is going on.
A call that asks a person does its work in two parts, and the number must grow over both.
"""

from __future__ import annotations

import time
from contextlib import suppress

import anyio
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from clew.monitor import Monitor
from clew.policy.redaction.redact import redact_words
from clew.render import units
from clew.render.safe import safe_line

_INTERVAL = 0.2
"""Seconds between two looks at what the thread has said."""
_BEGAN = time.monotonic()
_SIGN_OF_LIFE = 2.0
"""Seconds after which we say that it still goes on."""

_PHASES = {
    "scan": "Reading",
    "stage": "Preparing",
    "switch": "Restoring",
    "verify": "Checking",
    "write": "Writing",
}


class ProgressReporter(Monitor):
    """Hears of the work in its thread; asked from the event loop, it tells the client."""

    shows_progress = True

    def __init__(self) -> None:
        self._said_at = time.monotonic()
        self._words = ""
        self._passed_on = ""

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        what = _PHASES.get(phase) or safe_line(phase, 20).capitalize()
        amount = f"{done:,} of {units.count(total, 'file')}" if total else units.count(done, "file")
        self._words = f"{what}: {amount}" + (f", {units.size(size)}" if size else "")

    def notice(self, text: str) -> None:
        self._words = safe_line(redact_words(text), 300)

    def waiting(self, what: str) -> None:
        self._words = f"Waiting for another clew: {safe_line(what)}"

    async def keep_telling(self, context: Context) -> None:
        """Pass on what is said, until this is cancelled."""
        while True:
            await anyio.sleep(_INTERVAL)
            await self.tell(context)

    async def tell(self, context: Context) -> None:
        """Pass on what was said since the last time, or that it goes on."""
        now = time.monotonic()
        words = self._words
        if words == self._passed_on and now - self._said_at < _SIGN_OF_LIFE:
            return
        self._passed_on, self._said_at = words, now
        # Nobody may be there any more; the work goes on all the same.
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.report_progress(round(now - _BEGAN, 3), None, words or "At work")
