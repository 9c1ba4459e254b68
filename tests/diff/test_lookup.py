"""Path lookup in a tree, and walking a subtree."""

from __future__ import annotations

import pytest

from clew.diff.trees import lookup, walk
from tests.diff.forest import Directory, Forest, Node, file, symlink, uncovered
from tests.diff.test_trees import deep_root

TREE = Directory(
    {
        b"a": Directory({b"b": file(b"1"), b"c": Directory({})}),
        b"l": symlink(b"a"),
        b"m": uncovered(),
    }
)


def test_a_path_is_found_at_any_depth() -> None:
    forest = Forest()
    root = forest.plant(TREE)

    assert lookup(root, b"a/b", forest.get) == file(b"1")._replace(name=b"b")
    assert lookup(root, b"m", forest.get) == uncovered()._replace(name=b"m")


def test_the_empty_path_is_the_root() -> None:
    forest = Forest()
    found = lookup(forest.plant(TREE), b"", forest.get)

    assert found is not None
    assert (found.name, found.mode) == (b"", 0o755)


@pytest.mark.parametrize(
    "path",
    [b"x", b"a/x", b"a/b/c", b"l/b", b"m/x", b"a/", b"/a", b"a//b", b".", b"a/..", b"a/./b", b"/"],
)
def test_what_is_not_there_is_not_found(path: bytes) -> None:
    forest = Forest()

    assert lookup(forest.plant(TREE), path, forest.get) is None
    assert list(walk(forest.plant(TREE), forest.get, path)) == []


def test_a_name_in_a_wide_directory_costs_one_leaf() -> None:
    forest = Forest()
    nodes: dict[bytes, Node] = {b"%06d" % at: file(b"%d" % at) for at in range(20_000)}
    root = forest.plant(Directory(nodes))

    for name in (b"000000", b"012345", b"019999"):
        forest.reads.clear()
        assert lookup(root, name, forest.get) == nodes[name]._replace(name=name)  # type: ignore[union-attr]
        assert len(forest.reads) == 3  # root, branch, leaf
    assert lookup(root, b"012345x", forest.get) is None
    assert lookup(root, b"999999", forest.get) is None


def test_a_walk_can_begin_anywhere() -> None:
    forest = Forest()
    root = forest.plant(TREE)

    assert [path for path, _ in walk(root, forest.get)] == [b"", b"a", b"a/b", b"a/c", b"l", b"m"]
    assert [path for path, _ in walk(root, forest.get, b"a")] == [b"a", b"a/b", b"a/c"]
    assert [path for path, _ in walk(root, forest.get, b"a/b")] == [b"a/b"]
    assert [path for path, _ in walk(root, forest.get, b"m")] == [b"m"]


def test_a_tree_of_20000_levels_is_walked() -> None:
    forest = Forest()
    root = deep_root(forest, 20_000, b"1")
    last = b"d/" * 20_000 + b"leaf"
    longest = max(len(path) for path, _ in walk(root, forest.get))

    assert longest == len(last)
    assert lookup(root, last, forest.get) is not None
