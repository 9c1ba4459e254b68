"""A workspace with its store, both fresh and close at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.places import open_place

__all__ = ["open_place"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def host() -> FakeHost:
    """The machine of `ws`: this one, except for what a test sets."""
    return FakeHost()


@pytest.fixture
def ws(project: Path, store: Path, host: FakeHost) -> Iterator[Workspace]:
    with opening.open(project, store=store, create=True, host=host) as opened:
        yield opened
