"""A host program is told what was done, once, when it is durable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, UnknownReference
from clew.model.restore_results import RestoreResult
from clew.model.results import PruneResult
from clew.model.save_result import SaveResult
from clew.workspace import Workspace
from clew.workspace.events import EVENTS


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "project").mkdir()
    with opening.open(tmp_path / "project", tmp_path / "store", create=True) as opened:
        yield opened


@pytest.fixture
def heard(ws: Workspace) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for event in EVENTS:
        ws.on(event, lambda data, event=event: found.append((event, data)))  # type: ignore[misc]
    return found


def test_a_save_is_told_with_its_result(ws: Workspace, heard: list[tuple[str, object]]) -> None:
    saved = ws.save("one")

    [(event, data)] = heard
    assert event == "saved"
    assert isinstance(data, SaveResult)
    assert data.checkpoint.id == saved.checkpoint.id


def test_a_save_that_makes_nothing_is_no_news(
    ws: Workspace, heard: list[tuple[str, object]]
) -> None:
    ws.save("one")
    ws.save("two", skip_unchanged=True)

    assert [event for event, _ in heard] == ["saved"]


def test_a_check_is_told_after_the_save(ws: Workspace, heard: list[tuple[str, object]]) -> None:
    ws.save("one", verify="true")
    ws.verify("@", "true")

    assert [event for event, _ in heard] == ["saved", "verified", "verified"]


def test_going_back_and_pruning_are_told(ws: Workspace, heard: list[tuple[str, object]]) -> None:
    first = ws.save("one").checkpoint
    (Path(ws.info.path.decode()) / "file").write_text("x")
    ws.save("two")
    ws.restore(first.id.hex())
    ws.undo()
    ws.redo()
    ws.prune(keep_last=5)

    assert [event for event, _ in heard][2:] == ["restored", "restored", "restored", "pruned"]
    assert isinstance(heard[2][1], RestoreResult)
    assert isinstance(heard[5][1], PruneResult)


def test_a_refusal_is_told_and_raised(ws: Workspace, heard: list[tuple[str, object]]) -> None:
    with pytest.raises(UnknownReference):
        ws.restore("no-such-thing")

    [(event, data)] = heard
    assert event == "error"
    assert isinstance(data, UnknownReference)


def test_a_handler_that_fails_harms_nobody(ws: Workspace) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("mine")

    ws.on("saved", fail)

    assert ws.save("one").created
    assert "mine" in ws.listeners.failures[0]


def test_a_handler_can_be_taken_away(ws: Workspace) -> None:
    found: list[object] = []
    stop = ws.on("saved", found.append)
    ws.save("one")
    stop()
    stop()
    ws.save("two")

    assert len(found) == 1


def test_an_event_that_never_comes_is_refused(ws: Workspace) -> None:
    with pytest.raises(BadOption):
        ws.on("exploded", print)
