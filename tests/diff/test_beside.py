"""Comparison of several trees."""

from __future__ import annotations

from collections.abc import Mapping

from clew.diff.compare_trees import changed_beside
from clew.model.sandbox_results import ComparedPath
from tests.diff.forest import Directory, Forest, Node, file, uncovered


def beside(
    ancestor: Mapping[bytes, Node], *sides: Mapping[bytes, Node]
) -> dict[bytes, ComparedPath]:
    forest = Forest()
    trees = [forest.plant(Directory(nodes)) for nodes in (ancestor, *sides)]
    found = changed_beside(trees[0], trees[1:], forest.get)
    assert [one.path for one in found] == sorted(one.path for one in found)
    return {one.path: one for one in found}


def test_a_path_is_whose_who_changed_it() -> None:
    base: dict[bytes, Node] = {b"a": file(b"1"), b"b": file(b"1"), b"c": file(b"1")}
    found = beside(base, {**base, b"a": file(b"2")}, {**base, b"b": file(b"2"), b"d": file()})

    assert {path: one.kinds for path, one in found.items()} == {
        b"a": ("modified", None),
        b"b": (None, "modified"),
        b"d": (None, "added"),
    }
    assert [one.changed_by for one in found.values()] == [[0], [1], [1]]
    assert all(one.is_same for one in found.values())


def test_the_same_change_is_agreed_upon_whatever_the_clock_says() -> None:
    found = beside({b"a": file(b"1")}, {b"a": file(b"2", mtime=1)}, {b"a": file(b"2", mtime=2)})

    assert found == {b"a": ComparedPath(b"a", ("modified", "modified"), is_same=True)}


def test_another_content_another_mode_or_none_at_all_is_a_disagreement() -> None:
    base = {b"a": file(b"1")}

    assert not beside(base, {b"a": file(b"2")}, {b"a": file(b"3")})[b"a"].is_same
    assert not beside(base, {b"a": file(b"2")}, {b"a": file(b"2", mode=0o755)})[b"a"].is_same
    assert not beside(base, {b"a": file(b"2")}, {})[b"a"].is_same
    assert beside(base, {}, {})[b"a"].is_same


def test_three_sides_agree_only_if_all_that_changed_it_do() -> None:
    base = {b"a": file(b"1")}

    assert beside(base, {b"a": file(b"2")}, base, {b"a": file(b"2")})[b"a"] == ComparedPath(
        b"a", ("modified", None, "modified"), is_same=True
    )
    assert not beside(base, {b"a": file(b"2")}, {b"a": file(b"2")}, {})[b"a"].is_same


def test_what_lies_in_directories_is_found_in_order() -> None:
    base: dict[bytes, Node] = {b"d": Directory({b"x": file(b"1")})}
    found = beside(base, {b"d": Directory({b"x": file(b"2")})}, {b"d": Directory({})})

    assert list(found) == [b"d/x"]
    assert found[b"d/x"].kinds == ("modified", "deleted")


def test_what_is_not_covered_is_no_change() -> None:
    assert beside({b"a": file(b"1")}, {b"a": uncovered()}, {b"a": file(b"1")}) == {}
