from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.praisonai.place import Place


@pytest.fixture
def place(scratch: Path) -> Place:
    return Place(scratch)
