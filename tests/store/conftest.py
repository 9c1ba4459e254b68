from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.signals import Signals
from clew.operations.save import commit as save
from clew.store import layout
from tests.store.scratch import Scratch


@pytest.fixture(autouse=True)
def small_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the reserve small: 64 MiB for each of many stores would fill a small disk."""
    monkeypatch.setattr(layout, "RESERVE_BYTES", 1 << 16)


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observe no processes: unrelated listeners would add an object to each checkpoint."""
    monkeypatch.setattr(save, "observe", lambda *_, **__: Signals())


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    """An empty project and an open store."""
    scratch = Scratch(tmp_path)
    yield scratch
    scratch.close()
