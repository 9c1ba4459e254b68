"""A workspace with one file and a first checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.model.signals import Signals
from clew.operations.save import commit as save
from clew.store import layout
from clew.workspace import Workspace
from tests.agents_hooks.hooking import Hook
from tests.agents_hooks.watched import Watched
from tests.kit.running import Clew


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserve little space in a store, and do not observe processes and ports."""
    monkeypatch.setattr(layout, "RESERVE_BYTES", 1 << 16)
    monkeypatch.setattr(save, "observe", lambda *_, **__: Signals())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "kept.txt").write_text("to be kept")
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path, quiet: None) -> Iterator[Workspace]:
    with opening.open(project, store=tmp_path / "store", create=True) as opened:
        opened.save("start")
        yield opened


@pytest.fixture
def agent(ws: Workspace, project: Path, tmp_path: Path) -> Watched:
    """A simulated agent with a watch and its own transcript."""
    return Watched(ws, project, tmp_path / "talk.jsonl")


@pytest.fixture
def hook(clew: Clew) -> Hook:
    """The hook, in a workspace with one file and a first checkpoint."""
    (clew.workspace / "kept.txt").write_text("to be kept")
    clew.save("start")
    return Hook(clew)
