"""A restore brings back files and says which programs it cannot bring back."""

from __future__ import annotations

from pathlib import Path

from clew.model.restore_results import Stopped
from clew.model.signals import Listening, Running, Signals
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost

SERVER = Running("python3 -m http.server 8000", "/srv/app")
PORT = Listening("tcp", "127.0.0.1", 8000, SERVER.command, SERVER.directory)


def test_what_ran_then_and_not_now_is_said(ws: Workspace, project: Path, host: FakeHost) -> None:
    host.signals = Signals((PORT,), (SERVER,))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")
    ws.save("second")
    host.signals = Signals()

    result = ws.restore(first)

    assert result.no_longer_running == (Stopped(*SERVER, ("127.0.0.1:8000",)),)


def test_what_still_runs_is_not_said(ws: Workspace, project: Path, host: FakeHost) -> None:
    host.signals = Signals((PORT,), (SERVER,))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")

    assert ws.restore(first).no_longer_running == ()


def test_a_look_that_was_cut_short_says_nothing(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    host.signals = Signals((PORT,), (SERVER,))
    (project / "file").write_text("1")
    first = ws.save("first").checkpoint.id.hex()
    (project / "file").write_text("2")
    host.signals = Signals(complete=False)

    assert ws.restore(first).no_longer_running == ()
