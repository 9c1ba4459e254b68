"""Progress reports: the worker thread states its progress, the event loop sends it to the client.

The protocol wants a number that grows.  Counts restart with every phase, and a check counts nothing,
so the number is the time in seconds since the server started, and the message says what is going on.
A call that asks a person runs in two parts, and the number must grow over both.
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
"""Seconds between two reads of what the thread states."""
_STARTED = time.monotonic()
_HEARTBEAT = 2.0
"""Seconds after which a report is sent although nothing is new."""

_PHASES = {
    "scan": "Reading",
    "stage": "Preparing",
    "switch": "Restoring",
    "verify": "Checking",
    "write": "Writing",
}


class ProgressReporter(Monitor):
    """Receives progress in the worker thread; sends it to the client from the event loop."""

    shows_progress = True

    def __init__(self) -> None:
        self._reported_at = time.monotonic()
        self._message = ""
        self._reported = ""

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        what = _PHASES.get(phase) or safe_line(phase, 20).capitalize()
        amount = f"{done:,} of {units.count(total, 'file')}" if total else units.count(done, "file")
        self._message = f"{what}: {amount}" + (f", {units.size(size)}" if size else "")

    def notice(self, text: str) -> None:
        self._message = safe_line(redact_words(text), 300)

    def waiting(self, what: str) -> None:
        self._message = f"Waiting for another clew process: {safe_line(what)}"

    async def report_repeatedly(self, context: Context) -> None:
        """Report until this is cancelled."""
        while True:
            await anyio.sleep(_INTERVAL)
            await self.report(context)

    async def report(self, context: Context) -> None:
        """Send what is new since the last report, or a heartbeat."""
        now = time.monotonic()
        message = self._message
        if message == self._reported and now - self._reported_at < _HEARTBEAT:
            return
        self._reported, self._reported_at = message, now
        # The client may be gone; the work continues.
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.report_progress(round(now - _STARTED, 3), None, message or "Working")
