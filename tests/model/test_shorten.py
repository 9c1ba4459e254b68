"""Shortened text: always within its limit, and cut where a reader sees it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.shorten import shorten, shorten_line, shorten_to_width, width_of


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("a word", 3, "a…"),
        ("a word", 1, "…"),
        ("日本語", 3, "日本語"),
        ("two\nlines", 5, "two…"),
    ],
)
def test_text_is_cut_after_a_number_of_characters(text: str, limit: int, shown: str) -> None:
    assert shorten(text, limit) == shown


@given(st.text(), st.integers(1, 50))
def test_a_line_is_one_line_and_fits(text: str, limit: int) -> None:
    found = shorten_line(text, limit)

    assert len(found) <= limit
    assert found == " ".join(found.split())


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
    assert shorten_to_width(text, width) == shown


@given(st.text(), st.integers(1, 40))
def test_shortened_text_always_fits(text: str, width: int) -> None:
    assert width_of(shorten_to_width(text, width)) <= width
