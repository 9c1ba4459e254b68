"""A directory that an ordinary user may walk to and work in; pytest's own is for its owner only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.everything import release
from tests.kit.removing import remove


@pytest.fixture
def open_place() -> Iterator[Path]:
    place = Path(os.path.realpath(tempfile.mkdtemp(prefix="open-")))
    place.chmod(0o777)
    yield place
    release(place)
    remove(place)
