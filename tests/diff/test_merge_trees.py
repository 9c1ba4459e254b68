"""Three-way tree merge: files, metadata, types, directories."""

from __future__ import annotations

import pytest

from clew.model.entry import FLAG_NODUMP, Entry, EntryKind
from clew.model.ids import ObjectType, object_id
from clew.model.merge_results import ConflictReason
from tests.diff.forest import Directory, Node, device, symlink, uncovered
from tests.diff.merging import NOW, holding, lines, merge

A, B, C = holding(b"a\x00"), holding(b"b\x00"), holding(b"c\x00")
"""Three binary files."""


def sub(**nodes: Node) -> Directory:
    return Directory({name.encode(): node for name, node in nodes.items()})


def test_what_only_theirs_changed_is_taken() -> None:
    came = merge({b"x": A, b"y": A, b"z": A}, {b"x": A, b"y": A, b"z": A}, {b"x": B, b"new": C})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"x", b"new"}
    assert came.tree[b"x"].content == B.content


def test_what_only_ours_changed_stays() -> None:
    came = merge({b"x": A, b"y": A}, {b"x": B, b"new": C}, {b"x": A, b"y": A})

    assert came.conflicts == []
    assert came.result.edits == {}
    assert came.tree.keys() == {b"", b"x", b"new"}


def test_what_both_changed_alike_is_taken_once() -> None:
    came = merge({b"x": A, b"y": A}, {b"x": B, b"n": C}, {b"x": B, b"n": C})

    assert came.conflicts == []
    assert came.result.edits == {}


def test_text_is_merged_by_hunks_and_gets_the_time_of_the_merge() -> None:
    came = merge(
        {b"x": lines("1", "2", "3", "4", "5", "6")},
        {b"x": lines("one", "2", "3", "4", "5", "6", mtime=5)},
        {b"x": lines("1", "2", "3", "4", "5", "six", mtime=6)},
    )

    assert came.conflicts == []
    assert came.read(b"x") == b"one\n2\n3\n4\n5\nsix\n"
    assert came.tree[b"x"].mtime_ns == NOW
    assert came.tree[b"x"].size == len(came.read(b"x"))
    assert came.result.merged == (b"x",)


def test_lines_that_both_changed_are_a_conflict() -> None:
    came = merge({b"x": lines("1")}, {b"x": lines("2")}, {b"x": lines("3")})

    assert came.conflicts == [(b"x", ConflictReason.LINES)]
    assert came.result.texts == {}


def test_a_text_that_is_all_one_sides_is_that_sides_file() -> None:
    ours, theirs = lines("2", mtime=5), lines("3", mtime=6)
    for favour, wanted in (("ours", ours), ("theirs", theirs)):
        came = merge({b"x": lines("1")}, {b"x": ours}, {b"x": theirs}, favour=favour)

        assert came.tree[b"x"] == wanted
        assert came.result.merged == ()


@pytest.mark.parametrize(("favour", "last"), [("ours", b"z\n"), ("theirs", b"6\n")])
def test_a_favoured_side_decides_the_lines_in_conflict_and_no_others(
    favour: str, last: bytes
) -> None:
    came = merge(
        {b"x": lines("1", "2", "3", "4", "5", "9")},
        {b"x": lines("one", "2", "3", "4", "5", "z")},
        {b"x": lines("1", "2", "3", "4", "5", "6")},
        favour=favour,
    )

    assert came.read(b"x") == b"one\n2\n3\n4\n5\n" + last
    assert came.conflicts == [(b"x", ConflictReason.LINES)]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "clash"),
    [
        (A, B, C, ConflictReason.BINARY),
        (lines("1"), lines("1", "2"), holding(b"\x00"), ConflictReason.BINARY),
        (lines("1"), lines("x" * 20_000), lines("2"), ConflictReason.LARGE),
        (symlink(b"1"), symlink(b"2"), symlink(b"3"), ConflictReason.TARGET),
        (device(1), device(2), device(3), ConflictReason.DEVICE),
        (A, None, B, ConflictReason.DELETED_HERE),
        (A, B, None, ConflictReason.DELETED_THERE),
        (None, A, B, ConflictReason.MADE),
        (None, lines("1"), lines("2"), ConflictReason.MADE),
        (None, A, symlink(b"a"), ConflictReason.MADE),
        (A, symlink(b"a"), B, ConflictReason.TYPE),
        (A, B, symlink(b"a"), ConflictReason.TYPE),
        (A, symlink(b"a"), device(1), ConflictReason.TYPE),
        (A, symlink(b"a"), symlink(b"b"), ConflictReason.MADE),
    ],
)
def test_what_cannot_both_be_had_is_a_conflict(
    base: Entry | None, ours: Entry | None, theirs: Entry | None, clash: str
) -> None:
    trees: list[dict[bytes, Node]] = [{b"x": one} if one else {} for one in (base, ours, theirs)]
    came = merge(*trees)

    assert came.conflicts == [(b"x", clash)]
    for side, entry in (("ours", ours), ("theirs", theirs)):
        assert merge(*trees, favour=side).tree.get(b"x") == entry


