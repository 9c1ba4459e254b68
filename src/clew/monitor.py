"""Monitors: callbacks for progress, notices and problems of an operation.

Operations never print: the terminal draws a progress line, tests record.
"""

from __future__ import annotations


class Monitor:
    """Ignores everything; surfaces override what they need."""

    shows_progress = False
    """Whether progress is displayed: a first save then counts the files before it reads them."""

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        """Receive the progress of `phase`: files done, files in total, bytes read."""

    def notice(self, text: str) -> None:
        """Receive a message for the user; the operation continues."""

    def problem(self, path: bytes, text: str) -> None:
        """Receive a path that could not be processed; the operation continues."""

    def waiting(self, what: str) -> None:
        """Receive what another process holds while the operation waits for it."""


class RecordingMonitor(Monitor):
    """Records notices and problems, for tests and results."""

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.problems: list[tuple[bytes, str]] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def problem(self, path: bytes, text: str) -> None:
        self.problems.append((path, text))


class Once(Monitor):
    """Forwards everything, but each notice only once, for repeated work."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._seen: set[str] = set()
        self.shows_progress = monitor.shows_progress

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        self._monitor.progress(phase, done, total, size)

    def problem(self, path: bytes, text: str) -> None:
        self._monitor.problem(path, text)

    def waiting(self, what: str) -> None:
        self._monitor.waiting(what)

    def notice(self, text: str) -> None:
        if text not in self._seen:
            self._seen.add(text)
            self._monitor.notice(text)
