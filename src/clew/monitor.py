"""What a watcher may like to know while an operation runs: progress, and what it survived.

Operations never print.  The terminal draws a line, a page streams events, tests record.
"""

from __future__ import annotations


class Monitor:
    """Hears everything and does nothing; surfaces override what they care for."""

    shows_progress = False
    """Whether somebody watches: then a first save counts first how much there is to read."""

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        """Told now and then how far `phase` is, in files, and how many bytes were read."""

    def notice(self, text: str) -> None:
        """Told of something the user should know although the work goes on."""

    def problem(self, path: bytes, text: str) -> None:
        """Told of one path that could not be handled; the rest goes on."""

    def waiting(self, what: str) -> None:
        """Told that another process is being waited for."""


class RecordingMonitor(Monitor):
    """Keeps what it hears, for tests and for results."""

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.problems: list[tuple[bytes, str]] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def problem(self, path: bytes, text: str) -> None:
        self.problems.append((path, text))


class Once(Monitor):
    """Passes on what it hears, and each notice only once: for work that is done again and again."""

    def __init__(self, listener: Monitor) -> None:
        self._listener = listener
        self._said: set[str] = set()
        self.shows_progress = listener.shows_progress

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        self._listener.progress(phase, done, total, size)

    def problem(self, path: bytes, text: str) -> None:
        self._listener.problem(path, text)

    def waiting(self, what: str) -> None:
        self._listener.waiting(what)

    def notice(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._listener.notice(text)
