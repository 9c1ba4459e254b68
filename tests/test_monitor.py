"""Monitors hear what happens, and pass on what they should."""

from __future__ import annotations

from clew.monitor import Once, RecordingMonitor


class Listener(RecordingMonitor):
    """Also hears progress and waits."""

    shows_progress = True

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[object, ...]] = []

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        self.heard.append((phase, done, total, size))

    def waiting(self, what: str) -> None:
        self.heard.append((what,))


def test_a_notice_is_passed_on_once_and_everything_else_each_time() -> None:
    listener = Listener()
    once = Once(listener)
    for _ in range(2):
        once.notice("shared")
        once.progress("scan", 1, 2, 3)
        once.problem(b"path", "unreadable")
        once.waiting("the store")
    once.notice("another")

    assert once.shows_progress
    assert listener.notices == ["shared", "another"]
    assert listener.problems == [(b"path", "unreadable")] * 2
    assert listener.heard == [("scan", 1, 2, 3), ("the store",)] * 2
