from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.scratch import Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    """An empty project and an open store."""
    scratch = Scratch(tmp_path)
    yield scratch
    scratch.close()
