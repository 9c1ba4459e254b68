"""Renames, SQLite databases and hard links in a merge."""

from __future__ import annotations

import pytest

from clew.model.entry import Entry
from clew.model.merge_results import ConflictReason
from clew.model.small_objects import Group
from tests.diff.forest import Directory, Node, symlink, uncovered
from tests.diff.merging import holding, lines, merge

OLD, EDITED = lines("1", "2"), lines("1", "2", "3")
OTHER = lines("something", "else")
A, B, C = holding(b"a\x00"), holding(b"b\x00"), holding(b"c\x00")


def sub(**nodes: Node) -> Directory:
    return Directory({name.encode(): node for name, node in nodes.items()})


# ---- renames ----


def test_our_edit_follows_what_theirs_renamed() -> None:
    came = merge({b"a": OLD}, {b"a": EDITED}, {b"b": OLD})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"b"}
    assert came.read(b"b") == b"1\n2\n3\n"


def test_their_edit_goes_to_where_ours_renamed_it() -> None:
    came = merge({b"a": OLD}, {b"b": OLD}, {b"a": EDITED})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"b"}
    assert came.read(b"b") == b"1\n2\n3\n"


def test_a_chmod_follows_too() -> None:
    came = merge({b"a": OLD}, {b"a": OLD._replace(mode=0o700)}, {b"b": OLD})

    assert came.tree[b"b"].mode == 0o700


def test_a_rename_that_both_made_alike_is_one() -> None:
    came = merge({b"a": OLD}, {b"b": OLD._replace(uid=1)}, {b"b": OLD._replace(gid=2)})

    assert came.conflicts == []
    assert came.tree[b"b"] == OLD._replace(uid=1, gid=2)


@pytest.mark.parametrize(("favour", "place"), [("ours", b"b"), ("theirs", b"c")])
def test_renamed_to_two_places_is_a_conflict(favour: str, place: bytes) -> None:
    trees = {b"a": OLD}, {b"b": OLD}, {b"c": OLD}

    assert merge(*trees).conflicts == [(b"a", ConflictReason.RENAMED)]
    assert merge(*trees, favour=favour).tree.keys() == {b"", place}


def test_a_directory_renamed_to_two_places_is_one_conflict() -> None:
    came = merge(
        {b"a": sub(x=OLD, y=A, deep=sub(z=B))},
        {b"b": sub(x=OLD, y=A, deep=sub(z=B))},
        {b"c": sub(x=OLD, y=A, deep=sub(z=B))},
    )

    assert came.conflicts == [(b"a", ConflictReason.RENAMED)]


def test_deleted_here_and_renamed_there_comes_with_its_new_name() -> None:
    came = merge({b"a": OLD}, {}, {b"b": OLD})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"b"}


def test_renamed_here_and_deleted_there_keeps_its_new_name() -> None:
    came = merge({b"a": OLD}, {b"b": OLD}, {})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"b"}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({b"a": EDITED, b"b": OTHER}, {b"b": OLD}), ({b"b": OLD}, {b"a": EDITED, b"b": OTHER})],
)
def test_renamed_to_where_the_other_made_something_is_a_conflict(
    ours: dict[bytes, Node], theirs: dict[bytes, Node]
) -> None:
    came = merge({b"a": OLD}, ours, theirs)

    assert came.conflicts == [(b"b", ConflictReason.OCCUPIED)]
    for favour, wanted in (("ours", ours), ("theirs", theirs)):
        result = merge({b"a": OLD}, ours, theirs, favour=favour)
        assert result.tree[b"b"].content in (wanted[b"b"].content, EDITED.content)  # type: ignore[union-attr]


def test_edits_follow_into_a_renamed_directory_and_new_files_stay() -> None:
    came = merge(
        {b"d": sub(x=OLD, y=A)}, {b"d": sub(x=EDITED, y=A, new=C)}, {b"e": sub(x=OLD, y=A)}
    )

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/new", b"e", b"e/x", b"e/y"}
    assert came.tree[b"e/x"].content == EDITED.content


def test_their_edits_follow_into_a_directory_that_ours_renamed() -> None:
    came = merge(
        {b"d": sub(x=OLD, y=A)}, {b"e": sub(x=OLD, y=A)}, {b"d": sub(x=EDITED, y=A, new=C)}
    )

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/new", b"e", b"e/x", b"e/y"}
    assert came.tree[b"e/x"].content == EDITED.content


def test_which_of_several_alike_moved_is_not_guessed() -> None:
    came = merge({b"a": OLD, b"b": OLD}, {b"a": EDITED, b"b": OLD}, {b"c": OLD, b"d": OLD})

    assert came.conflicts == [(b"a", ConflictReason.DELETED_THERE)]


