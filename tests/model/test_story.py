from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model import bencode
from clew.model.fact import Fact, FactBasis, Severity
from clew.model.story import Story, StoryLine, decode_story, encode_story

_TEXT = st.text(st.characters(exclude_categories=[]), max_size=12)
_SEVERITY = st.sampled_from(Severity.ALL)
_TEXTS = st.lists(_TEXT, max_size=3).map(tuple)
_FACTS = st.builds(
    Fact,
    kind=_TEXT,
    scope=_TEXT,
    subject=_TEXT,
    before=st.none() | _TEXT,
    after=st.none() | _TEXT,
    direct=st.booleans(),
    severity=_SEVERITY,
    basis=st.sampled_from([FactBasis.DISK, FactBasis.LIVE]),
    evidence=_TEXTS,
    marks=_TEXTS,
)
_LINES = st.builds(
    StoryLine, _TEXT, _TEXT, _SEVERITY, paths=_TEXTS, path_count=st.integers(0, 10**9)
)
_STORIES = st.builds(
    Story,
    _TEXT,
    st.lists(_FACTS, max_size=3).map(tuple),
    st.lists(_LINES, max_size=3).map(tuple),
    st.integers(0, 10**9),
    _TEXT,
)


@given(_STORIES)
def test_a_story_comes_back_without_its_paths(story: Story) -> None:
    assert decode_story(encode_story(story)) == story.without_paths()


def test_halves_of_characters_come_back() -> None:
    story = Story("bad\udcff \ud800", (Fact("env.added", ".env\udc80", "A\udfff"),))

    assert decode_story(encode_story(story)) == story


@given(st.binary(max_size=80))
def test_junk_is_refused_with_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        decode_story(content)


_LINE: list[bencode.Value] = [b"Files", b"text", b"none", 1]
_FACT: list[bencode.Value] = [b"env.added", b"s", b"s", b"none", b"disk", [], [], 1, [], []]
_WHOLE: dict[bytes, bencode.Value] = {
    b"version": 1,
    b"headline": b"x",
    b"changed": 1,
    b"retold": b"",
    b"lines": [_LINE],
    b"facts": [_FACT],
}


def test_the_whole_of_it_is_read() -> None:
    assert decode_story(bencode.encode(_WHOLE)).lines[0].path_count == 1


@pytest.mark.parametrize(
    "damage",
    [
        {b"version": 2},
        {b"headline": 1},
        {b"headline": b"\xff"},
        {b"changed": b"1"},
        {b"lines": b""},
        {b"lines": [_LINE[:3]]},
        {b"lines": [[*_LINE, 1]]},
        {b"facts": [_FACT[:-1]]},
        {b"facts": [[*_FACT[:-1], [1]]]},
        {b"facts": [[*_FACT[:5], b"before", *_FACT[6:]]]},
        {b"facts": [b"env.added"]},
    ],
)
def test_the_wrong_shape_is_refused_too(damage: dict[bytes, bencode.Value]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        decode_story(bencode.encode({**_WHOLE, **damage}))


@pytest.mark.parametrize("severity", [b"", b"loud"])
def test_a_severity_that_nobody_knows_is_refused(severity: bytes) -> None:
    """An unknown severity would fail later, when the story is shown."""
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        decode_story(bencode.encode({**_WHOLE, b"lines": [[b"Files", b"text", severity, 1]]}))


def test_a_story_is_as_loud_as_its_loudest_line() -> None:
    lines = tuple(StoryLine("Files", "x", severity) for severity in Severity.ALL)

    assert Story("x").severity == Severity.NONE
    assert Story("x", lines=lines[:2]).severity == Severity.NOTE
    assert Story("x", lines=lines).severity == Severity.HIGH
