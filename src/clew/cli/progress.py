"""Progress line and messages on standard error.

The progress line is drawn only on a terminal, only after half a second, and at most ten times a
second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from clew.monitor import Monitor
from clew.policy.redaction.redact import redact_words
from clew.render import units
from clew.render.safe import safe_line, safe_path

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 0.5
_INTERVAL = 0.1
_CLEAR = "\r\x1b[K"

_PHASES = {
    "scan": "Reading",
    "stage": "Preparing",
    "switch": "Restoring",
    "verify": "Checking",
    "write": "Writing",
}
"""Labels of the phases of an operation; any other phase is shown by its own name."""


class ProgressLine(Monitor):
    """Redraws progress in place; notices and waits are permanent lines."""

    def __init__(self, stream: TextIO, draws: bool, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._draws = draws
        self.shows_progress = draws
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._is_drawn = False
        self._held: list[str] | None = None

    def hurry(self) -> None:
        """Draw from the start, for work that is known to take long."""
        self._next = self._clock()

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        now = self._clock()
        if not self._draws or self._held is not None or now < self._next:
            return
        self._next = now + _INTERVAL
        self._is_drawn = True
        self._write(_CLEAR + _sentence(phase, done, total, size))

    def notice(self, text: str) -> None:
        self.say(safe_line(redact_words(text), 1000))

    def problem(self, path: bytes, text: str) -> None:
        self.say(f"{safe_path(path) or '.'}: {safe_line(redact_words(text))}")

    def waiting(self, what: str) -> None:
        self.say(f"Waiting for another clew process: {safe_line(what)}")

    def say(self, line: str) -> None:
        """Write a permanent line."""
        if self._held is not None:
            self._held.append(line)
            return
        self.clear()
        self._write(line + "\n")

    def hold(self) -> None:
        """Write nothing until `release`, while another program draws on the terminal."""
        self.clear()
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Write the lines that were held back."""
        held, self._held = self._held or [], None
        for line in held:
            self.say(line)

    def clear(self) -> None:
        """Clear the progress line before other output."""
        if self._is_drawn:
            self._is_drawn = False
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _sentence(phase: str, done: int, total: int | None, size: int) -> str:
    """Return `Reading: 1,234 of 5,678 files (21 %), 12.3 MB`."""
    what = _PHASES.get(phase) or safe_line(phase, 20).capitalize()
    amount = units.count(done, "file")
    if total:
        amount = f"{done:,} of {units.count(total, 'file')} ({100 * done // total} %)"
    return f"{what}: {amount}" + (f", {units.size(size)}" if size else "")
