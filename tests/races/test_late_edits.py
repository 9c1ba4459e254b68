"""An edit made after the rescue was read survives, or is in the rescue; it is never lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew import errors, opening
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.workspace import Workspace
from tests.kit.walker import look

LATE = "written at the last moment\n"


@pytest.fixture
def project(on_ext4: Path) -> Path:
    (on_ext4 / "project" / "directory").mkdir(parents=True)
    for number in range(30):
        (on_ext4 / "project" / f"file {number:02}").write_text(f"first {number}\n")
    (on_ext4 / "project" / "directory" / "inside").write_text("first\n")
    return on_ext4 / "project"


@pytest.fixture
def clew(project: Path) -> Iterator[Workspace]:
    with opening.open(project, store=str(project.parent / "store"), create=True) as clew:
        yield clew


class Meddler(Monitor):
    """Does something at the given report of progress."""

    def __init__(self, act: Callable[[], object], at: int) -> None:
        self._act = act
        self._left = at
        self.acted = False

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        self._left -= 1
        if self._left == 0:
            self._act()
            self.acted = True


@pytest.mark.parametrize("name", ["file 07", "directory/inside", "new"])
def test_an_edit_while_the_preview_is_read_is_not_lost(
    clew: Workspace, project: Path, name: str
) -> None:
    first = _two_moments(clew, project)

    def confirm(_: object) -> bool:
        (project / name).write_text(LATE)
        return True

    result = _restore(clew, first, confirm=confirm)

    _check_not_lost(clew, project, name, result)


@pytest.mark.parametrize("at", range(1, 13))
def test_an_edit_at_any_step_of_a_restore_is_not_lost(
    clew: Workspace, project: Path, at: int
) -> None:
    first = _two_moments(clew, project)
    name = "file 07"
    meddler = Meddler(lambda: (project / name).write_text(LATE), at)
    result = _restore(clew, first, monitor=meddler)
    if meddler.acted:
        _check_not_lost(clew, project, name, result)


def test_a_file_made_in_a_directory_that_is_about_to_go_is_not_lost(
    clew: Workspace, project: Path
) -> None:
    first = clew.save("first").checkpoint.id.hex()
    (project / "goes").mkdir()
    (project / "goes" / "old").write_text("saved")
    clew.save("second")

    def confirm(_: object) -> bool:
        (project / "goes" / "late").write_text(LATE)
        return True

    result = _restore(clew, first, confirm=confirm)

    _check_not_lost(clew, project, "goes/late", result)


def test_a_file_recreated_after_the_scan_is_not_overwritten_silently(
    clew: Workspace, project: Path
) -> None:
    first = clew.save("first").checkpoint.id.hex()
    (project / "file 03").unlink()
    (project / "file 04").write_text("edited so that there is something to confirm")

    def confirm(_: object) -> bool:
        (project / "file 03").write_text(LATE)
        return True

    result = _restore(clew, first, confirm=confirm)

    _check_not_lost(clew, project, "file 03", result)


def _two_moments(clew: Workspace, project: Path) -> str:
    first = clew.save("first").checkpoint.id.hex()
    for path in project.glob("file *"):
        path.write_text(f"second, and longer: {path.name}\n")
    (project / "directory" / "inside").write_text("second\n")
    (project / "new").write_text("only in the second\n")
    clew.save("second")
    (project / "file 00").write_text("dirty")
    return first


def _restore(
    clew: Workspace,
    reference: str,
    *,
    confirm: Callable[[RestorePreview], bool] | None = None,
    monitor: Monitor | None = None,
) -> RestoreResult | None:
    try:
        return clew.restore(reference, confirm=confirm, monitor=monitor)
    except errors.ClewError:
        return None  # refusing is fine, as long as nothing is lost


def _check_not_lost(
    clew: Workspace, project: Path, name: str, result: RestoreResult | None
) -> None:
    """The late text is on disk, or some checkpoint holds it."""
    on_disk = (project / name).exists() and (project / name).read_text() == LATE
    if not on_disk:
        assert LATE.encode() in {
            b"".join(clew.cat(found.id.hex(), str(project / name)))
            for found in clew.log().checkpoints
            if found.is_rescue
        }
    elif result is not None:
        told = {item.path for item in (*result.skipped, *result.problems)} | set(
            result.changed_after
        )
        assert name.encode() in told or result.target.id != result.here.id
    assert not any(path.startswith(b".clew-") for path in look(project).facts)
