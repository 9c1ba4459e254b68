from __future__ import annotations

import itertools
import random

import pytest

from clew.render.timeline.graph import Graph


def drawn(text: str, *, here: str | None = None, most: int = 8) -> list[str]:
    """Return the graph of lines like `B A`: a node and its parents, newest first."""
    graph = Graph(here, most)
    found = []
    for line in text.split("\n"):
        name, *parents = line.split()
        cells = graph.node(name, name, parents)
        assert cells.node is not None
        assert cells.text[cells.node] == name
        found.append(cells.text.rstrip())
    return found


def test_a_line_of_history_is_one_column() -> None:
    assert drawn("C B\nB A\nA", here="C") == ["C", "B", "A"]


def test_what_a_restore_left_behind_is_to_the_right_of_the_current_line() -> None:
    assert drawn("D A\nC B\nB A\nA", here="D") == ["D", "│ C", "├─B", "A"]


def test_the_current_line_is_the_leftmost_one_also_if_something_is_newer() -> None:
    assert drawn("D C\nC A\nB A\nA", here="B") == ["  D", "  C", "B │", "A─╯"]


def test_branches_of_branches() -> None:
    text = "F C\nE D\nD A\nC B\nB A\nA"

    assert drawn(text, here="F") == ["F", "│ E", "│ D", "C │", "B │", "A─╯"]


def test_several_lines_join_at_their_parent() -> None:
    assert drawn("E D\nD A\nC A\nB A\nA", here="B") == ["  E", "  D", "  ├─C", "B │", "A─╯"]


def test_a_merged_fork_has_a_line_from_its_base_to_where_it_was_adopted() -> None:
    assert drawn("C B F\nB A\nF A\nA", here="C") == ["C─╮", "B │", "├─F", "A"]


def test_a_parent_that_is_not_listed_ends_nothing_else() -> None:
    assert drawn("C\nB A\nA", here="B") == ["  C", "B", "A"]


def test_columns_are_used_again() -> None:
    assert drawn("E C\nD C\nC A\nB A\nA", here="E") == ["E", "├─D", "C", "├─B", "A"]


def test_more_branches_than_columns_share_the_last_one() -> None:
    text = "\n".join(f"{name} {name.lower()}" for name in "ABCDE")

    assert drawn(text, most=3) == ["A", "│ B", "│ │ C", "│ │ D", "│ │ E"]


def test_rows_without_a_node_show_the_lines_that_pass() -> None:
    graph = Graph("B", 8)
    assert graph.between().text.strip() == ""
    graph.node("C", "C", ["A"])
    assert graph.between().text == "  │"
    assert graph.mark("B", "×").text == "× │"
    graph.node("B", "B", ["A"])

    assert graph.between().text == "│ │"
    assert graph.mark("A", "×").text == "× │"
    assert graph.mark("elsewhere", "×").text == "│ │ ×"


@pytest.mark.parametrize("seed", range(30))
def test_every_line_of_a_random_history_reaches_its_parent(seed: int) -> None:
    """A line drawn below a node goes on in each row until a row that joins or is its parent."""
    chance = random.Random(seed)
    parents = {number: chance.randrange(max(0, number - 6), number) for number in range(1, 40)}
    here = chance.randrange(40)
    graph = Graph(here, 99)
    rows = []
    for number in reversed(range(40)):
        below = [parents[number]] if number else []
        rows.append((number, graph.node(number, "o", below)))
    for (number, cells), (_, following) in itertools.pairwise(rows):
        assert cells.text.count("o") == 1
        at = cells.node
        assert at is not None
        joins_left = at > 0 and cells.text[at - 1] in "─┼"
        if number and not joins_left:
            assert following.text[at : at + 1] in ("│", "┼", "├", "o", "╯", "┴"), number
    assert graph.between().text.strip() == ""
