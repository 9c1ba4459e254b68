"""What runs in a child gives the same result from a process with one thread and with several."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

import clew
from clew.model.sandbox_results import Executed
from clew.model.story import Story

T = TypeVar("T")

_events: list[str] = []
_is_listening = False


def _audit(event: str, _: Any) -> None:
    if _is_listening and event in ("os.fork", "os.posix_spawn"):
        _events.append(event)


sys.addaudithook(_audit)


@contextmanager
def events() -> Iterator[list[str]]:
    """Yield which children this process starts."""
    global _is_listening
    _events.clear()
    _is_listening = True
    try:
        yield _events
    finally:
        _is_listening = False


def from_a_thread(do: Callable[[], T]) -> T:
    """Call a function while a second thread of Python exists."""
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(do()))
    thread.start()
    thread.join()
    return results[0]


def from_here(do: Callable[[], T]) -> T:
    return do()


WAYS = pytest.mark.parametrize(
    ("call", "starts"), [(from_here, "os.fork"), (from_a_thread, "os.posix_spawn")]
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[clew.Workspace]:
    root = tmp_path / "workspace"
    for number in range(30):
        (root / f"directory {number}").mkdir(parents=True)
        (root / f"directory {number}" / "file").write_text(str(number))
    (root / ".env").write_text("A=1\n")
    (root / "requirements.txt").write_text("flask==3.0.0\n")
    workspace, _ = clew.init(root, tmp_path / "store")
    yield workspace
    workspace.close()


def _edit(workspace: clew.Workspace) -> None:
    root = Path(os.fsdecode(workspace.info.path))
    (root / ".env").write_text("A=2\nB=1\n")
    (root / "requirements.txt").write_text("flask==3.1.0\n")


def _story(workspace: clew.Workspace, *refs: str) -> Story:
    story = workspace.diff(*refs, story=True).story
    assert story is not None
    return story


@WAYS
def test_a_story_is_the_same(
    workspace: clew.Workspace, call: Callable[[Callable[[], Story]], Story], starts: str
) -> None:
    workspace.save("first")
    _edit(workspace)
    expected = _story(workspace)
    with events() as started:
        story = call(lambda: _story(workspace))

    assert story == expected
    assert ".env" in story.headline or "flask" in story.headline
    assert set(started) == {starts}


@WAYS
def test_a_saved_tree_is_the_same(
    workspace: clew.Workspace, call: Callable[[Callable[[], bytes]], bytes], starts: str
) -> None:
    expected = workspace.save("first").checkpoint.record.tree
    with events() as started:
        tree = call(lambda: workspace.save("second").checkpoint.record.tree)

    assert tree == expected
    assert set(started) <= {starts}


@WAYS
def test_a_command_in_a_sandbox_changes_the_same(
    workspace: clew.Workspace, call: Callable[[Callable[[], Executed]], Executed], starts: str
) -> None:
    workspace.save("first")
    with events() as started:
        executed = call(lambda: workspace.exec("here", "echo A=3 > .env; echo said; exit 3"))

    assert (executed.outcome.exit_code, executed.outcome.output) == (3, "said\n")
    assert executed.difference is not None
    assert executed.difference.story is not None
    assert executed.difference.story.headline == ".env ~A"
    assert set(started) == {starts}


@WAYS
def test_commands_that_are_tried_become_the_same_forks(
    workspace: clew.Workspace, call: Callable[[Callable[[], Any]], Any], starts: str
) -> None:
    workspace.save("first")
    with events() as started:
        board = call(
            lambda: workspace.try_commands("here", {"one": "echo A=3 > .env", "two": "false"})
        )

    assert [(way.name, way.outcome.exit_code) for way in board.attempts] == [("one", 0), ("two", 1)]
    assert board.attempts[0].checkpoint.headline == ".env ~A"
    assert set(started) == {starts}


def test_a_detector_that_the_user_named_works_from_a_thread(
    workspace: clew.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugged").mkdir()
    (tmp_path / "plugged" / "own_detector_in_a_test.py").write_text(_DETECTOR)
    monkeypatch.syspath_prepend(str(tmp_path / "plugged"))
    workspace.settings.set("story.detectors", "own_detector_in_a_test:Own")
    workspace.save("first")
    _edit(workspace)

    story = from_a_thread(lambda: _story(workspace))

    assert ("", "seen by the detector") in [(fact.subject, fact.after) for fact in story.facts]


_DETECTOR = """
from clew.detectors.detector import WatchedPaths

class Own:
    name, version, kinds, watch = "own", 1, (), WatchedPaths(everything=True)

    def find(self, evidence, changes):
        evidence.problem("", "seen by the detector")
        return iter(())
"""
