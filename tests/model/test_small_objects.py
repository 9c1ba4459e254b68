"""Xattrs, links and rules: round trips, and rejected input."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model import bencode
from clew.model.small_objects import (
    Group,
    Rules,
    decode_links,
    decode_xattrs,
    encode_links,
    encode_xattrs,
)
from tests.model.hostile import assert_refused_or_canonical, mutated

XATTRS = st.dictionaries(
    st.binary(min_size=1, max_size=10).filter(lambda name: b"\x00" not in name),
    st.binary(max_size=20),
    max_size=4,
)
RULES = st.builds(
    Rules,
    st.lists(st.binary(max_size=8), max_size=4).map(tuple),
    st.booleans(),
    st.none() | st.integers(0, 1 << 63),
)


@st.composite
def links(draw: st.DrawFn) -> list[Group]:
    names = st.text("abc.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
    path = st.lists(names, min_size=1, max_size=3).map("/".join).map(str.encode)
    paths = sorted(draw(st.sets(path, max_size=8)))
    groups = [tuple(paths[at : at + 2]) for at in range(0, len(paths) - 1, 2)]
    return sorted(groups)


@given(XATTRS)
@settings(max_examples=50)
def test_xattrs_come_back(xattrs: dict[bytes, bytes]) -> None:
    assert decode_xattrs(encode_xattrs(xattrs)) == xattrs


def test_the_order_in_which_xattrs_are_listed_does_not_matter() -> None:
    assert encode_xattrs({b"user.b": b"2", b"user.a": b"1"}) == encode_xattrs(
        {b"user.a": b"1", b"user.b": b"2"}
    )


@given(mutated(XATTRS.map(encode_xattrs)))
@settings(max_examples=80)
def test_mutated_xattrs_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, decode_xattrs, encode_xattrs)


@given(links())
@settings(max_examples=50)
def test_links_come_back(groups: list[Group]) -> None:
    assert decode_links(encode_links(groups)) == groups


def test_a_moment_without_hard_links_has_the_empty_links_object() -> None:
    assert encode_links([]) == b""


def test_the_order_in_which_links_are_found_does_not_matter() -> None:
    assert encode_links([(b"d", b"c"), (b"b", b"a")]) == encode_links([(b"a", b"b"), (b"c", b"d")])


@given(mutated(links().map(encode_links)))
@settings(max_examples=80)
def test_mutated_links_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, decode_links, encode_links)


@pytest.mark.parametrize(
    "groups",
    [
        [(b"alone",)],
        [()],
        [(b"b", b"a")],
        [(b"a", b"a")],
        [(b"c", b"d"), (b"a", b"b")],
        [(b"a", b"b"), (b"a", b"c")],  # one path cannot be two inodes
        [(b"../etc/passwd", b"a")],
        [(b"a/..", b"b")],
        [(b"/etc/passwd", b"a")],
        [(b"", b"a")],
        [(b"a", b"b//c")],
        [(b"a", b"b\x00")],
    ],
)
def test_links_that_no_tree_can_have_are_refused(groups: list[Group]) -> None:
    content = b"".join(
        pack("<I", len(group)) + b"".join(pack("<I", len(path)) + path for path in group)
        for group in groups
    )

    with pytest.raises(ValueError, match="Links"):
        decode_links(content)


@given(RULES)
@settings(max_examples=50)
def test_rules_come_back(rules: Rules) -> None:
    assert Rules.decode(rules.encode()) == rules


def test_rules_without_a_size_limit_are_encoded_as_before_there_was_one() -> None:
    assert Rules((b"*.log",), machine=False).encode() == b"d7:machinei0e8:patternsl5:*.logee"
    assert Rules(larger_than=10).encode() == b"d11:larger_thani10e7:machinei0e8:patternslee"


@given(mutated(RULES.map(Rules.encode)))
@settings(max_examples=80)
def test_mutated_rules_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, Rules.decode, Rules.encode)


@pytest.mark.parametrize(
    "found",
    [
        {},
        {b"patterns": []},
        {b"machine": 2, b"patterns": []},
        {b"machine": 0, b"patterns": [1]},
        {b"machine": 0, b"patterns": b"*"},
        {b"also": 1, b"machine": 0, b"patterns": []},  # an unknown rule
        {b"larger_than": -1, b"machine": 0, b"patterns": []},
        {b"larger_than": b"10", b"machine": 0, b"patterns": []},
    ],
)
def test_rules_that_this_clew_does_not_know_are_refused(found: dict[bytes, bencode.Value]) -> None:
    with pytest.raises(ValueError, match="Rules"):
        Rules.decode(bencode.encode(found))
