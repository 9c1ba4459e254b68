"""Text merge: examples and properties; `test_merge_like_git` compares it with git."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.diff.merge_text import Merged, is_text, merge_text

TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"}\n", b"\n"]), max_size=14).map(
    b"".join
)
EXAMPLES = settings(max_examples=200)

CONFLICT = re.compile(
    rb"^<<<<<<< ours\n(?P<ours>.*?)^=======\n(?P<theirs>.*?)^>>>>>>> theirs\n", re.M | re.S
)


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_edits_that_do_not_touch_are_both_made() -> None:
    base = text("name = clew", "", "colour = red", "", "size = 3")
    ours = text("name = thread", "", "colour = red", "", "size = 3")
    theirs = text("name = clew", "", "colour = red", "", "size = 4", "depth = 5")

    assert merge_text(base, ours, theirs) == Merged(
        text("name = thread", "", "colour = red", "", "size = 4", "depth = 5"), 0
    )


def test_edits_of_one_line_stand_between_markers() -> None:
    base = text("name = clew", "colour = red", "size = 3")
    ours = text("name = clew", "colour = blue", "size = 3")
    theirs = text("name = clew", "colour = green", "size = 3")

    assert merge_text(base, ours, theirs, labels=("before", "fork")) == Merged(
        text(
            "name = clew",
            "<<<<<<< before",
            "colour = blue",
            "=======",
            "colour = green",
            ">>>>>>> fork",
            "size = 3",
        ),
        1,
    )


def test_edits_of_lines_next_to_each_other_conflict() -> None:
    merged = merge_text(text("one", "two"), text("ONE", "two"), text("one", "TWO"))

    assert merged == Merged(
        text("<<<<<<< ours", "ONE", "two", "=======", "one", "TWO", ">>>>>>> theirs"), 1
    )


def test_one_line_between_two_edits_keeps_them_apart() -> None:
    merged = merge_text(
        text("one", "two", "three"), text("ONE", "two", "three"), text("one", "two", "THREE")
    )

    assert merged == Merged(text("ONE", "two", "THREE"), 0)


def test_the_same_edit_on_both_sides_is_made_once() -> None:
    base = text("one", "two", "three", "four", "five")
    ours = text("one", "2", "three", "four", "5")
    theirs = text("one", "2", "three", "four", "five")

    assert merge_text(base, ours, theirs) == Merged(ours, 0)


def test_a_line_removed_here_and_edited_there_conflicts() -> None:
    merged = merge_text(
        text("one", "two", "three"), text("one", "three"), text("one", "2", "three")
    )

    assert merged == Merged(
        text("one", "<<<<<<< ours", "=======", "2", ">>>>>>> theirs", "three"), 1
    )


def test_lines_that_both_sides_share_are_moved_out_of_a_conflict() -> None:
    base = text("start", "end")
    ours = text("start", "shared first", "mine", "shared last", "end")
    theirs = text("start", "shared first", "yours", "shared last", "end")

    assert merge_text(base, ours, theirs) == Merged(
        text(
            "start",
            "shared first",
            *("<<<<<<< ours", "mine", "=======", "yours", ">>>>>>> theirs"),
            "shared last",
            "end",
        ),
        1,
    )


def between_two_conflicts(*shared: str) -> int:
    """Return the number of conflicts if these lines are between two differences."""
    ours = text("my start", *shared, "my end")
    theirs = text("your start", *shared, "your end")
    return merge_text(b"", ours, theirs).conflicts


def test_four_lines_keep_two_conflicts_apart_and_three_do_not() -> None:
    assert between_two_conflicts("a", "b", "c", "d") == 2
    assert between_two_conflicts("a", "b", "c") == 1


def test_lines_without_a_letter_or_digit_keep_no_conflicts_apart() -> None:
    assert between_two_conflicts("{", "}", "", "--", "**", "é") == 1
    assert between_two_conflicts("{", "}", "", "--", "**", "7") == 2


def test_a_favoured_side_is_taken_where_they_conflict_and_nowhere_else() -> None:
    base = text("one", "two", "three", "four", "five")
    ours = text("one", "mine", "three", "four", "five")
    theirs = text("one", "yours", "three", "four", "FIVE")

    assert merge_text(base, ours, theirs, favour="ours") == Merged(
        text("one", "mine", "three", "four", "FIVE"), 0
    )
    assert merge_text(base, ours, theirs, favour="theirs") == Merged(
        text("one", "yours", "three", "four", "FIVE"), 0
    )


def test_nobody_else_can_be_favoured() -> None:
    with pytest.raises(ValueError, match="Not a side of a merge: 'mine'"):
        merge_text(b"", b"", b"", favour="mine")


def test_markers_start_on_their_own_line_after_a_last_line_without_an_end() -> None:
    merged = merge_text(b"one\n", b"one\nmine", b"one\nyours")

    assert merged == Merged(
        text("one", "<<<<<<< ours", "mine", "=======", "yours", ">>>>>>> theirs"), 1
    )


def test_a_missing_end_of_the_last_line_is_an_edit_like_any_other() -> None:
    merged = merge_text(
        text("one", "two", "three"), b"one\ntwo\nthree", text("ONE", "two", "three")
    )

    assert merged == Merged(b"ONE\ntwo\nthree", 0)


def test_markers_end_like_the_lines_around_them() -> None:
    merged = merge_text(b"one\r\ntwo\r\n", b"one\r\nmine\r\n", b"one\r\nyours")

    assert merged == Merged(
        b"one\r\n<<<<<<< ours\r\nmine\r\n=======\r\nyours\r\n>>>>>>> theirs\r\n", 1
    )


def test_other_line_ends_on_one_side_are_a_conflict_with_plain_markers() -> None:
    merged = merge_text(b"one\r\ntwo\r\n", b"one\ntwo\n", b"one\r\n2\r\n")

    assert merged == Merged(b"<<<<<<< ours\none\ntwo\n=======\none\r\n2\r\n>>>>>>> theirs\n", 1)


def test_files_made_on_both_sides_from_nothing_conflict_where_they_differ() -> None:
    merged = merge_text(b"", text("title", "mine"), text("title", "yours"))

    assert merged == Merged(
        text("title", "<<<<<<< ours", "mine", "=======", "yours", ">>>>>>> theirs"), 1
    )


def test_bytes_that_are_no_characters_are_merged_too() -> None:
    assert merge_text(b"\xff\n\n\xfe\n", b"\xf0\n\n\xfe\n", b"\xff\n\n\xf1\n") == Merged(
        b"\xf0\n\n\xf1\n", 0
    )


def test_a_nul_near_the_start_makes_it_no_text() -> None:
    assert is_text(b"")
    assert is_text(b"\xff\n" * 4000 + b"\x00")
    assert not is_text(b"a" * 7999 + b"\x00")


@EXAMPLES
@given(TEXTS, TEXTS)
def test_an_unchanged_side_gives_the_other(base: bytes, edited: bytes) -> None:
    assert merge_text(base, base, edited) == Merged(edited, 0)
    assert merge_text(base, edited, base) == Merged(edited, 0)


@EXAMPLES
@given(TEXTS, TEXTS)
def test_equal_edits_never_conflict(base: bytes, edited: bytes) -> None:
    assert merge_text(base, edited, edited) == Merged(edited, 0)


@EXAMPLES
@given(TEXTS, TEXTS, TEXTS)
def test_the_other_way_round_there_is_a_conflict_too(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    # Their number can differ, in git as well: shared lines are moved out from one side's view.
    one, two = merge_text(base, ours, theirs), merge_text(base, theirs, ours)

    assert bool(one.conflicts) == bool(two.conflicts)
    assert one.conflicts or one == two


@EXAMPLES
@given(TEXTS, TEXTS, TEXTS)
def test_favouring_a_side_is_resolving_every_conflict_for_it(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    merged = merge_text(base, ours, theirs)

    assert len(CONFLICT.findall(merged.content)) == merged.conflicts
    for side in ("ours", "theirs"):
        resolved = CONFLICT.sub(rf"\g<{side}>".encode(), merged.content)

        assert merge_text(base, ours, theirs, favour=side) == Merged(resolved, 0)
