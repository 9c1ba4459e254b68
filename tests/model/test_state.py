"""State ids ignore mtimes and excluded paths, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import ObjectId, StateId, object_id
from clew.model.tree import checkpoint_state, encode_entry, put_directory, put_root
from tests.model.samples import ONE_OF_EACH, directories


def state_of(entries: list[Entry]) -> StateId:
    return put_directory([encode_entry(entry) for entry in entries], object_id).state


def blinded(entries: list[Entry]) -> list[Entry]:
    """Return the fields that a state id depends on."""
    return [
        entry._replace(
            mtime_ns=0, content=ObjectId(bytes(32)) if entry.is_directory else entry.content
        )
        for entry in entries
        if entry.reason not in Reason.BY_RULE
    ]


@given(directories(4), st.integers(0, 2**60))
@settings(max_examples=50)
def test_other_mtimes_give_the_same_state(entries: list[Entry], mtime: int) -> None:
    touched = [entry._replace(mtime_ns=mtime) if entry.is_covered else entry for entry in entries]

    assert state_of(touched) == state_of(entries)


@st.composite
def relatives(draw: st.DrawFn) -> tuple[list[Entry], list[Entry]]:
    """Draw a directory, and an equal or slightly different one."""
    one = draw(directories(4))
    other = [draw(st.sampled_from([entry, *_variants(entry)])) for entry in one]
    reason = draw(st.sampled_from(Reason.BY_RULE))
    excluded = Entry(b"zzzzzzz", EntryKind.UNCOVERED, reason=reason)
    return one, [*other, *draw(st.sampled_from([[], [excluded]]))]


def _variants(entry: Entry) -> list[Entry]:
    if not entry.is_covered:
        return [entry._replace(reason=Reason.EXCLUDED)]
    tree = entry._replace(content=ObjectId(b"u" * 32))
    return [
        entry._replace(mtime_ns=entry.mtime_ns + 1),
        entry._replace(mode=entry.mode ^ 1),
        tree if entry.is_directory else entry,
    ]


@given(relatives())
@settings(max_examples=100)
def test_states_are_equal_exactly_when_all_else_is(pair: tuple[list[Entry], list[Entry]]) -> None:
    one, other = pair

    assert (state_of(one) == state_of(other)) == (blinded(one) == blinded(other))


@pytest.mark.parametrize("reason", Reason.BY_RULE)
def test_excluded_entries_come_and_go_unseen(reason: int) -> None:
    excluded = Entry(b"node_modules", EntryKind.UNCOVERED, reason=reason)
    entries = sorted([*ONE_OF_EACH, excluded])

    assert state_of(entries) == state_of(ONE_OF_EACH)


@pytest.mark.parametrize("reason", sorted(set(Reason.NAMES) - {*Reason.BY_RULE}))
def test_entries_that_are_uncovered_for_another_reason_are_seen(reason: int) -> None:
    uncovered = Entry(b"node_modules", EntryKind.UNCOVERED, reason=reason)
    entries = sorted([*ONE_OF_EACH, uncovered])

    assert state_of(entries) != state_of(ONE_OF_EACH)


FILE, DIRECTORY = ONE_OF_EACH[4], ONE_OF_EACH[2]


@pytest.mark.parametrize(
    "changed",
    [
        FILE._replace(name=b"other"),
        FILE._replace(mode=0o600),
        FILE._replace(uid=0),
        FILE._replace(gid=0),
        FILE._replace(size=6),
        FILE._replace(content=ObjectId(b"d" * 32)),
        FILE._replace(xattrs=None),
        FILE._replace(xattrs=ObjectId(b"y" * 32)),
        FILE._replace(flags=0),
        FILE._replace(flags=0x10),
        FILE._replace(kind=EntryKind.FIFO),
    ],
)
def test_a_file_is_seen_in_all_but_its_mtime(changed: Entry) -> None:
    assert state_of([changed]) != state_of([FILE])


def test_a_directory_is_seen_by_its_state_and_not_by_its_tree() -> None:
    other_tree = DIRECTORY._replace(content=ObjectId(b"u" * 32))
    other_state = DIRECTORY._replace(state=StateId(b"u" * 32))

    assert state_of([other_tree]) == state_of([DIRECTORY])
    assert state_of([other_state]) != state_of([DIRECTORY])


def test_the_root_is_seen_like_any_directory() -> None:
    touched = DIRECTORY._replace(mtime_ns=1, content=ObjectId(b"u" * 32))
    opened = DIRECTORY._replace(mode=0o777)

    assert put_root(touched, object_id).state == put_root(DIRECTORY, object_id).state
    assert put_root(opened, object_id).state != put_root(DIRECTORY, object_id).state


def test_hard_links_are_part_of_a_checkpoints_state() -> None:
    root = state_of(ONE_OF_EACH)

    assert checkpoint_state(root, ObjectId(b"l" * 32)) != checkpoint_state(
        root, ObjectId(b"m" * 32)
    )
