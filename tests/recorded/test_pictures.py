"""Pictures: what is drawn, and that those of the documentation are of this clew."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.recorded import pictures
from tests.recorded.opening import Shop
from tests.recorded.pictures import PLACE
from tests.recorded.svg import picture
from tests.recorded.widths import settled

_TEXT = "{http://www.w3.org/2000/svg}text"


def texts(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(_TEXT))


def test_pictures_of_the_documentation_are_current(working_shop: Shop) -> None:
    """`make pictures` draws them again."""
    drawn = dict(pictures.pictures(working_shop))

    assert {path.name for path in PLACE.iterdir()} == set(drawn)
    for name, content in drawn.items():
        assert (PLACE / name).read_text() == content, name


def test_a_picture_runs_nothing_and_fetches_nothing(working_shop: Shop) -> None:
    for name, content in pictures.pictures(working_shop):
        tags = {
            element.tag.rpartition("}")[2] for element in ElementTree.fromstring(content).iter()
        }
        assert tags == {"svg", "rect", "g", "text"}, name
        assert set(re.findall(r"https?://[^\"]*", content)) == {"http://www.w3.org/2000/svg"}


def test_text_stands_in_its_columns() -> None:
    first, second = texts(picture("修复  fix\nabcd  fix", 20))[1::2]

    assert (first.text, second.text) == ("fix", "fix")
    assert first.get("x") == second.get("x")


def test_a_single_blank_takes_a_column() -> None:
    plain, coloured = texts(picture("ab cd\n\x1b[2mab \x1b[0mcd", 20))[::2]

    assert plain.text == "ab cd"
    assert coloured.text == "cd"
    start = float(plain.get("x", 0)) + float(plain.get("textLength", 0)) * 3 / 5
    assert float(coloured.get("x", 0)) == pytest.approx(start, abs=0.1)


def test_colours_end_where_they_end() -> None:
    red, after = texts(picture("\x1b[1;31mred\x1b[0mafter", 20))

    assert (red.get("fill"), red.get("font-weight")) == ("#f0717b", "bold")
    assert (after.get("fill"), after.get("font-weight")) == (None, None)


def test_markup_in_text_is_text() -> None:
    (text,) = texts(picture('<a href="x">&amp;', 20))

    assert text.text == '<a href="x">&amp;'


def test_what_was_overwritten_is_not_seen() -> None:
    assert settled("\r\x1b[KReading: 1\r\x1b[KReading: 2\r\x1b[Kdone\nnext") == "done\nnext"
