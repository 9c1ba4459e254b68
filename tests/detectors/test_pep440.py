from __future__ import annotations

import itertools
import time

import pytest

from clew.detectors.python.pep440 import is_older, version_key

IN_ORDER = (
    "0.0.9", "1.0.dev1", "1.0a1.dev2", "1.0a1", "1.0a2", "1.0b1", "1.0rc1.dev1", "1.0rc1", "1.0",
    "1.0+abc", "1.0+5", "1.0+5.1", "1.0.post1.dev1", "1.0.post1", "1.0.1", "1.2", "1.10", "2026.1",
    "1!0.1",
)  # fmt: skip


def test_versions_are_in_the_order_of_pep_440() -> None:
    for older, newer in itertools.combinations(IN_ORDER, 2):
        assert is_older(older, newer), (older, newer)
        assert not is_older(newer, older), (newer, older)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.0", "1.0.0"),
        ("1.0alpha1", "1.0a1"),
        ("1.0-1", "1.0.post1"),
        ("v1.0-RC_2", "1.0c2"),
        ("1.0+Ubuntu-1", "1.0+ubuntu.1"),
        ("1.0.post", "1.0.post0"),
    ],
)
def test_spellings_of_one_version_are_equal(one: str, other: str) -> None:
    assert version_key(one) == version_key(other) is not None


@pytest.mark.parametrize("text", ["", "latest", "1.0-", "2004d-x", "1..0", "\x1b[31m1.0", "1.0\n2"])
def test_what_is_no_version_is_older_than_nothing(text: str) -> None:
    assert version_key(text) is None
    assert not is_older(text, "1.0")
    assert not is_older("1.0", text)


@pytest.mark.parametrize("piece", ["1.", "1.0a", "1-", "1+a.", " ", "9", "1.0.post", "!"])
def test_a_hostile_version_costs_no_time(piece: str) -> None:
    started = time.perf_counter()

    version_key(piece * 50_000)

    assert time.perf_counter() - started < 0.5