def test_what_ours_replaced_by_another_type_is_not_followed() -> None:
    came = merge({b"a": OLD}, {b"a": symlink(b"x")}, {b"b": OLD})

    assert came.conflicts == [(b"a", ConflictReason.DELETED_THERE)]


def test_a_directory_that_theirs_deleted_stays_for_what_ours_moved_into_it() -> None:
    came = merge({b"a": OLD, b"d": sub(z=A)}, {b"d": sub(z=A, b=OLD)}, {b"a": EDITED})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"d", b"d/b"}
    assert came.tree[b"d/b"].content == EDITED.content


def test_a_change_to_a_chosen_path_does_not_follow_out_of_it() -> None:
    trees = {b"a": OLD}, {b"b": OLD}, {b"a": EDITED}

    assert merge(*trees, within=[b"a"]).conflicts == [(b"a", ConflictReason.DELETED_HERE)]
    assert merge(*trees, within=[b"a"], favour="theirs").tree[b"b"].content == OLD.content


def test_a_chosen_end_of_a_rename_is_taken_alone() -> None:
    came = merge({b"a": OLD}, {b"a": EDITED}, {b"b": OLD}, within=[b"b"])

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"a", b"b"}


# ---- SQLite ----

EMPTY_DB = holding(b"SQLite format 3\x00" + bytes(84) + b"0")
DB = holding(b"SQLite format 3\x00" + bytes(84) + b"1")
DB2 = holding(b"SQLite format 3\x00" + bytes(84) + b"2")
WAL, WAL2 = holding(b"\x37\x7f\x06\x82wal"), holding(b"\x37\x7f\x06\x82wal2")
SHM, SHM2 = holding(b"shm\x00"), holding(b"shm2\x00")


def test_a_database_and_its_log_are_never_taken_from_two_sides() -> None:
    trees: tuple[dict[bytes, Node], ...] = (
        {b"x.db": EMPTY_DB},
        {b"x.db": DB},
        {b"x.db": EMPTY_DB, b"x.db-wal": WAL, b"x.db-shm": SHM},
    )

    assert merge(*trees).conflicts == [(b"x.db", ConflictReason.DATABASE)]
    assert merge(*trees, favour="ours").tree.keys() == {b"", b"x.db"}
    theirs = merge(*trees, favour="theirs").tree
    assert theirs[b"x.db"] == EMPTY_DB
    assert theirs[b"x.db-wal"] == WAL
    assert theirs[b"x.db-shm"] == SHM


def test_a_database_that_one_side_changed_is_taken_whole() -> None:
    base: dict[bytes, Node] = {b"x.db": EMPTY_DB, b"x.db-wal": WAL, b"x.db-shm": SHM}
    ours: dict[bytes, Node] = {**base, b"x.db-shm": SHM2}
    came = merge(base, ours, {b"x.db": DB, b"x.db-journal": C})

    assert came.conflicts == []
    assert came.tree.keys() == {b"", b"x.db", b"x.db-journal"}


def test_a_change_to_shared_memory_alone_takes_nothing() -> None:
    base: dict[bytes, Node] = {b"x.db": EMPTY_DB, b"x.db-wal": WAL, b"x.db-shm": SHM}
    came = merge(
        base,
        {**base, b"x.db-wal": WAL2, b"x.db-shm": SHM2},
        {**base, b"x.db-shm": holding(b"\x00")},
    )

    assert came.conflicts == []
    assert came.result.edits == {}


def test_the_mode_of_a_database_is_merged_apart() -> None:
    base: dict[bytes, Node] = {b"x.db": EMPTY_DB, b"x.db-wal": WAL}
    came = merge(
        base,
        {b"x.db": EMPTY_DB._replace(mode=0o600), b"x.db-wal": WAL},
        {b"x.db": DB, b"x.db-wal": WAL2},
    )

    assert came.conflicts == []
    assert came.tree[b"x.db"] == DB._replace(mode=0o600)
    assert came.tree[b"x.db-wal"] == WAL2


def test_both_changed_a_database_alike() -> None:
    same: dict[bytes, Node] = {b"x.db": DB, b"x.db-wal": WAL}
    came = merge({b"x.db": EMPTY_DB}, same, same)

    assert (came.conflicts, came.result.edits) == ([], {})


def test_a_chosen_database_comes_with_its_journals() -> None:
    came = merge(
        {b"x.db": EMPTY_DB}, {b"x.db": EMPTY_DB}, {b"x.db": DB, b"x.db-wal": WAL}, within=[b"x.db"]
    )

    assert came.tree.keys() == {b"", b"x.db", b"x.db-wal"}


