"""Chosen paths stand for exactly what was chosen, in as few paths as possible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.model.path import is_within
from clew.model.restore_results import PlannedPath
from clew.policy.path_groups import chosen_paths, grouped

NAMES = st.sampled_from([b"a", b"b", b"c", b"a.b"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)


def tree(paths: list[bytes]) -> dict[str, list[PlannedPath]]:
    return {"replace": [PlannedPath(path, 1) for path in paths]}


def test_a_directory_whose_paths_were_all_chosen_stands_for_them() -> None:
    paths = [b"a/b/one", b"a/b/two", b"a/c", b"d"]
    root = grouped(tree(paths))

    assert chosen_paths(root, {b"a/b/one", b"a/b/two"}) == [b"a/b"]
    assert chosen_paths(root, {b"a/b/one", b"a/c"}) == [b"a/b/one", b"a/c"]
    assert chosen_paths(root, set()) == []


def test_everything_is_never_the_root_itself() -> None:
    root = grouped(tree([b"a/b", b"c"]))

    assert chosen_paths(root, {b"a/b", b"c"}) == [b"a", b"c"]


@given(st.lists(PATHS, min_size=1, unique=True), st.data())
def test_what_is_chosen_is_restored_and_nothing_else(
    paths: list[bytes], data: st.DataObject
) -> None:
    root = grouped(tree(paths))
    leaves = {one.path for one in root.leaves()}
    accepted = data.draw(st.sets(st.sampled_from(sorted(leaves))))
    chosen = chosen_paths(root, accepted)

    assert {leaf for leaf in leaves if any(is_within(leaf, one) for one in chosen)} == accepted
    assert not any(is_within(one, other) for one in chosen for other in chosen if one != other)
