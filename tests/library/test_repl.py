"""Slash commands: one line in, one reply out, whatever the line is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.compat.chimera import GhostCommitManager
from clew.repl import handle
from clew.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opening.open(project, store=tmp_path / "store", create=True) as opened:
        yield opened


@pytest.fixture
def ghost(project: Path, tmp_path: Path) -> GhostCommitManager:
    return GhostCommitManager(project, store=tmp_path / "store")


def test_a_checkpoint_is_created_under_its_name(ws: Workspace) -> None:
    reply = handle("/checkpoint create before-refactor", ws)

    assert reply.ok
    assert reply.text.endswith("  before-refactor")
    assert ws.resolve("before-refactor").labels.named


@pytest.mark.parametrize("words", ["before auth refactor", "1h", "a/b: c"])
def test_it_is_restored_by_whatever_it_was_called(project: Path, ws: Workspace, words: str) -> None:
    (project / "a").write_text("old")
    handle(f"/checkpoint create {words}", ws)
    (project / "a").write_text("new")
    reply = handle(f"/checkpoint restore {words}", ws)

    assert reply.ok
    assert reply.changed
    assert (project / "a").read_text() == "old"


def test_any_reference_will_do_for_a_restore(project: Path, ws: Workspace) -> None:
    (project / "a").write_text("old")
    handle("/checkpoint create", ws)
    (project / "a").write_text("new")
    handle("/checkpoint create", ws)

    assert handle("/checkpoint restore @~1", ws).ok
    assert (project / "a").read_text() == "old"


def test_the_list_has_the_newest_first(ws: Workspace) -> None:
    assert handle("/checkpoint list", ws).text == "No checkpoints yet"
    for name in ("one", "two"):
        handle(f"/checkpoint create {name}", ws)
    lines = handle("/checkpoint list", ws).text.splitlines()

    assert ["two" in lines[0], "one" in lines[1], len(lines)] == [True, True, 2]


def test_undo_and_redo_walk_the_trail(project: Path, ws: Workspace) -> None:
    for number in range(3):
        (project / "a").write_text(str(number))
        handle(f"/checkpoint create at-{number}", ws)
    seen = []
    for line in ("/undo", "/redo", "/undo 2", "/redo", "/checkpoint undo"):
        assert handle(line, ws).changed
        seen.append((project / "a").read_text())

    assert seen == ["1", "2", "0", "1", "0"]


@pytest.mark.parametrize("line", ["/undo 2", "/undo --steps 2"])
def test_undo_pops_the_ghost_stack_where_there_is_one(
    project: Path, ws: Workspace, ghost: GhostCommitManager, line: str
) -> None:
    (project / "beside").write_text("old")
    for number in range(2):
        (project / "a").write_text(str(number))
        ghost.snapshot("edit: a", ["a"])
    (project / "a").write_text("last")
    (project / "beside").write_text("new")
    reply = handle(line, ws, ghost)

    assert reply == ("restored: a\nrestored: a", True, True, True)
    assert (project / "a").read_text() == "0"
    assert (project / "beside").read_text() == "new"


def test_redo_takes_back_an_undo_of_the_ghost_stack(
    project: Path, ws: Workspace, ghost: GhostCommitManager
) -> None:
    ghost.snapshot("write: a", ["a"])
    (project / "a").write_text("new")

    assert handle("/undo", ws, ghost).text == "deleted: a"
    assert handle("/redo", ws, ghost).text == "restored: a"
    assert (project / "a").read_text() == "new"


def test_an_empty_ghost_stack_leaves_it_to_the_trail(
    project: Path, ws: Workspace, ghost: GhostCommitManager
) -> None:
    handle("/checkpoint create clean", ws)
    (project / "a").write_text("new")

    assert handle("/undo", ws, ghost).ok
    assert not (project / "a").exists()


def test_a_ghost_that_knows_no_redo_is_a_ghost_too(ws: Workspace) -> None:
    class Plain:
        depth = 1

        def undo(self, n: int = 1) -> list[str]:
            return [f"restored: {n}"]

    assert handle("/undo 3", ws, Plain()).text == "restored: 3"
    assert handle("/redo", ws, Plain()).text == "Nothing to redo"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("/undo", "Nothing to undo"),
        ("/redo", "Nothing to redo"),
        ("/undo 0", "/undo: must be a whole number, 1 or more: '0'"),
        ("/undo 1 2", "/undo: must be a whole number, 1 or more: '1 2'"),
        ("/undo --steps", "/undo: --steps requires a number"),
        ("/redo now", "/redo: unexpected argument: 'now'"),
        ("/checkpoint", "/checkpoint: requires create, list, restore or undo"),
        ("/checkpoint bogus", "/checkpoint: requires create, list, restore or undo"),
        ("/checkpoint restore", "/checkpoint restore: requires the name of a checkpoint"),
        ("/checkpoint list all", "/checkpoint list: unexpected argument: 'all'"),
        ("/checkpoint restore nope", "No checkpoint matches: 'nope'"),
    ],
)
def test_what_goes_wrong_is_a_reply_too(ws: Workspace, line: str, text: str) -> None:
    reply = handle(line, ws)

    assert (reply.text, reply.ok, reply.handled, reply.changed) == (text, False, True, False)


@pytest.mark.parametrize("line", ["", "hello", "undo", "/undone", "/model opus", "/"])
def test_other_lines_are_left_to_the_host(ws: Workspace, line: str) -> None:
    assert not handle(line, ws).handled


def test_help_lists_every_command(ws: Workspace) -> None:
    text = handle("/help", ws).text

    assert [line.split()[0] for line in text.splitlines()] == ["/checkpoint"] * 4 + [
        "/undo", "/redo",
    ]  # fmt: skip


def test_what_is_hostile_is_spelled_out(project: Path, ws: Workspace) -> None:
    replies = [
        handle("/checkpoint create \x1b[2J", ws),
        handle("/checkpoint list", ws),
        handle("/checkpoint restore \x1b[3J", ws),
    ]

    assert not any("\x1b" in reply.text for reply in replies)