def test_a_chmod_here_and_an_edit_there_are_both_had() -> None:
    came = merge(
        {b"x": lines("1")}, {b"x": lines("1", mode=0o755, mtime=5)}, {b"x": lines("2", mtime=6)}
    )

    assert came.conflicts == []
    assert came.tree[b"x"] == lines("2", mode=0o755, mtime=6)


def test_a_chmod_there_goes_to_our_edit_and_leaves_its_time() -> None:
    came = merge(
        {b"x": lines("1")}, {b"x": lines("2", mtime=5)}, {b"x": lines("1", mode=0o755, mtime=6)}
    )

    assert came.tree[b"x"] == lines("2", mode=0o755, mtime=5)


def test_each_piece_of_metadata_is_merged_by_itself() -> None:
    attributes = object_id(ObjectType.XATTRS, b"1")
    came = merge(
        {b"x": A, b"d": Directory({})},
        {b"x": A._replace(uid=1, flags=FLAG_NODUMP), b"d": Directory({}, _own(mode=0o700))},
        {b"x": A._replace(gid=2, xattrs=attributes), b"d": Directory({}, _own(gid=3))},
    )

    assert came.conflicts == []
    assert came.tree[b"x"] == A._replace(uid=1, flags=FLAG_NODUMP, gid=2, xattrs=attributes)
    assert came.tree[b"d"] == _own(mode=0o700, gid=3)


@pytest.mark.parametrize(
    ("piece", "clash"),
    [
        ("mode", ConflictReason.MODE),
        ("uid", ConflictReason.OWNER),
        ("gid", ConflictReason.GROUP),
        ("flags", ConflictReason.FLAGS),
    ],
)
def test_metadata_that_both_changed_is_a_conflict(piece: str, clash: str) -> None:
    ours, theirs = A._replace(**{piece: 0x10}), A._replace(**{piece: 0x20})  # type: ignore[arg-type]

    assert merge({b"x": A}, {b"x": ours}, {b"x": theirs}).conflicts == [(b"x", clash)]
    assert merge({b"x": A}, {b"x": ours}, {b"x": theirs}, favour="theirs").tree[b"x"] == theirs


def test_another_mtime_alone_is_no_change() -> None:
    came = merge({b"x": A}, {b"x": A._replace(mtime_ns=1)}, {b"x": A._replace(mtime_ns=2)})

    assert came.result.edits == {}
    came = merge({b"x": A}, {b"x": A._replace(mtime_ns=1)}, {})
    assert came.conflicts == []
    assert b"x" not in came.tree


def test_a_directory_that_theirs_deleted_stays_for_what_ours_has_new_in_it() -> None:
    base = {b"d": sub(old=A, deep=sub(old=A))}
    came = merge(base, {b"d": sub(old=A, deep=sub(old=A, new=B))}, {})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/deep", b"d/deep/new"}


def test_a_directory_that_ours_deleted_comes_back_for_what_theirs_has_new_in_it() -> None:
    base = {b"d": Directory({b"old": A, b"deep": sub(old=A)}, _own(mode=0o750))}
    theirs = {b"d": Directory({b"old": A, b"deep": sub(old=A, new=B)}, _own(mode=0o750))}
    came = merge(base, {}, theirs)

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/deep", b"d/deep/new"}
    assert came.tree[b"d"].mode == 0o750


def test_a_directory_whose_files_both_deleted_is_gone() -> None:
    came = merge({b"d": sub(x=A, y=A)}, {b"d": sub(x=A)}, {})

    assert came.tree.keys() == {b""}


@pytest.mark.parametrize(
    ("favour", "kept"), [("ours", {b"d", b"d/x", b"d/new"}), ("theirs", {b"d"})]
)
def test_a_directory_turned_file_against_something_new_in_it_is_a_conflict(
    favour: str, kept: set[bytes]
) -> None:
    trees = {b"d": sub(x=A)}, {b"d": sub(x=A, new=B)}, {b"d": C}

    assert merge(*trees).conflicts == [(b"d", ConflictReason.DIRECTORY)]
    assert merge(*trees, favour=favour).tree.keys() == {b"", *kept}


@pytest.mark.parametrize(
    ("favour", "kept"), [("ours", {b"d"}), ("theirs", {b"d", b"d/x", b"d/new"})]
)
def test_something_new_in_a_directory_that_ours_turned_into_a_file_is_a_conflict(
    favour: str, kept: set[bytes]
) -> None:
    trees = {b"d": sub(x=A)}, {b"d": C}, {b"d": sub(x=A, new=B)}

    assert merge(*trees).conflicts == [(b"d", ConflictReason.DIRECTORY)]
    assert merge(*trees, favour=favour).tree.keys() == {b"", *kept}


def test_a_directory_turned_file_is_taken_where_ours_left_it_alone() -> None:
    came = merge({b"d": sub(x=A, deep=sub(y=B))}, {b"d": sub(x=A, deep=sub(y=B))}, {b"d": C})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d"}
    assert came.tree[b"d"].content == C.content


