"""Which texts have all words, and what is shown of them."""

from __future__ import annotations

import pytest

from clew.policy.search_words import SearchWords

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    ("words", "text", "fits"),
    [
        ("drop orders", "DROP TABLE orders", True),
        ("drop orders", "drop table", False),
        ("GRÖSSE", "Die Größe", False),
        ("größe", "DIE GRÖẞE", True),
        ("ändern", "ÄNDERN", True),
        ("a.c", "abc", False),
        ("", "anything", True),
    ],
)
def test_all_words_in_either_case(words: str, text: str, fits: bool) -> None:
    assert SearchWords(words).are_in(text) is fits


def test_json_that_cannot_have_the_words_is_passed_over_and_no_other() -> None:
    words = SearchWords('plain wört in"out')

    assert words.may_be_in_json(rb'{"text": "plain w\u00f6rt in\"out"}')
    assert not words.may_be_in_json(rb'{"text": "w\u00f6rt in\"out"}')


def test_the_longer_of_two_words_is_marked_where_one_begins_the_other() -> None:
    excerpt = SearchWords("test tests").marked("tests and test")

    assert excerpt.spans == ((0, 5), (10, 14))


def test_a_text_is_put_on_one_line() -> None:
    assert SearchWords("two").excerpt("one\n\n  two\tthree").text == "one two three"


def test_a_secret_at_the_edge_of_what_is_redacted_is_not_cut() -> None:
    """Half a token is not recognized as one."""
    for distance in range(3_960, 4_040):
        text = f"needle{'x' * (distance - 7)} {TOKEN} {'y ' * 300}"
        excerpt = SearchWords("needle").excerpt(text)
        assert TOKEN[4:20] not in excerpt.text


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("web/node_modules/x/y.js", "web/node_modules"),
        ("node_modules", "node_modules"),
        ("src/app.py", "src/app.py"),
    ],
)
def test_the_common_part_of_a_path(path: str, part: str) -> None:
    assert SearchWords("node_modules" if "node" in path else "app").common_part(path) == part


def test_the_common_part_has_all_words() -> None:
    assert SearchWords("react web").common_part("web/lib/react/index.js") == "web/lib/react"
