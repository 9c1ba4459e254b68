"""Random edits, saves, restores, undos, redos, deletes and collections never lose a byte.

`CLEW_TEST_PROFILE=thorough` looks longer, and somewhere else each time.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.kit.history import History

THOROUGH = os.environ.get("CLEW_TEST_PROFILE") == "thorough"
SETTINGS = settings(
    max_examples=1000 if THOROUGH else 60,
    stateful_step_count=60 if THOROUGH else 25,
    derandomize=not THOROUGH,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=list(Phase) if THOROUGH else [Phase.explicit, Phase.generate],  # shrinking takes minutes
    print_blob=True,
)


@pytest.mark.slow
def test_history_behaves_like_plain_copies(scratch: Path) -> None:
    class Here(History):
        base = scratch

    run_state_machine_as_test(Here, settings=SETTINGS)


@pytest.mark.slow
def test_history_behaves_like_plain_copies_on_a_disk(on_ext4: Path) -> None:
    class Here(History):
        base = on_ext4

    few = settings(SETTINGS, max_examples=SETTINGS.max_examples // 6)
    run_state_machine_as_test(Here, settings=few)
