"""The facts of a restore: what it takes back, and what it brings back."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from clew.errors import NeedsConfirmation
from clew.model.restore_results import RestorePreview
from clew.model.story import Story
from clew.workspace import Workspace
from tests.operations.moments import save


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def facts(plan: RestorePreview) -> tuple[list[str] | None, list[str] | None]:
    assert plan.facts is not None
    found = plan.facts()
    return _texts(found.taken_back), _texts(found.brought_back)


def _texts(story: Story | None) -> list[str] | None:
    return None if story is None else [line.text for line in story.lines]


@pytest.fixture
def first(ws: Workspace, project: Path) -> str:
    (project / ".env").write_text("A=1\n")
    run(project / "app.db", "create table orders(id)", "insert into orders values (1), (2)")
    return save(ws)


def test_what_was_done_since_is_taken_back(ws: Workspace, project: Path, first: str) -> None:
    run(project / "app.db", "drop table orders")
    save(ws)
    (project / ".env").write_text("A=1\nTOKEN_OF=x\n")

    taken, brought = facts(ws.preview(first))

    assert taken is not None
    assert any("table orders dropped (2 rows)" in text for text in taken)
    assert any(".env" in text and "TOKEN_OF" in text for text in taken)
    assert brought is None


def test_abandoned_work_is_brought_back_and_new_work_taken_back(
    ws: Workspace, project: Path, first: str
) -> None:
    run(project / "app.db", "create table users(id)")
    abandoned = save(ws)
    ws.restore(first)
    (project / ".env").write_text("A=1\nB=2\n")

    taken, brought = facts(ws.preview(abandoned))

    assert taken is not None
    assert brought is not None
    assert any(".env" in text for text in taken)
    assert not any("users" in text for text in taken)
    assert any("users" in text for text in brought)


def test_what_happened_on_both_sides_is_neither(ws: Workspace, project: Path, first: str) -> None:
    (project / ".env").write_text("A=1\nB=2\n")
    run(project / "app.db", "create table users(id)")
    abandoned = save(ws)
    ws.restore(first)
    (project / ".env").write_text("A=1\nB=2\n")

    taken, brought = facts(ws.preview(abandoned))

    assert taken is None
    assert brought is not None
    assert not any(".env" in text for text in brought)


def test_only_facts_of_the_chosen_paths_count(ws: Workspace, project: Path, first: str) -> None:
    run(project / "app.db", "drop table orders")
    (project / ".env").write_text("B=2\n")

    taken, _ = facts(ws.preview(first, paths=[str(project / ".env")]))

    assert taken is not None
    assert all(".env" in text for text in taken)


def test_nothing_to_restore_is_no_fact(ws: Workspace, first: str) -> None:
    assert facts(ws.preview(first)) == (None, None)


def test_a_directory_that_is_gone_has_no_facts(ws: Workspace, project: Path, first: str) -> None:
    shutil.rmtree(project)
    plan = ws.preview(first)

    assert plan.created
    assert facts(plan) == (None, None)


def test_a_question_reads_the_facts_under_the_locks_of_the_restore(
    ws: Workspace, project: Path, first: str
) -> None:
    run(project / "app.db", "drop table orders")
    heard: list[list[str] | None] = []

    def confirm(plan: RestorePreview) -> bool:
        heard.append(facts(plan)[0])
        return False

    with pytest.raises(NeedsConfirmation) as raised:
        ws.restore(first, confirm=confirm)

    (taken,) = heard
    assert taken is not None
    assert any("orders" in text for text in taken)
    assert raised.value.preview.facts is None  # nobody holds the locks that it would need
    with pytest.raises(NeedsConfirmation):
        ws.undo(1, confirm=confirm)
    assert heard[1] == taken


def test_the_same_restore_has_the_same_facts(ws: Workspace, project: Path, first: str) -> None:
    (project / "new").write_text("")
    seen: list[RestorePreview] = []
    for _ in range(2):
        with pytest.raises(NeedsConfirmation):
            ws.restore(first, confirm=lambda plan: bool(seen.append(plan)))  # type: ignore[func-returns-value]

    assert seen[0].facts == seen[1].facts
    assert seen[0].facts != ws.preview(first, paths=[str(project / "new")]).facts


def test_a_fork_brings_its_facts_in(ws: Workspace, project: Path, first: str) -> None:
    fork = ws.forks.create(first, name="other")
    directory = Path(os.fsdecode(fork.workspace.path))
    run(directory / "app.db", "create table users(id)")

    taken, brought = facts(ws.forks.preview_adopt("other"))

    assert taken is None
    assert brought is not None
    assert any("users" in text for text in brought)


def test_an_unsaved_file_is_told_from_one_that_was_saved_later(
    ws: Workspace, project: Path, first: str
) -> None:
    (project / "saved").write_text("1")
    save(ws)
    (project / "unsaved").write_text("2")
    plan = ws.preview(first)

    assert [one.path for one in plan.deleted] == [b"saved", b"unsaved"]
    assert plan.unsaved == (b"unsaved",)
