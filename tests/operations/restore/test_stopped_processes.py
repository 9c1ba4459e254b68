"""A restore brings back files and says which programs it cannot bring back."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.restore_results import Stopped
from clew.model.signals import Listening, Running, Signals
from clew.operations.restore import stopped_processes
from clew.operations.save import commit as save
from clew.workspace import Workspace

SERVER = Running("python3 -m http.server 8000", "/srv/app")
PORT = Listening("tcp", "127.0.0.1", 8000, SERVER.command, SERVER.directory)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> list[Signals]:
    """What is observed now: the last of these."""
    seen = [Signals()]
    for module in (save, stopped_processes):
        monkeypatch.setattr(module, "observe", lambda *_, **__: seen[-1])
    return seen


def test_what_ran_then_and_not_now_is_said(
    ws: Workspace, project: Path, running: list[Signals]
) -> None:
    running.append(Signals((PORT,), (SERVER,)))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")
    ws.save("second")
    running.append(Signals())

    result = ws.restore(first)

    assert result.stopped == (Stopped(*SERVER, ("127.0.0.1:8000",)),)


def test_what_still_runs_is_not_said(ws: Workspace, project: Path, running: list[Signals]) -> None:
    running.append(Signals((PORT,), (SERVER,)))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")

    assert ws.restore(first).stopped == ()


def test_a_look_that_was_cut_short_says_nothing(
    ws: Workspace, project: Path, running: list[Signals]
) -> None:
    running.append(Signals((PORT,), (SERVER,)))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")
    running.append(Signals(complete=False))

    assert ws.restore(first).stopped == ()
