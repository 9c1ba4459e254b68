from __future__ import annotations

import json

import pytest

from clew.detectors.data.notebooks import Notebooks
from tests.kit.moments import evidence, facts, findings, problems, story

CANARY = "canary-7f3a"


def notebook(*sources: str, ids: bool = True, output: str = "", count: int = 1) -> bytes:
    cells = [
        {
            "cell_type": "code",
            "source": [line + "\n" for line in source.split("\n")],
            "outputs": [{"output_type": "stream", "text": output}] if output else [],
            "execution_count": count,
        }
        | ({"id": source.split()[0]} if ids else {})
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def marks(old: bytes, new: bytes) -> list[tuple[str, ...]]:
    return [fact.marks for fact in facts(Notebooks(), {"a.ipynb": old}, {"a.ipynb": new})]


def test_cells_that_came_went_and_were_edited_are_counted() -> None:
    old = notebook("a 1", "b 1", "c 1")
    new = notebook("a 1", "b 2", "d 1", "e 1")

    assert marks(old, new) == [("+2 cells", "−1 cell", "1 cell edited")]


def test_a_run_that_changes_no_source_is_outputs_only() -> None:
    assert marks(notebook("a"), notebook("a", output=CANARY, count=2)) == [("outputs only",)]


@pytest.mark.parametrize("ids", [True, False])
def test_a_cell_put_in_at_the_top_is_one_cell(ids: bool) -> None:
    old, new = notebook("b", "c", "d", ids=ids), notebook("a", "b", "c", "d", ids=ids)

    assert marks(old, new) == [("+1 cell",)]
    assert marks(new, old) == [("−1 cell",)]


def test_cells_without_ids_are_edited_in_their_places() -> None:
    old, new = notebook("a", "b", "c", ids=False), notebook("a", "x", "c", ids=False)

    assert marks(old, new) == [("1 cell edited",)]


def test_cells_in_another_order_have_moved() -> None:
    assert marks(notebook("a", "b"), notebook("b", "a")) == [("cells moved",)]


def test_nothing_of_a_cell_is_shown() -> None:
    old = {"a.ipynb": notebook("a", output=CANARY + "1")}
    new = {"a.ipynb": notebook("a " + CANARY, output=CANARY + "2"), "b.ipynb": notebook(CANARY)}

    result = story([Notebooks()], old, new)

    assert [(fact.subject, fact.before, fact.after) for fact in result.facts] == [
        ("a.ipynb", None, None),
        ("b.ipynb", None, "1 cell"),
    ]
    assert CANARY not in repr(result)


def test_a_notebook_that_is_gone_is_told() -> None:
    (fact,) = facts(Notebooks(), {"a.ipynb": notebook("a", "b")}, {})

    assert (fact.before, fact.after) == ("2 cells", None)


def test_saving_it_again_is_explained_without_a_fact() -> None:
    old = {"a.ipynb": notebook("a"), ".ipynb_checkpoints/a-checkpoint.ipynb": b"{}"}
    new = {
        "a.ipynb": notebook("a") + b"\n",
        ".ipynb_checkpoints/a-checkpoint.ipynb": b"{ }",
    }

    found = findings(Notebooks(), evidence(old, new))

    assert {(finding.facts, finding.text) for finding in found} == {
        ((), "a.ipynb saved again, same cells"),
        ((), "notebook checkpoints changed"),
    }


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"cells": 1}', b"\xff\xfe", b"[" * 200_000, b'{"cells": [' + b"1," * 30_000 + b"1]}"],
)  # fmt: skip
def test_what_is_no_notebook_costs_one_line(content: bytes) -> None:
    assert len(problems(Notebooks(), {}, {"a.ipynb": content})) == 1


def test_cells_of_wrong_types_do_no_harm() -> None:
    odd = json.dumps({"cells": [1, None, {"id": 3, "source": 4}, {"id": "x", "source": [5, "y"]}]})

    (fact,) = facts(Notebooks(), {}, {"a.ipynb": odd.encode()})

    assert fact.after == "2 cells"
