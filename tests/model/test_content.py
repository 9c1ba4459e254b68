"""Chunklists: the content of a file larger than one blob."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.content import Chunk, Token, Zeros, decode_chunklist, encode_chunklist
from clew.model.ids import ObjectId
from tests.model.hostile import assert_refused_or_canonical, mutated

BLOB = ObjectId(bytes(range(32)))
TOKENS: st.SearchStrategy[list[Token]] = st.lists(
    st.builds(Chunk, st.integers(0, 2**32 - 1), st.just(BLOB))
    | st.builds(Zeros, st.integers(0, 2**40)),
    max_size=5,
)


def test_the_bytes_of_a_chunklist_never_change() -> None:
    encoded = encode_chunklist([Chunk(0x01020304, BLOB), Zeros(0x10000)])

    assert encoded.hex() == (
        "0403030100000000"  # size
        "00" "04030201" + BLOB.hex() +  # a chunk
        "01" "0000010000000000"  # zeros
    )  # fmt: skip


@given(TOKENS)
@settings(max_examples=50)
def test_what_was_encoded_is_decoded(tokens: list[Token]) -> None:
    assert list(decode_chunklist(encode_chunklist(tokens))) == tokens


@given(mutated(TOKENS.map(encode_chunklist)))
@settings(max_examples=100)
def test_mutated_bytes_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(
        content, lambda encoded: list(decode_chunklist(encoded)), encode_chunklist
    )


def test_more_than_the_file_is_long_is_never_handed_out() -> None:
    lying = bytes([5, *bytes(7)]) + encode_chunklist([Zeros(2**63)])[8:]
    tokens = decode_chunklist(lying)

    with pytest.raises(ValueError, match="do not add up"):
        next(tokens)
