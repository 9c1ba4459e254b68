"""Records: the encoding is the identity of a checkpoint."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model import bencode
from clew.model.entry import Reason
from clew.model.ids import CheckpointId, ObjectId, StateId
from clew.model.record import Consistency, Coverage, Origin, Record, Uncovered
from tests.model.hostile import assert_refused_or_canonical, mutated, with_one_byte_changed

RECORD = Record(
    workspace=b"w" * 16,
    sequence=7,
    time_ns=1_763_200_000_000_000_001,
    parent=CheckpointId(b"p" * 32),
    tree=ObjectId(b"t" * 32),
    state=StateId(b"s" * 32),
    links=ObjectId(b"l" * 32),
    rules=ObjectId(b"r" * 32),
    origin=Origin.RESCUE,
    consistency=Consistency.FUZZY,
    coverage=Coverage(
        files=3,
        total_bytes=1234,
        counts=(("excluded", 1), ("mount", 2)),
        uncovered=(Uncovered(b"a", Reason.EXCLUDED), Uncovered(b"m\xff", Reason.MOUNT)),
        unstable=(b"log",),
        blind=4,
    ),
)

ENCODED = b"".join(
    [
        b"d",
        b"5:blindi4e",
        b"5:bytesi1234e",
        b"4:clewi1e",
        b"11:consistency5:fuzzy",
        b"5:filesi3e",
        b"4:held5:store",
        b"5:links32:" + b"l" * 32,
        b"6:origin6:rescue",
        b"6:parent32:" + b"p" * 32,
        b"5:rules32:" + b"r" * 32,
        b"8:sequencei7e",
        b"7:sessionde",
        b"7:signals0:",
        b"5:state32:" + b"s" * 32,
        b"4:timei1763200000000000001e",
        b"4:tree32:" + b"t" * 32,
        b"9:uncoveredd8:excludedi1e5:mounti2ee",
        b"15:uncovered_pathsll1:ai1eel2:m\xffi2eee",
        b"8:unstablel3:loge",
        b"9:workspace16:" + b"w" * 16,
        b"e",
    ]
)


def test_the_bytes_of_a_record_never_change() -> None:
    assert RECORD.encode() == ENCODED


def test_the_id_of_a_record_never_changes() -> None:
    assert RECORD.id.hex() == "4831beb8d4e64d5c58c3164bfabc281b56cc1e2e79c48b443fb9a0421f6ca3f8"


def test_a_record_comes_back() -> None:
    assert Record.decode(ENCODED) == RECORD


def test_the_first_record_of_a_workspace_has_no_parent() -> None:
    first = RECORD._replace(parent=None, coverage=Coverage(), signals=ObjectId(b"g" * 32))

    assert Record.decode(first.encode()) == first


def test_one_changed_byte_is_refused_or_canonical() -> None:
    for content in with_one_byte_changed(ENCODED):
        assert_refused_or_canonical(content, Record.decode, Record.encode)


@given(mutated(st.just(ENCODED)))
@settings(max_examples=100)
def test_mutated_records_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, Record.decode, Record.encode)


@pytest.mark.parametrize("key", sorted(bencode.decode_dict(ENCODED)))
@pytest.mark.parametrize("value", [-1, b"x", [], [b"x"], [[b"x", b"y"]], {b"k": b"v"}])
def test_a_field_of_another_type_is_refused_or_kept(key: bytes, value: bencode.Value) -> None:
    content = bencode.encode({**bencode.decode_dict(ENCODED), key: value})

    assert_refused_or_canonical(content, Record.decode, Record.encode)


@pytest.mark.parametrize("key", sorted(bencode.decode_dict(ENCODED)))
def test_a_record_that_lacks_a_field_is_refused(key: bytes) -> None:
    found = bencode.decode_dict(ENCODED)
    del found[key]

    with pytest.raises(ValueError, match="record"):
        Record.decode(bencode.encode(found))


@pytest.mark.parametrize("key", [b"tree", b"state", b"links", b"rules", b"parent", b"signals"])
def test_an_id_of_another_length_is_refused(key: bytes) -> None:
    content = bencode.encode({**bencode.decode_dict(ENCODED), key: b"short"})

    with pytest.raises(ValueError, match="Not a record"):
        Record.decode(content)


def test_a_record_with_a_key_that_we_would_lose_is_refused() -> None:
    content = bencode.encode({**bencode.decode_dict(ENCODED), b"zone": b"new"})

    with pytest.raises(ValueError, match="keep whole"):
        Record.decode(content)


def test_a_record_of_a_newer_clew_is_refused() -> None:
    content = bencode.encode({**bencode.decode_dict(ENCODED), b"clew": 2})

    with pytest.raises(ValueError, match="newer clew"):
        Record.decode(content)


def test_a_coverage_is_complete_although_something_was_excluded() -> None:
    by_design = Coverage(counts=(("excluded", 3), ("mount", 1)))
    unreadable = Coverage(counts=(("unreadable", 1),))
    unstable = Coverage(unstable=(b"log",))

    assert by_design.complete
    assert by_design.uncovered_count == 4
    assert not unreadable.complete
    assert not unstable.complete
