"""Helpers of the tests; they share no code with clew unless a docstring says so."""

import pytest

pytest.register_assert_rewrite(
    "tests.kit.damaged_store", "tests.kit.history", "tests.kit.killing", "tests.kit.running"
)