def test_a_file_turned_directory_is_taken_with_all_that_is_in_it() -> None:
    came = merge({b"d": C}, {b"d": C}, {b"d": sub(x=A, deep=sub(y=B))})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/x", b"d/deep", b"d/deep/y"}


def test_both_made_the_same_directory_with_other_things_in_it() -> None:
    came = merge({}, {b"d": sub(x=A, same=C)}, {b"d": sub(y=B, same=C)})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/x", b"d/y", b"d/same"}


def test_a_directory_in_which_names_came_or_went_gets_the_time_of_the_merge() -> None:
    base: dict[bytes, Node] = {b"d": sub(x=A), b"e": sub(x=A), b"new": C}
    came = merge(base, base, {b"d": sub(x=A, y=B), b"e": sub(x=B), b"new": C})

    assert came.tree[b"d"].mtime_ns == NOW
    assert came.tree[b"e"].mtime_ns == 0


def test_the_root_has_metadata_too() -> None:
    came = merge(Directory({}), Directory({b"x": A}), Directory({}, _own(mode=0o700)))

    assert came.tree[b""].mode == 0o700
    assert b"x" in came.tree


# ---- what a side does not cover ----


def test_what_theirs_does_not_cover_is_not_deleted() -> None:
    base: dict[bytes, Node] = {b"x": A, b"d": sub(y=A)}
    came = merge(base, base, {b"x": uncovered(), b"d": uncovered()})

    assert came.conflicts == []
    assert came.result.edits == {}
    assert came.result.skipped == (b"d", b"x")


def test_what_a_copy_lacks_because_its_base_did_not_cover_it_is_no_change() -> None:
    came = merge({b"x": uncovered()}, {b"x": uncovered()}, {})

    assert (came.result.edits, came.result.skipped) == ({}, ())


def test_a_directory_that_is_taken_leaves_out_what_the_base_did_not_cover() -> None:
    came = merge(
        {b"d": sub(unknown=uncovered(), x=A)},
        {b"d": C},
        {b"d": sub(unknown=B, x=A, new=B)},
        favour="theirs",
    )

    assert came.tree.keys() == {b"", b"d", b"d/x", b"d/new"}


def test_what_ours_does_not_cover_is_not_overwritten() -> None:
    base = {b"d": sub(x=A, y=A)}
    came = merge(base, {b"d": uncovered()}, {b"d": sub(x=B, new=C)})

    assert came.conflicts == []
    assert came.result.edits == {}
    assert came.result.skipped == (b"d/new", b"d/x", b"d/y")


def test_what_the_base_did_not_cover_is_left_alone() -> None:
    came = merge({b"x": uncovered()}, {b"x": A}, {b"x": B})

    assert (came.conflicts, came.result.edits) == ([], {})


def test_a_directory_that_theirs_deleted_stays_for_what_nobody_covers() -> None:
    base = {b"d": sub(x=A, mount=uncovered())}
    came = merge(base, base, {})

    assert came.tree.keys() == {b"", b"d", b"d/mount"}
    assert came.conflicts == []


@pytest.mark.parametrize("favour", [None, "ours", "theirs"])
def test_a_file_never_takes_the_place_of_what_is_not_covered(favour: str | None) -> None:
    base = {b"d": sub(x=A, mount=uncovered())}
    came = merge(base, base, {b"d": C}, favour=favour)

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/x", b"d/mount"}
    assert b"d" in came.result.skipped


def test_what_the_rules_exclude_is_not_taken() -> None:
    came = merge(
        {},
        {},
        {b"build": sub(x=A), b"y": B},
        is_excluded=lambda path, _: path.startswith(b"build"),
    )

    assert came.tree.keys() == {b"", b"y"}


# ---- only some paths ----


def test_only_chosen_paths_are_taken() -> None:
    base: dict[bytes, Node] = {b"x": A, b"y": A, b"d": sub(z=A)}
    came = merge(base, base, {b"x": B, b"d": sub(z=B, w=C)}, within=[b"d"])

    assert came.tree.keys() == {b"", b"x", b"y", b"d", b"d/z", b"d/w"}
    assert came.tree[b"x"].content == A.content
    assert came.tree[b"d/z"].content == B.content


def test_conflicts_elsewhere_do_not_matter_to_chosen_paths() -> None:
    trees = {b"x": A, b"y": A}, {b"x": B, b"y": A}, {b"x": C, b"y": B}

    assert merge(*trees).conflicts == [(b"x", ConflictReason.BINARY)]
    assert merge(*trees, within=[b"y"]).conflicts == []
    assert merge(*trees, within=[b"y"]).tree[b"y"].content == B.content


def test_the_directories_above_a_chosen_path_come_along() -> None:
    came = merge(
        {}, {}, {b"d": Directory({b"e": sub(x=A, y=B)}, _own(mode=0o750))}, within=[b"d/e/x"]
    )

    assert came.tree.keys() == {b"", b"d", b"d/e", b"d/e/x"}
    assert came.tree[b"d"].mode == 0o750


def _own(**metadata: int) -> Entry:
    return Entry(b"", EntryKind.DIRECTORY, 0o755)._replace(**metadata)  # type: ignore[arg-type]
