"""Paths are bytes below the root."""

from __future__ import annotations

import base64

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.path import (
    ROOT,
    ancestors,
    as_base64,
    as_text,
    is_within,
    join,
    name_of,
    parent_of,
)

NAMES = st.binary(min_size=1, max_size=5).filter(lambda name: not {0, ord("/")} & set(name))


@given(st.lists(NAMES, max_size=4), NAMES)
@settings(max_examples=50)
def test_a_path_is_its_parent_and_its_name(names: list[bytes], name: bytes) -> None:
    parent = b"/".join(names)
    path = join(parent, name)

    assert (parent_of(path), name_of(path)) == (parent, name)
    assert ancestors(path)[0] == parent
    assert ancestors(path)[-1] == ROOT
    assert len(ancestors(path)) == len(names) + 1
    assert all(is_within(path, ancestor) for ancestor in ancestors(path))


def test_the_root_has_nothing_above_it() -> None:
    assert ancestors(ROOT) == []


def test_a_path_is_not_within_one_that_only_begins_alike() -> None:
    assert is_within(b"a/b", b"a")
    assert is_within(b"a", b"a")
    assert not is_within(b"ab", b"a")
    assert not is_within(b"a", b"a/b")


@given(st.binary(max_size=12))
@settings(max_examples=50)
def test_text_and_base64_together_give_every_path_back(path: bytes) -> None:
    encoded = as_base64(path)

    assert (as_text(path).encode() if encoded is None else base64.b64decode(encoded)) == path
