"""The command line on a library that only remembers and answers."""

from __future__ import annotations

import pytest

from tests.cli.fakes import FakeClew


@pytest.fixture
def fake() -> FakeClew:
    return FakeClew()
