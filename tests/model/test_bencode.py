"""Bencode: one value, one encoding; hostile bytes get a ValueError."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model import bencode
from tests.model.hostile import assert_refused_or_canonical, mutated

VALUES: st.SearchStrategy[bencode.Value] = st.recursive(
    st.integers(-(10**30), 10**30) | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.binary(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=50)
def test_what_was_encoded_is_decoded(value: bencode.Value) -> None:
    assert bencode.decode(bencode.encode(value)) == value


@given(mutated(VALUES.map(bencode.encode)))
@settings(max_examples=100)
def test_mutated_bytes_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, bencode.decode, bencode.encode)


@given(st.text("0123456789ilde:-", max_size=30))
@settings(max_examples=100)
def test_bytes_that_look_like_bencode_are_refused_or_canonical(text: str) -> None:
    assert_refused_or_canonical(text.encode(), bencode.decode, bencode.encode)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"i01e",
        b"i-0e",
        b"i1_0e",
        b"i 1e",
        b"ie",
        b"i1",
        b"i" + b"9" * 41 + b"e",
        b"01:a",
        b"-1:",
        b"2:a",
        b"l",
        b"d1:bi1e1:ai1ee",  # keys out of order
        b"d1:ai1e1:ai2ee",  # a key twice
        b"di1ei2ee",  # a key that is a number
        b"d1:ae",  # a key without a value
        b"i1ei2e",
        b"l" * 100 + b"e" * 100,
        b"x",
    ],
)
def test_what_is_not_canonical_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        bencode.decode(content)


def test_a_list_is_no_dictionary() -> None:
    with pytest.raises(ValueError, match="Not a dictionary"):
        bencode.decode_dict(b"le")
