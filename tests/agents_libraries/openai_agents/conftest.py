"""A workspace for an agent of the SDK, and nothing that asks the network for anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.workspace import Workspace

agents = pytest.importorskip("agents")


@pytest.fixture(autouse=True)
def _no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the SDK from sending traces: no key, no exporter."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agents.set_tracing_disabled(True)


@pytest.fixture(autouse=True)
def _log_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opening.open(project, store=tmp_path / "store", create=True) as opened:
        yield opened
