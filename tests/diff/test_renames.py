"""Rename detection: pairs of a deletion and an addition."""

from __future__ import annotations

from hypothesis import given, settings

from clew.diff.renames import pair_renames
from clew.diff.trees import count, diff_trees
from clew.model.change import Change
from clew.model.entry import Entry, EntryKind
from tests.diff.forest import Directory, Forest, Node, file, symlink, walk_order
from tests.diff.test_trees_property import relatives


def renames(
    old: dict[bytes, Node], new: dict[bytes, Node]
) -> list[tuple[bytes, str, bytes | None]]:
    changes = pair_renames(_diff(Directory(old), Directory(new)))
    return [(change.path, change.kind, change.old_path) for change in changes]


def _diff(old: Directory, new: Directory) -> list[Change]:
    forest = Forest()
    return list(diff_trees(forest.plant(old), forest.plant(new), forest.get, mtimes=False))


def test_a_file_that_moved_is_one_rename() -> None:
    assert renames({b"a": file(b"1")}, {b"b": file(b"1")}) == [(b"b", "renamed", b"a")]


def test_a_rename_carries_both_entries() -> None:
    changes = _diff(Directory({b"a": file(b"1")}), Directory({b"b": file(b"1", mode=0o600)}))

    assert pair_renames(changes) == [
        Change(
            b"b",
            "renamed",
            file(b"1")._replace(name=b"a"),
            file(b"1", mode=0o600)._replace(name=b"b"),
            b"a",
        )
    ]


def test_a_symlink_that_moved_is_one_rename() -> None:
    assert renames({b"a": symlink(b"t")}, {b"b": symlink(b"t")}) == [(b"b", "renamed", b"a")]


def test_a_symlink_is_not_a_file_with_the_same_bytes() -> None:
    assert renames({b"a": symlink(b"t")}, {b"b": file(b"t")}) == [
        (b"a", "deleted", None),
        (b"b", "added", None),
    ]


def test_other_content_is_no_rename() -> None:
    assert renames({b"a": file(b"1")}, {b"b": file(b"2")}) == [
        (b"a", "deleted", None),
        (b"b", "added", None),
    ]


def test_empty_files_and_fifos_are_all_alike_and_do_not_pair() -> None:
    fifo = Entry(b"", EntryKind.FIFO)

    assert renames({b"a": file(), b"p": fifo}, {b"b": file(), b"q": fifo}) == [
        (b"a", "deleted", None),
        (b"b", "added", None),
        (b"p", "deleted", None),
        (b"q", "added", None),
    ]


def test_a_copy_is_an_addition() -> None:
    assert renames({b"a": file(b"1")}, {b"a": file(b"1"), b"b": file(b"1")}) == [
        (b"b", "added", None)
    ]


def test_what_was_replaced_is_no_source() -> None:
    assert renames({b"a": file(b"1")}, {b"a": file(b"2"), b"b": file(b"1")}) == [
        (b"a", "modified", None),
        (b"b", "added", None),
    ]


def test_the_same_base_name_is_preferred() -> None:
    old: dict[bytes, Node] = {b"a": Directory({b"x": file(b"1"), b"y": file(b"1")})}
    new: dict[bytes, Node] = {b"b": Directory({b"y": file(b"1"), b"z": file(b"1"), b"w": file()})}

    assert renames(old, new) == [
        (b"a", "deleted", None),
        (b"b", "added", None),
        (b"b/w", "added", None),
        (b"b/y", "renamed", b"a/y"),
        (b"b/z", "renamed", b"a/x"),
    ]


def test_what_is_left_pairs_in_path_order() -> None:
    old: dict[bytes, Node] = {name: file(b"1") for name in (b"a", b"b", b"c")}
    new: dict[bytes, Node] = {name: file(b"1") for name in (b"x", b"y")}

    assert renames(old, new) == [
        (b"c", "deleted", None),
        (b"x", "renamed", b"a"),
        (b"y", "renamed", b"b"),
    ]


