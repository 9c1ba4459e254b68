"""Session scratch: it survives a round trip, and every field is validated."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agents.session_scratch import Failure, SessionScratch, dump, load

FULL = {
    "prompt": "build it",
    "failed": {"c1": ["make", "exit code 2", 7]},
    "effects": {"c2": 7},
    "here": "ab" * 32,
    "top": 12,
    "resting": True,
    "news": "read files again",
}
FIELDS = {**FULL, "failed": {"c1": Failure("make", "exit code 2", 7)}}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def is_empty(scratch: SessionScratch) -> bool:
    return dump(scratch) == dump(SessionScratch())


def test_all_of_it_comes_back() -> None:
    scratch = load(json.dumps(FULL).encode())

    assert json.loads(dump(scratch)) == FULL
    assert dump(load(dump(scratch))) == dump(scratch)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\xff\xfe", b"{", b"[]", b"7", b'"x"', b"null", b"[" * 500_000, b"x" * (1 << 20)],
)
def test_garbage_is_an_empty_scratch(content: bytes) -> None:
    assert is_empty(load(content))


@given(st.sampled_from(sorted(FULL)), json_values)
def test_one_field_of_garbage_costs_that_field(key: str, value: object) -> None:
    scratch = load(json.dumps({**FULL, key: value}).encode())
    others = {name: kept for name, kept in FIELDS.items() if name != key}

    assert {name: getattr(scratch, name) for name in others} == others
    assert isinstance(scratch.prompt + scratch.here + scratch.news, str)
    assert all(type(number) is int for number in [scratch.top, *scratch.effects.values()])
    assert all(isinstance(one, Failure) for one in scratch.failed.values())


def test_it_never_grows_beyond_a_few_pages() -> None:
    scratch = SessionScratch()
    scratch.prompt = scratch.news = "x" * 100_000
    for number in range(10_000):
        scratch.failed[f"c{number}"] = Failure("y" * 5, "z" * 5, number)
        scratch.effects[f"c{number}"] = number
    content = dump(scratch)
    again = load(content)

    assert len(content) < 20_000
    assert "c9999" in again.failed, "the newest are kept"
    assert "c9999" in again.effects


def test_news_is_taken_once() -> None:
    scratch = load(json.dumps(FULL).encode())

    assert [scratch.take_news(), scratch.take_news()] == ["read files again", ""]


def test_a_failure_that_an_older_version_recorded_is_kept_as_text() -> None:
    scratch = load(json.dumps({"failed": {"c1": "make: exit code 2"}}).encode())

    assert str(scratch.failed["c1"]) == "make: exit code 2"
