"""Tree edits: only the directories above an edit are written."""

from __future__ import annotations

import random

import pytest

from clew.diff.trees import lookup, walk
from clew.model.entry import NO_ID, Entry, EntryKind
from clew.model.tree import WIDE, read_root
from clew.model.tree_edit import Edits, edited
from tests.diff.forest import Directory, Forest, Node, file

X, Y = file(b"x"), file(b"y")
NEW = Entry(b"", EntryKind.DIRECTORY, 0o750)


def make(forest: Forest, start: Directory, edits: Edits) -> dict[bytes, Entry]:
    made = edited(forest.plant(start), edits, forest.get, forest.put)
    return {path: entry for path, entry in walk(made.tree, forest.get) if path}


def test_a_path_is_put_replaced_and_removed() -> None:
    start = Directory({b"d": Directory({b"a": X, b"b": X})})
    made = make(Forest(), start, {b"d/a": Y, b"d/b": None, b"d/c": X, b"top": Y})

    assert made.keys() == {b"d", b"d/a", b"d/c", b"top"}
    assert made[b"d/a"] == Y._replace(name=b"a")


def test_no_edits_give_the_same_tree() -> None:
    forest = Forest()
    root = forest.plant(Directory({b"d": Directory({b"a": X})}))

    assert edited(root, {}, forest.get, forest.put).tree == root


def test_the_result_is_what_planting_it_gives() -> None:
    forest = Forest()
    root = forest.plant(Directory({b"d": Directory({b"a": X})}))
    made = edited(root, {b"d/b": Y, b"e": NEW, b"e/f": X}, forest.get, forest.put)
    wanted = Directory({b"d": Directory({b"a": X, b"b": Y}), b"e": Directory({b"f": X}, NEW)})

    assert made.tree == forest.plant(wanted)
    own = read_root(made.tree, forest.get)
    assert own.state == read_root(forest.plant(wanted), forest.get).state


def test_what_is_not_on_the_way_is_not_read() -> None:
    forest = Forest()
    start = Directory({b"d": Directory({b"a": X}), b"far": Directory({b"z": Directory({b"q": X})})})
    root = forest.plant(start)
    far = lookup(root, b"far", forest.get)
    forest.reads.clear()
    edited(root, {b"d/a": Y}, forest.get, forest.put)

    assert far is not None
    assert far.content not in forest.reads


def test_a_directory_goes_with_all_that_is_in_it() -> None:
    start = Directory({b"d": Directory({b"a": X, b"e": Directory({b"b": X})})})

    assert make(Forest(), start, {b"d": None, b"d/a": None, b"d/e/b": None}) == {}


def test_a_directory_makes_way_for_a_file_and_a_file_for_a_directory() -> None:
    start = Directory({b"d": Directory({b"a": X}), b"f": Y})
    made = make(Forest(), start, {b"d": Y, b"d/a": None, b"f": NEW, b"f/x": X})

    assert made.keys() == {b"d", b"f", b"f/x"}
    assert made[b"d"].is_file


def test_the_metadata_of_a_directory_changes_around_what_it_holds() -> None:
    forest = Forest()
    root = forest.plant(Directory({b"d": Directory({b"a": X})}))
    there = lookup(root, b"d", forest.get)
    assert there is not None
    edits = {b"d": there._replace(mode=0o700), b"d/b": Y}
    made = dict(walk(edited(root, edits, forest.get, forest.put).tree, forest.get))

    assert made[b"d"].mode == 0o700
    assert made.keys() == {b"", b"d", b"d/a", b"d/b"}


def test_an_edit_of_the_root_is_one_too() -> None:
    forest = Forest()
    root = forest.plant(Directory({b"a": X}))
    own = read_root(root, forest.get)._replace(mode=0o700)
    made = edited(root, {b"": own, b"b": Y}, forest.get, forest.put)

    assert read_root(made.tree, forest.get).mode == 0o700
    assert [path for path, _ in walk(made.tree, forest.get)] == [b"", b"a", b"b"]


@pytest.mark.parametrize("edits", [{b"f/x": X}, {b"d": None, b"d/x": X}, {b"gone/x": X}])
def test_nothing_is_put_below_what_is_no_directory(edits: Edits) -> None:
    start = Directory({b"f": X, b"d": Directory({})})
    with pytest.raises(ValueError, match="Not a directory"):
        make(Forest(), start, edits)


def test_names_that_come_or_go_give_a_directory_its_time_and_others_do_not() -> None:
    forest = Forest()
    start = Directory({name: Directory({b"a": X}) for name in (b"come", b"go", b"edit")})
    edits: Edits = {b"come/b": Y, b"go/a": None, b"edit/a": Y, b"new": NEW, b"new/x": X}
    made = edited(forest.plant(start), edits, forest.get, forest.put, mtime_ns=9)
    times = {path: entry.mtime_ns for path, entry in walk(made.tree, forest.get)}

    assert [times[name] for name in (b"come", b"go", b"edit", b"new", b"")] == [9, 9, 0, 0, 9]


def test_a_path_deeper_than_the_stack_is_edited() -> None:
    forest = Forest()
    depth = 3000
    names = [b"d"] * depth
    edits: Edits = {b"/".join(names[: at + 1]): NEW._replace(content=NO_ID) for at in range(depth)}
    root = forest.plant(Directory({}))
    made = edited(root, {**edits, b"/".join([*names, b"x"]): X}, forest.get, forest.put)
    again = edited(made.tree, {b"/".join([*names, b"x"]): Y}, forest.get, forest.put)

    assert lookup(again.tree, b"/".join([*names, b"x"]), forest.get) == Y._replace(name=b"x")


@pytest.mark.parametrize("seed", range(3))
def test_wide_directories_are_edited_like_any_other(
    seed: int,
) -> None:
    chance, forest = random.Random(seed), Forest()
    nodes: dict[bytes, Node] = {b"%d" % number: X for number in range(4 * WIDE)}
    root = forest.plant(Directory(nodes))
    edits: dict[bytes, Entry | None] = {}
    for name in chance.sample(sorted(nodes), 200):
        edits[name] = Y if chance.random() < 0.5 else None
    edits[b"new"] = Y
    for name, entry in edits.items():
        if entry is None:
            del nodes[name]
        else:
            nodes[name] = entry

    assert edited(root, edits, forest.get, forest.put).tree == forest.plant(Directory(nodes))
