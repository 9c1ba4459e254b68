"""A system call that fails in the middle: no false success, and nothing acknowledged is harmed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.killing import Moment, fail_at, moments, some
from tests.kit.scene import Scene, populate, rework
from tests.kit.walker import differences, look

WRITES = ("write", "pwrite64", "ftruncate", "fallocate")
SYNCS = ("fdatasync", "fsync", "syncfs")


@pytest.fixture
def scene(scratch: Path) -> Scene:
    scene = Scene(scratch)
    populate(scene.project)
    scene.save("first")
    rework(scene.project)
    scene.save("second")
    (scene.project / "unsaved").write_text("precious\n")
    scene.keep()
    return scene


@pytest.mark.slow
@pytest.mark.parametrize(("error", "calls"), [("ENOSPC", WRITES), ("EIO", SYNCS)])
def test_a_save_that_meets_a_failing_disk_does_not_claim_success(
    scene: Scene, error: str, calls: tuple[str, ...]
) -> None:
    for moment in _moments(scene, ["save", "failing"], calls, 15):
        ran = fail_at(
            moment, error, scene.clew.command("save", "failing"), scene.project,
            scene.clew.environment(),
        )  # fmt: skip
        with scene.open() as clew:
            known = {found.id.hex() for found in clew.log().checkpoints}
            landed = known - scene.moments.keys()

            assert "Traceback" not in ran.stderr, f"{moment}: {ran.stderr}"
            assert ran.returncode in (0, 1, 6), f"{moment}: {ran.stderr}"
            assert scene.moments.keys() <= known, moment
            assert clew.store.check(read_data=True).whole, moment
            if ran.returncode == 0:
                clew.restore(landed.pop())

                assert differences(scene.before.state(), look(scene.project).state()) == [], moment


@pytest.mark.slow
def test_a_collection_that_meets_a_full_disk_harms_nothing(scene: Scene) -> None:
    doomed = scene.save("doomed")
    scene.save("third")
    scene.keep()
    del scene.moments[doomed]
    for moment in _moments(scene, ["delete", doomed, "--purge"], WRITES, 15):
        ran = fail_at(
            moment, "ENOSPC", scene.clew.command("delete", doomed, "--purge"), scene.project,
            scene.clew.environment(),
        )  # fmt: skip
        with scene.open() as clew:
            known = {found.id.hex() for found in clew.log().checkpoints}

            assert "Traceback" not in ran.stderr, f"{moment}: {ran.stderr}"
            assert scene.moments.keys() <= known, moment
            assert clew.store.check(read_data=True).whole, moment


@pytest.mark.slow
def test_a_restore_that_meets_a_full_disk_can_be_taken_up_again(scene: Scene) -> None:
    first = next(iter(scene.moments))
    for moment in _moments(scene, ["restore", first, "--yes"], WRITES, 20):
        ran = fail_at(
            moment, "ENOSPC", scene.clew.command("restore", first, "--yes"), scene.project,
            scene.clew.environment(),
        )  # fmt: skip
        if scene.clew.json("status")["interrupted_restore"] is not None:
            scene.clew.ok("restore", "--continue")
        after = look(scene.project)

        assert "Traceback" not in ran.stderr, f"{moment}: {ran.stderr}"
        if ran.returncode == 0 or differences(scene.before.state(), after.state()):
            assert differences(scene.moments[first], after) == [], f"{moment}: {ran.stderr}"
        _check_unsaved_work_is_somewhere(scene, moment)


def _moments(
    scene: Scene, arguments: list[str], calls: tuple[str, ...], number: int
) -> Iterator[Moment]:
    """Yield some of the command's calls of these kinds; the scene is fresh before each."""
    command = scene.clew.command(*arguments)
    found = moments(command, scene.project, scene.clew.environment())
    chosen = some([moment for moment in found if moment.call in calls], number)
    assert chosen
    for moment in chosen:
        scene.reset()
        yield moment


def _check_unsaved_work_is_somewhere(scene: Scene, moment: Moment) -> None:
    with scene.open() as clew:
        if (scene.project / "unsaved").exists():
            return
        rescues = [found for found in clew.log().checkpoints if found.is_rescue]
        path = str(scene.project / "unsaved")

        assert b"".join(clew.cat(rescues[0].id.hex(), path)) == b"precious\n", moment
