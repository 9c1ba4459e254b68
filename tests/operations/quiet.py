"""A machine on which nothing runs or listens, so that stories are of files alone."""

from __future__ import annotations

import pytest

from clew.model.signals import Signals
from tests.kit.fake_host import FakeHost


@pytest.fixture
def quiet(host: FakeHost) -> FakeHost:
    host.signals = Signals(boot="a boot")
    host.story_seconds = 30.0  # other tests run at the same time
    return host
