"""`good`: one word for the newest moment that a check vouches for."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import UnknownReference
from clew.workspace import Workspace
from tests.operations.moments import save


def test_good_is_the_newest_that_passed(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws, "works", verify="true")
    (project / "file").write_text("2")
    save(ws, "broken", verify="false")
    (project / "file").write_text("3")
    save(ws, "nobody looked")

    found = ws.good()

    assert found.id.hex() == first
    assert found.headline == "new workspace, 1 file"
    assert found.verdict is not None
    assert found.verdict.command == "true"


def test_restoring_good_lands_on_it(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("works")
    first = save(ws, verify="grep works file")
    (project / "file").write_text("broken")
    save(ws, verify="grep works file")

    result = ws.restore("good")

    assert result.target.id.hex() == first
    assert (project / "file").read_text() == "works"


def test_before_anything_passed_nothing_is_good(ws: Workspace) -> None:
    save(ws, verify="false")

    with pytest.raises(UnknownReference) as refused:
        ws.good()

    assert refused.value.text == "good"


def test_a_check_that_disturbed_its_inputs_vouches_for_nothing(
    ws: Workspace, project: Path
) -> None:
    (project / "file").write_text("1")
    first = save(ws, verify="true")
    (project / "file").write_text("2")
    save(ws, verify="echo 3 > file")

    assert ws.good().id.hex() == first


def test_a_later_failure_on_the_same_state_takes_the_word_back(
    ws: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.touch()
    save(ws, verify=f"test -e {outside}")
    assert ws.good().verdict is not None
    outside.unlink()
    save(ws, verify=f"test -e {outside}")

    with pytest.raises(UnknownReference):
        ws.good()


def test_with_a_check_of_its_own_only_that_counts(ws: Workspace, project: Path) -> None:
    ws.settings.set("verify", "test -e file")
    (project / "file").touch()
    first = save(ws, check=True)
    (project / "other").touch()
    save(ws, verify="true")

    assert ws.good().id.hex() == first


def test_what_is_good_is_not_pruned(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("good")
    first = save(ws, verify="grep good file")
    for number in range(14):  # further back than undo remembers
        (project / "file").write_text(str(number))
        save(ws)

    removed = ws.prune(keep_last=1).removed

    assert removed
    assert ws.good().id.hex() == first
