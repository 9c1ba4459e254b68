"""What became of the captured files while a check ran; its word counts only if they held still."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew import opening
from clew.model.verdict import PATHS_KEPT
from clew.workspace import Workspace
from tests.operations.moments import checked


def test_what_a_check_only_adds_was_generated_by_it(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    found = checked(ws, "mkdir out && touch out/a out/b && touch file")

    assert found.details.generated == 3
    assert (found.changed_count, found.details.changed) == (0, ())
    assert found.is_good


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("echo more >> file", b"file"),
        ("rm file", b"file"),
        ("chmod 700 file", b"file"),
        ("ln -sf nowhere file", b"file"),
        ("mv directory elsewhere", b"directory"),
        ("chmod 700 .", b""),
    ],
)
def test_a_check_whose_inputs_change_says_nothing_of_the_state(
    ws: Workspace, project: Path, command: str, changed: bytes
) -> None:
    project.chmod(0o755)
    (project / "file").write_text("x")
    (project / "file").chmod(0o644)
    (project / "directory").mkdir()

    found = checked(ws, command)

    assert (found.status, found.is_telling, found.is_good) == ("passing", False, False)
    assert (found.changed_count, found.details.changed) == (1, (changed,))


def test_only_so_many_changed_inputs_are_named(ws: Workspace, project: Path) -> None:
    for number in range(PATHS_KEPT + 5):
        (project / f"{number:04}").touch()

    found = checked(ws, "rm *")

    assert found.changed_count == PATHS_KEPT + 5
    assert len(found.details.changed) == PATHS_KEPT


def test_what_was_not_captured_is_no_input(ws: Workspace, project: Path) -> None:
    (project / "app.log").write_text("x")
    ws.settings.set("exclude", "*.log")

    assert checked(ws, "echo more >> app.log; touch other.log").is_good


def test_a_root_that_the_check_deletes_is_no_failure_of_ours(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    found = checked(ws, f"rm -rf {project}")

    assert found.exit_code == 0
    assert (found.changed_count, found.details.changed) == (1, (b"",))


def test_a_workspace_that_cannot_be_looked_at_afterwards_has_no_good_word(
    project: Path, store: Path
) -> None:
    (project / "file").write_text("x")
    with opening.open(project, store=store, create=True) as before:
        before.save()
    time.sleep(0.1)  # a file that has just been written is read again, and its tree is in memory
    with opening.open(project, store=store) as before:
        before.save(skip_unchanged=True)
    with opening.open(project, store=store) as ws:  # nothing of the store is in memory
        # Cut short and not deleted: the packs may be open.
        wreck = f"touch new; find {store}/packs -type f -exec truncate -s 0 {{}} +"
        found = ws.save(verify=wreck, skip_unchanged=True).verdict

    assert found is not None
    assert (found.status, found.is_telling) == ("passing", False)
    assert found.details.notes[0].startswith("Cannot scan the workspace after the check")
