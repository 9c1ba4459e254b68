"""A project with one file, a store, and options for a real agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions

import clew
from clew.workspace import Workspace
from tests.agents_libraries.claude_sdk.bundled import live_in, options_for

MakeOptions = Callable[..., ClaudeAgentOptions]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "old").write_text("from before\n")
    return tmp_path / "project"


@pytest.fixture
def workspace(tmp_path: Path, project: Path) -> Iterator[Workspace]:
    with clew.open(project, tmp_path / "store", create=True) as opened:
        yield opened


@pytest.fixture
def options(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> MakeOptions:
    """Makes options for a run in the project against a model at an address."""
    live_in(tmp_path, monkeypatch)
    return partial(options_for, project)
