"""A project with its own store, and a saver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.agents.langgraph import ClewSaver


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with one file."""
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.txt").write_text("begin\n")
    return place


@pytest.fixture
def workspace(project: Path, tmp_path: Path) -> Iterator[clew.Workspace]:
    with clew.open(project, store=tmp_path / "store", create=True) as workspace:
        yield workspace


@pytest.fixture
def saver(workspace: clew.Workspace) -> Iterator[ClewSaver]:
    with ClewSaver(workspace) as saver:
        yield saver
