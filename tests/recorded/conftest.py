"""The recorded session, opened once for the tests that only read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.recorded.opening import Shop, opened


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with opened(tmp_path_factory.mktemp("recorded")) as found:
        yield found


@pytest.fixture(scope="session")
def working_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The same with work that is not saved."""
    with opened(tmp_path_factory.mktemp("working")) as found:
        found.work_on()
        yield found
