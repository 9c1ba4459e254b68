"""What a watch remembers comes back, and what anybody may have written there is looked at first."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agents.session_scratch import SessionScratch, dump, load

FULL = {
    "prompt": "build it",
    "failed": {"c1": "make: exit code 2"},
    "effects": {"c2": 7},
    "here": "ab" * 32,
    "top": 12,
    "resting": True,
    "news": "read files again",
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def is_empty(desk: SessionScratch) -> bool:
    return dump(desk) == dump(SessionScratch())


def test_all_of_it_comes_back() -> None:
    desk = load(json.dumps(FULL).encode())

    assert json.loads(dump(desk)) == FULL
    assert dump(load(dump(desk))) == dump(desk)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\xff\xfe", b"{", b"[]", b"7", b'"x"', b"null", b"[" * 500_000, b"x" * (1 << 20)],
)
def test_garbage_is_an_empty_desk(content: bytes) -> None:
    assert is_empty(load(content))


@given(st.sampled_from(sorted(FULL)), json_values)
def test_one_field_of_garbage_costs_that_field(key: str, value: object) -> None:
    desk = load(json.dumps({**FULL, key: value}).encode())
    others = {name: kept for name, kept in FULL.items() if name != key}

    assert {name: getattr(desk, name) for name in others} == others
    assert isinstance(desk.prompt + desk.here + desk.news, str)
    assert all(type(number) is int for number in [desk.top, *desk.effects.values()])
    assert all(isinstance(text, str) for text in desk.failed.values())


def test_it_never_grows_beyond_a_few_pages() -> None:
    desk = SessionScratch()
    desk.prompt = desk.news = "x" * 100_000
    for number in range(10_000):
        desk.failed[f"c{number}"] = "y" * 10
        desk.effects[f"c{number}"] = number
    content = dump(desk)
    again = load(content)

    assert len(content) < 20_000
    assert "c9999" in again.failed, "the newest are kept"
    assert "c9999" in again.effects


def test_news_is_taken_once() -> None:
    desk = load(json.dumps(FULL).encode())

    assert [desk.take_news(), desk.take_news()] == ["read files again", ""]
