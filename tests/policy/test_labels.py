"""Labels are stored as given, as far as they can be stored."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.policy.labels import INTENT_LIMIT, shorten_intent


def test_bars_newlines_and_escapes_are_kept() -> None:
    text = "fix | pipe\nsecond line\t\x1b[31mred\x1b[0m \u202ereversed"

    assert shorten_intent(text) == (text, False)


def test_a_very_long_intent_is_cut_and_the_cut_is_said() -> None:
    kept, was_cut = shorten_intent("é" * 10_000_000)

    assert (kept, was_cut) == ("é" * INTENT_LIMIT, True)


def test_an_intent_of_just_the_limit_is_not_cut() -> None:
    assert shorten_intent("x" * INTENT_LIMIT) == ("x" * INTENT_LIMIT, False)


def test_nul_and_lone_surrogates_are_replaced() -> None:
    assert shorten_intent("a\0b\udcffc\ud800") == ("a\ufffdb\ufffdc\ufffd", False)


@given(st.text(st.characters(), max_size=50))
@settings(max_examples=50)
def test_every_intent_that_is_kept_is_valid_text(text: str) -> None:
    kept, _ = shorten_intent(text)

    assert json.loads(json.dumps(kept, ensure_ascii=False).encode()) == kept
    assert len(kept) == len(text)
