"""Random trees, compared with a naive diff path by path."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.diff.trees import diff_trees, lookup, walk
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.tree import WIDE
from tests.diff.forest import (
    Directory,
    Forest,
    Node,
    device,
    file,
    flat,
    kinds,
    naive_diff,
    symlink,
    uncovered,
    walk_order,
)

NAMES = st.sampled_from([b"a", b"a.b", b"a-", b"b", b"\xff"])
LEAVES = st.sampled_from(
    [
        file(b"1"),
        file(b"2"),
        file(b"1", mtime=5),
        file(b"1", mode=0o600),
        symlink(b"1"),
        symlink(b"2"),
        device(1),
        Entry(b"", EntryKind.FIFO),
        uncovered(Reason.EXCLUDED),
        uncovered(Reason.MOUNT),
    ]
)
OWN = st.sampled_from(
    [
        Entry(b"", EntryKind.DIRECTORY, 0o755),
        Entry(b"", EntryKind.DIRECTORY, 0o755, mtime_ns=9),
        Entry(b"", EntryKind.DIRECTORY, 0o700),
    ]
)


def directories(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(Directory, st.dictionaries(NAMES, nodes, max_size=4), OWN)


NODES: st.SearchStrategy[Node] = st.recursive(LEAVES, directories, max_leaves=10)
TREES = st.builds(Directory, st.dictionaries(NAMES, NODES, max_size=4), OWN)


@st.composite
def relatives(draw: st.DrawFn) -> tuple[Directory, Directory]:
    """Yield two trees that share some of their directories."""
    old, new = draw(TREES), draw(TREES)
    shared = draw(st.lists(st.sampled_from(sorted(old.nodes)), unique=True)) if old.nodes else []
    return old, Directory({**new.nodes, **{name: old.nodes[name] for name in shared}}, new.own)


@given(relatives(), st.booleans(), st.booleans())
@settings(max_examples=150)
def test_the_diff_is_what_comparing_every_path_gives(
    pair: tuple[Directory, Directory], mtimes: bool, told: bool
) -> None:
    old, new = pair
    forest = Forest()
    changes = list(
        diff_trees(forest.plant(old), forest.plant(new), forest.get, mtimes=mtimes, uncovered=told)
    )

    assert kinds(changes) == naive_diff(flat(old), flat(new), mtimes=mtimes, uncovered=told)


@given(TREES)
@settings(max_examples=50)
def test_a_walk_gives_every_path_and_lookup_finds_it(directory: Directory) -> None:
    forest = Forest()
    root = forest.plant(directory)
    walked = list(walk(root, forest.get))

    assert [path for path, _ in walked] == sorted(flat(directory), key=walk_order)
    assert all(lookup(root, path, forest.get) == entry for path, entry in walked)


@pytest.mark.parametrize("seed", range(4))
def test_wide_directories_are_compared_like_any_other(
    seed: int,
) -> None:
    chance = random.Random(seed)
    names = [b"%d" % chance.randrange(10**6) for _ in range(4 * WIDE)]
    nodes: dict[bytes, Node] = {name: file(b"1") for name in names}
    old = Directory(nodes)
    for name in chance.sample(names, 30 if seed < 2 else 1500):
        if chance.random() < 0.5:
            nodes.pop(name, None)
        else:
            nodes[chance.choice([name, name + b"x"])] = file(b"%d" % chance.randrange(3))
    new = Directory(nodes)
    forest = Forest()
    changes = list(diff_trees(forest.plant(old), forest.plant(new), forest.get, mtimes=False))

    assert kinds(changes) == naive_diff(flat(old), flat(new), mtimes=False, uncovered=False)
    assert len(changes) > 20
