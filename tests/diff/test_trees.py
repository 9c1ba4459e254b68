"""Tree diff: the paths that differ between two trees."""

from __future__ import annotations

import pytest

from clew.diff.trees import count, diff_trees
from clew.model.change import Change, ChangeCounts
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import ObjectId
from tests.diff.forest import Directory, Forest, Node, device, file, kinds, symlink, uncovered


def diff(
    old: dict[bytes, Node],
    new: dict[bytes, Node],
    *,
    mtimes: bool = False,
    uncovered: bool = False,
) -> list[tuple[bytes, str]]:
    forest = Forest()
    before, after = forest.plant(Directory(old)), forest.plant(Directory(new))
    return kinds(list(diff_trees(before, after, forest.get, mtimes=mtimes, uncovered=uncovered)))


def test_equal_trees_are_not_even_read() -> None:
    forest = Forest()
    root = forest.plant(Directory({b"a": file(b"1")}))
    changes = list(diff_trees(root, root, forest.get, mtimes=True))

    assert changes == []
    assert forest.reads == []


def test_a_file_is_added_deleted_or_modified() -> None:
    changes = diff(
        {b"gone": file(b"1"), b"kept": file(b"2"), b"other": file(b"3")},
        {b"kept": file(b"2"), b"new": file(b"4"), b"other": file(b"5")},
    )

    assert changes == [(b"gone", "deleted"), (b"new", "added"), (b"other", "modified")]


def test_a_change_carries_both_entries() -> None:
    forest = Forest()
    old = forest.plant(Directory({b"d": Directory({b"a": file(b"1")})}))
    new = forest.plant(Directory({b"d": Directory({b"a": file(b"22", mode=0o600)})}))
    before, after = (file(b"1")._replace(name=b"a"), file(b"22", mode=0o600)._replace(name=b"a"))

    assert list(diff_trees(old, new, forest.get, mtimes=True)) == [
        Change(b"d/a", "modified", before, after)
    ]


def test_a_symlink_with_another_target_and_a_device_with_another_number_are_modified() -> None:
    changes = diff({b"d": device(1), b"l": symlink(b"a")}, {b"d": device(2), b"l": symlink(b"b")})

    assert changes == [(b"d", "modified"), (b"l", "modified")]


@pytest.mark.parametrize(
    "changed",
    [
        file(b"1", mode=0o600),
        file(b"1")._replace(uid=1),
        file(b"1")._replace(gid=1),
        file(b"1")._replace(xattrs=ObjectId(b"x" * 32)),
        file(b"1")._replace(flags=0x10),
    ],
)
def test_the_same_content_with_other_metadata_is_a_change_of_metadata(changed: Entry) -> None:
    assert diff({b"a": file(b"1")}, {b"a": changed}) == [(b"a", "metadata")]


def test_another_mtime_is_a_change_only_where_mtimes_count() -> None:
    old: dict[bytes, Node] = {b"a": file(b"1", mtime=1)}
    new: dict[bytes, Node] = {b"a": file(b"1", mtime=2)}

    assert diff(old, new) == []
    assert diff(old, new, mtimes=True) == [(b"a", "metadata")]


def test_the_roots_own_metadata_has_the_empty_path() -> None:
    forest = Forest()
    old = forest.plant(Directory({b"a": file(b"1")}))
    new = forest.plant(Directory({b"a": file(b"2")}, Entry(b"", EntryKind.DIRECTORY, 0o700)))

    assert kinds(list(diff_trees(old, new, forest.get, mtimes=False))) == [
        (b"", "metadata"),
        (b"a", "modified"),
    ]


def test_everything_in_a_directory_that_came_or_went_is_listed_after_it() -> None:
    tree: dict[bytes, Node] = {b"d": Directory({b"e": Directory({b"f": file()}), b"g": file()})}

    assert diff({}, tree) == [
        (b"d", "added"),
        (b"d/e", "added"),
        (b"d/e/f", "added"),
        (b"d/g", "added"),
    ]
    assert [kind for _, kind in diff(tree, {})] == ["deleted"] * 4


def test_a_directory_that_became_a_file_is_a_change_of_type_and_its_entries_are_gone() -> None:
    directory: dict[bytes, Node] = {b"x": Directory({b"y": file(b"1")})}
    plain: dict[bytes, Node] = {b"x": file(b"1")}

    assert diff(directory, plain) == [(b"x", "type"), (b"x/y", "deleted")]
    assert diff(plain, directory) == [(b"x", "type"), (b"x/y", "added")]


def test_a_file_that_became_a_symlink_is_a_change_of_type() -> None:
    assert diff({b"x": file(b"1")}, {b"x": symlink(b"1")}) == [(b"x", "type")]


def test_paths_come_in_the_order_of_a_walk() -> None:
    tree: dict[bytes, Node] = {
        b"a": Directory({b"b": file()}),
        b"a.txt": file(),
        b"a-": file(),
        b"\xff": file(),
        b"B": file(),
    }

    assert [path for path, _ in diff({}, tree)] == [b"B", b"a", b"a/b", b"a-", b"a.txt", b"\xff"]


BESIDE: list[Node] = [file(b"1"), Directory({b"x": file(b"1")})]