INSIDE: dict[bytes, Node] = {
    b"empty": file(),
    b"f": file(b"1"),
    b"none": Directory({}),
    b"sub": Directory({b"g": file(b"1")}),
}


def test_a_directory_that_moved_takes_everything_along() -> None:
    assert renames({b"a": Directory(INSIDE)}, {b"b": Directory(INSIDE)}) == [
        (b"b", "renamed", b"a"),
        (b"b/empty", "renamed", b"a/empty"),
        (b"b/f", "renamed", b"a/f"),
        (b"b/none", "renamed", b"a/none"),
        (b"b/sub", "renamed", b"a/sub"),
        (b"b/sub/g", "renamed", b"a/sub/g"),
    ]


def test_a_directory_that_moved_with_other_mtimes_is_the_same() -> None:
    old: dict[bytes, Node] = {b"a": Directory({b"f": file(b"1", mtime=1)})}
    new: dict[bytes, Node] = {b"b": Directory({b"f": file(b"1", mtime=2)})}

    assert renames(old, new) == [(b"b", "renamed", b"a"), (b"b/f", "renamed", b"a/f")]


def test_a_directory_that_moved_and_changed_is_not_renamed_but_its_files_are() -> None:
    old: dict[bytes, Node] = {b"a": Directory({b"f": file(b"1"), b"g": file(b"2")})}
    new: dict[bytes, Node] = {b"b": Directory({b"f": file(b"1"), b"g": file(b"3")})}

    assert renames(old, new) == [
        (b"a", "deleted", None),
        (b"a/g", "deleted", None),
        (b"b", "added", None),
        (b"b/f", "renamed", b"a/f"),
        (b"b/g", "added", None),
    ]


def test_empty_directories_do_not_pair() -> None:
    assert renames({b"a": Directory({})}, {b"b": Directory({})}) == [
        (b"a", "deleted", None),
        (b"b", "added", None),
    ]


def test_the_outer_directory_decides_where_the_inner_one_came_from() -> None:
    inner = Directory({b"f": file(b"1")})
    old: dict[bytes, Node] = {
        b"a": Directory({b"lib": inner}),
        b"old": Directory({b"lib": inner, b"x": file(b"2")}),
    }
    new: dict[bytes, Node] = {b"new": Directory({b"lib": inner, b"x": file(b"2")})}

    assert renames(old, new) == [
        (b"a", "deleted", None),
        (b"a/lib", "deleted", None),
        (b"a/lib/f", "deleted", None),
        (b"new", "renamed", b"old"),
        (b"new/lib", "renamed", b"old/lib"),
        (b"new/lib/f", "renamed", b"old/lib/f"),
        (b"new/x", "renamed", b"old/x"),
    ]


@given(relatives())
@settings(max_examples=100)
def test_renames_account_for_every_path_once(pair: tuple[Directory, Directory]) -> None:
    changes = _diff(*pair)
    paired = pair_renames(changes)
    before, after = count(changes), count(paired)
    origins = [change.old_path for change in paired if change.old_path is not None]

    assert after.renamed == before.added - after.added == before.deleted - after.deleted
    assert after.renamed == len(origins)
    assert sorted([*(change.path for change in paired), *origins]) == sorted(
        change.path for change in changes
    )
    assert [change.path for change in paired] == sorted(
        (change.path for change in paired), key=walk_order
    )
    assert pair_renames(reversed(changes)) == paired


def test_many_files_with_the_same_content_pair_without_delay() -> None:
    old: dict[bytes, Node] = {b"a": Directory({b"%d" % at: file(b"1") for at in range(5_000)})}
    new: dict[bytes, Node] = {b"b": Directory({b"%d" % at: file(b"1") for at in range(4_999)})}
    found = renames(old, new)

    assert sum(kind == "renamed" for _, kind, _ in found) == 4_999
    assert all(old_path == b"a" + path[1:] for path, _, old_path in found if old_path is not None)
