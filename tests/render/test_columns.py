from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.render.columns import pad, pad_left, shorten, width_of


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("naïve", 5),
        ("nai\u0308ve", 5),
        ("日本", 4),
        ("👍", 2),
        ("a\u200db", 2),
        ("", 0),
    ],
)
def test_width_is_counted_in_columns(text: str, width: int) -> None:
    assert width_of(text) == width


def test_padding_counts_columns() -> None:
    assert pad("日", 4) == "日  "
    assert pad_left("日", 4) == "  日"
    assert pad("too long", 3) == "too long"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("a word", 3, "a…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 1, "…"),
    ],
)
def test_text_is_cut_where_it_no_longer_fits(text: str, width: int, shown: str) -> None:
    assert shorten(text, width) == shown


@given(st.text(), st.integers(1, 40))
def test_shortened_text_always_fits(text: str, width: int) -> None:
    assert width_of(shorten(text, width)) <= width