@pytest.mark.parametrize("beside", BESIDE, ids=["file", "directory"])
@pytest.mark.parametrize("reason", sorted(Reason.NAMES))
def test_what_one_side_does_not_cover_is_no_change(beside: Node, reason: int) -> None:
    hidden: dict[bytes, Node] = {b"m": uncovered(reason)}
    seen: dict[bytes, Node] = {b"m": beside}

    assert diff(hidden, seen) == diff(seen, hidden) == []
    assert diff(hidden, {}) == diff({}, hidden) == []
    assert diff(hidden, seen, mtimes=True) == []


@pytest.mark.parametrize("beside", BESIDE, ids=["file", "directory"])
@pytest.mark.parametrize("reason", sorted(Reason.NAMES))
@pytest.mark.parametrize("mtimes", [True, False])
def test_a_restore_is_told_what_one_side_does_not_cover(
    beside: Node, reason: int, mtimes: bool
) -> None:
    hidden: dict[bytes, Node] = {b"d": Directory({b"m": uncovered(reason)})}
    seen: dict[bytes, Node] = {b"d": Directory({b"m": beside})}
    missing: dict[bytes, Node] = {b"d": Directory({})}

    for old, new in [(hidden, seen), (seen, hidden), (hidden, missing), (missing, hidden)]:
        assert diff(old, new, mtimes=mtimes, uncovered=True) == [(b"d/m", "type")]


def test_what_neither_side_covers_is_never_told() -> None:
    old: dict[bytes, Node] = {b"m": uncovered(Reason.MOUNT), b"x": file(b"1")}
    new: dict[bytes, Node] = {b"m": uncovered(Reason.EXCLUDED), b"x": file(b"2")}

    assert diff(old, new, mtimes=True, uncovered=True) == [(b"x", "modified")]


def test_a_restore_finds_what_is_uncovered_in_a_directory_that_would_go() -> None:
    old: dict[bytes, Node] = {b"d": Directory({b"a": file(), b"m": uncovered()})}

    assert diff(old, {}, mtimes=True, uncovered=True) == [
        (b"d", "deleted"),
        (b"d/a", "deleted"),
        (b"d/m", "type"),
    ]


def test_only_directories_that_differ_are_read() -> None:
    forest = Forest()
    same = Directory({b"x": file(b"1")})
    old = forest.plant(Directory({b"a": same, b"b": Directory({b"y": file(b"1")})}))
    new = forest.plant(Directory({b"a": same, b"b": Directory({b"y": file(b"2")})}))
    changes = list(diff_trees(old, new, forest.get, mtimes=True))

    assert kinds(changes) == [(b"b/y", "modified")]
    assert len(forest.reads) == 6  # root, its directory and b, on both sides


def test_directories_that_differ_in_mtimes_only_are_read_only_where_mtimes_count() -> None:
    forest = Forest()
    old = forest.plant(Directory({b"a": Directory({b"x": file(b"1", mtime=1)})}))
    new = forest.plant(Directory({b"a": Directory({b"x": file(b"1", mtime=2)})}))
    changes = list(diff_trees(old, new, forest.get, mtimes=False))

    assert changes == []
    assert len(forest.reads) == 2  # the roots

    assert kinds(list(diff_trees(old, new, forest.get, mtimes=True))) == [(b"a/x", "metadata")]


def test_leaves_that_both_sides_share_are_not_read() -> None:
    forest = Forest()
    nodes: dict[bytes, Node] = {b"%06d" % at: file(b"1") for at in range(20_000)}
    old = forest.plant(Directory(nodes))
    nodes[b"007777"] = file(b"2")
    nodes[b"012345-new"] = file(b"3")
    del nodes[b"015000"]
    new = forest.plant(Directory(nodes))
    changes = list(diff_trees(old, new, forest.get, mtimes=False))

    assert kinds(changes) == [
        (b"007777", "modified"),
        (b"012345-new", "added"),
        (b"015000", "deleted"),
    ]
    assert len(forest.reads) <= 4 + 2 * 3  # root and branch, and one leaf per change, on both sides


def test_a_directory_that_became_wide_is_compared_entry_by_entry() -> None:
    narrow: dict[bytes, Node] = {b"%06d" % at: file(b"1") for at in range(512)}
    wide: dict[bytes, Node] = {**narrow, b"000100-new": file(b"2")}

    assert diff(narrow, wide) == [(b"000100-new", "added")]
    assert diff(wide, narrow) == [(b"000100-new", "deleted")]


def deep_root(forest: Forest, levels: int, content: bytes) -> ObjectId:
    own = Entry(b"", EntryKind.DIRECTORY, 0o755)
    entry = file(content)._replace(name=b"leaf")
    for _ in range(levels):
        entry = forest.directory(b"d", [entry], own)
    return forest.plant(Directory({b"d": entry}))


def test_a_tree_of_20000_levels_is_compared() -> None:
    forest = Forest()
    old, new = deep_root(forest, 20_000, b"1"), deep_root(forest, 20_000, b"2")
    changes = list(diff_trees(old, new, forest.get, mtimes=True))

    assert kinds(changes) == [(b"d/" * 20_000 + b"leaf", "modified")]


def test_changes_are_counted_by_kind_and_one_of_type_counts_as_modified() -> None:
    kinds = ["added", "modified", "type", "deleted", "deleted", "renamed", "metadata"]
    changes = [Change(b"%d" % at, kind, None, None) for at, kind in enumerate(kinds)]

    assert count(changes) == ChangeCounts(added=1, modified=2, deleted=2, renamed=1, metadata=1)
    assert count([]) == ChangeCounts()
