"""The command line on samples, so that what the pages show can be printed anywhere."""

from __future__ import annotations

import pytest

from tests.cli.fakes import FakeClew


@pytest.fixture
def fake() -> FakeClew:
    return FakeClew()
