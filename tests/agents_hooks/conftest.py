"""A workspace with one file and a first checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.workspace import Workspace
from tests.agents_hooks.hooking import Hook
from tests.agents_hooks.watched import Watched
from tests.kit.fake_host import quiet_host
from tests.kit.running import Clew


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "kept.txt").write_text("to be kept")
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opening.open(project, store=tmp_path / "store", create=True, host=quiet_host()) as opened:
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
