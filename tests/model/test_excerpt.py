"""Excerpts keep the match in sight."""

from __future__ import annotations

import pytest

from clew.model.excerpt import Excerpt


def marked(excerpt: Excerpt) -> list[str]:
    return [text for text, is_match in excerpt.pieces() if is_match]


def test_a_short_text_is_kept() -> None:
    assert Excerpt("a needle", ((2, 8),)).around(20) == Excerpt("a needle", ((2, 8),))


@pytest.mark.parametrize("at", [0, 1, 50, 93, 94])
@pytest.mark.parametrize("limit", [10, 20, 50])
def test_a_long_text_is_cut_around_its_first_match(at: int, limit: int) -> None:
    text = "x" * at + "needle" + "x" * (94 - at)

    cut = Excerpt(text, ((at, at + 6),)).around(limit)

    assert len(cut.text) == limit
    assert marked(cut) == ["needle"]


def test_matches_outside_of_the_cut_are_dropped_and_one_at_its_edge_is_shortened() -> None:
    text = "needle " + "x" * 10 + "needle" + "x" * 50 + "needle"

    cut = Excerpt(text, ((0, 6), (17, 23), (73, 79))).around(21)

    assert cut.text == "needle xxxxxxxxxxnee…"
    assert marked(cut) == ["needle", "nee"]


def test_a_text_without_matches_is_cut_at_its_end() -> None:
    assert Excerpt("x" * 30).around(10) == Excerpt("x" * 9 + "…")


def test_pieces_add_up_to_the_text() -> None:
    excerpt = Excerpt("one two three", ((0, 3), (8, 13)))

    assert excerpt.pieces() == [("one", True), (" two ", False), ("three", True)]
