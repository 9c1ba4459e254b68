"""Restore while somebody else is at work: nobody loses a later edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.restore_results import SkipReason
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import chattr, lsattr, names, save
from tests.operations.restore.restoring import edited, leaves, released, set_flag
from tests.worktree.sink import settle

__all__ = ["edited", "released"]


@pytest.mark.parametrize("name", ["edited", "made", "deleted", "moded"])
def test_an_edit_after_the_rescue_survives_and_is_listed(
    ws: Workspace, project: Path, edited: str, name: str, host: FakeHost
) -> None:
    host.when("restore.switch", lambda: (project / name).write_text("late"))

    result = ws.restore(edited)

    assert (project / name).read_text() == "late"
    why = SkipReason.APPEARED if name == "deleted" else SkipReason.EDITED
    assert leaves(result) == {name.encode(): why}
    assert result.is_partial
    assert result.here.id.hex() != edited


def test_a_mode_changed_after_the_rescue_survives_and_is_listed(
    ws: Workspace, project: Path, edited: str, host: FakeHost
) -> None:
    host.when("restore.switch", lambda: (project / "edited").chmod(0o755))

    result = ws.restore(edited)

    assert leaves(result) == {b"edited": SkipReason.EDITED}
    assert (project / "edited").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", ["edited", "made"])
def test_a_program_that_still_writes_to_what_came_out_loses_nothing(
    ws: Workspace, project: Path, edited: str, name: str, host: FakeHost
) -> None:
    with open(project / name, "a") as held:

        def write_more() -> None:
            held.write(" and more")
            held.flush()

        with host.at("restore.let-go", write_more):
            result = ws.restore(edited)

    assert (project / name).read_text() == "second and more"
    assert leaves(result) == {name.encode(): SkipReason.EDITED}


def test_a_file_made_in_a_directory_that_was_to_go_keeps_it(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    first = save(ws)
    (project / "goes").mkdir()
    (project / "goes" / "old").write_text("x")
    host.when("restore.switch", lambda: (project / "goes" / "late").write_text("late"))

    result = ws.restore(first)

    assert names(project) == ["goes", "goes/late"]
    assert leaves(result) == {b"goes": SkipReason.NOT_EMPTY}


def test_flags_are_not_set_on_what_was_left_alone(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    (project / "file").write_text("1")
    set_flag("+i", project / "file")
    first = save(ws)
    chattr("-i", project / "file")
    (project / "file").write_text("2")
    settle()
    host.when("restore.switch", lambda: (project / "file").write_text("late"))

    result = ws.restore(first)

    assert leaves(result) == {b"file": SkipReason.EDITED}
    assert "i" not in lsattr(project / "file")


def test_what_another_process_changes_after_the_switch_is_no_failure(
    ws: Workspace, project: Path, edited: str, host: FakeHost
) -> None:
    with host.at("restore.switched", lambda: (project / "edited").write_text("moved on")):
        result = ws.restore(edited)

    assert result.changed_after == (b"edited",)
    assert result.verified
    assert not result.is_partial