def test_names_alone_make_no_database() -> None:
    came = merge(
        {b"notes": lines("1"), b"notes-journal": lines("1")},
        {b"notes": lines("2"), b"notes-journal": lines("1")},
        {b"notes": lines("1"), b"notes-journal": lines("2")},
    )

    assert came.conflicts == []
    assert came.read(b"notes") == came.read(b"notes-journal") == b"2\n"


def test_a_database_of_which_a_part_is_not_covered_is_left_alone() -> None:
    base: dict[bytes, Node] = {b"x.db": EMPTY_DB, b"x.db-wal": WAL}
    came = merge(base, {b"x.db": EMPTY_DB, b"x.db-wal": uncovered()}, {b"x.db": DB})

    assert (came.conflicts, came.result.edits) == ([], {})
    assert came.result.skipped == (b"x.db", b"x.db-wal")


# ---- hard links ----

AB: Group = (b"a", b"b")


def links(*trees: dict[bytes, Node], groups: tuple[list[Group], ...]) -> tuple[Group, ...]:
    came = merge(*trees, links=groups)

    assert came.conflicts == []
    return came.result.links


def test_links_that_nobody_touched_stay() -> None:
    same: dict[bytes, Node] = {b"a": A, b"b": A}

    assert links(same, same, {**same, b"c": C}, groups=([AB], [AB], [AB])) == (AB,)


def test_links_that_theirs_made_are_taken() -> None:
    base: dict[bytes, Node] = {b"a": A}
    both: dict[bytes, Node] = {b"a": A, b"b": A}

    assert links(base, base, both, groups=([], [], [AB])) == (AB,)
    assert links(base, {**base, b"z": C}, both, groups=([], [], [AB])) == (AB,)


def test_links_that_theirs_broke_are_broken() -> None:
    same: dict[bytes, Node] = {b"a": A, b"b": A}

    assert links(same, same, same, groups=([AB], [AB], [])) == ()


def test_an_edit_through_a_link_that_ours_lengthened_parts_the_new_name() -> None:
    """Theirs edited the inode; ours gave it a third name, which is now a separate file."""
    came = links(
        {b"a": A, b"b": A},
        {b"a": A, b"b": A, b"c": A},
        {b"a": B, b"b": B},
        groups=([AB], [(b"a", b"b", b"c")], [AB]),
    )

    assert came == (AB,)


def test_names_that_each_side_gave_to_one_file_are_all_linked() -> None:
    came = links(
        {b"a": A, b"b": A},
        {b"a": A, b"b": A, b"c": A},
        {b"a": A, b"b": A, b"d": A},
        groups=([AB], [(b"a", b"b", b"c")], [(b"a", b"b", b"d")]),
    )

    assert came == ((b"a", b"b", b"c", b"d"),)


def test_links_that_both_kept_stay_where_others_change() -> None:
    base: dict[bytes, Node] = {b"a": A, b"b": A, b"x": B, b"y": B}
    came = links(
        base,
        {**base, b"z": B},
        {**base, b"w": C, b"v": C},
        groups=([AB], [AB, (b"x", b"z")], [AB, (b"v", b"w")]),
    )

    assert came == (AB, (b"v", b"w"), (b"x", b"z"))


def test_links_outside_the_chosen_paths_stay_as_ours_has_them() -> None:
    same: dict[bytes, Node] = {b"a": A, b"b": A, b"d": sub(x=B, y=B)}
    inside: Group = (b"d/x", b"d/y")
    came = merge(same, same, same, links=([AB, inside], [AB, inside], []), within=[b"d"])

    assert came.result.links == (AB,)


def test_linked_files_have_one_mtime() -> None:
    came = merge(
        {b"a": A},
        {b"a": A._replace(mtime_ns=9)},
        {b"a": A, b"b": A._replace(mtime_ns=5)},
        links=([], [], [AB]),
    )

    assert came.result.links == (AB,)
    assert came.tree[b"a"].mtime_ns == came.tree[b"b"].mtime_ns == 9


def test_a_text_that_both_edited_through_links_stays_linked() -> None:
    def both(entry: Entry) -> dict[bytes, Node]:
        return {b"a": entry, b"b": entry}

    came = links(
        both(lines("1", "2", "3", "4", "5")),
        both(lines("x", "2", "3", "4", "5")),
        both(lines("1", "2", "3", "4", "y")),
        groups=([AB], [AB], [AB]),
    )

    assert came == (AB,)
