"""`check --rebuild` is killed, or a system call of it fails, at any step: nothing is lost.

The store is one that a crash left behind: the last commit is only in the write-ahead log, and there
are packs of a save that was never acknowledged.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.store.new_database import whole_counts
from tests.kit.killing import Moment, fail_at, kill_at, moments, some
from tests.kit.running import SOURCE
from tests.kit.scene import Scene, populate, rework

COMMAND = ("check", "--rebuild")

_SAVE_AND_DIE = """
import os, sys
from clew import opening
clew = opening.open(sys.argv[1], store=sys.argv[2])
clew.save("only in the log").checkpoint
clew.edit("@", name="named-in-the-log")
os.kill(os.getpid(), 9)
"""

_LEAVE_A_PACK = """
import os, sys
from clew.store.store import Store
store = Store.open(sys.argv[1])
row = store.database.one("SELECT record FROM checkpoints WHERE deleted IS NULL")
from clew.model.record import Record
record = Record.decode(row[0])._replace(sequence=99)
with store.writing() as writer:
    writer.put(1, b"never acknowledged")
    writer.put(8, record.encode())
    writer.finish()
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def scene(scratch: Path) -> Scene:
    scene = Scene(scratch)
    populate(scene.project)
    scene.save("first")
    rework(scene.project)
    scene.save("second")
    with scene.open() as clew:
        doomed = clew.save("doomed").checkpoint.id.hex()
        clew.save("after it")
        clew.delete([doomed])
    (scene.project / "more").write_text("more\n")
    _die(_SAVE_AND_DIE, scene.project, scene.store)
    _die(_LEAVE_A_PACK, scene.store)
    assert (scene.store / "catalog.db-wal").stat().st_size > 0
    scene.keep()
    return scene


@pytest.mark.slow
def test_a_killed_rebuild_loses_nothing_and_invents_no_damage(scene: Scene) -> None:
    known = _known(scene)
    scene.reset_store()
    for moment in _moments(scene, None, 12):
        kill_at(moment, scene.clew.command(*COMMAND), scene.project, scene.clew.environment())
        _assert_whole(scene, known, moment)
        scene.clew.ok(*COMMAND)
        _assert_whole(scene, known, moment)
        scene.clew.ok("gc")
        _assert_whole(scene, known, moment)

        assert list((scene.store / "tmp").iterdir()) == [], moment
        assert not (scene.store / "catalog.new").exists(), moment


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "calls"),
    [
        ("ENOSPC", ("write", "pwrite64", "ftruncate", "fallocate")),
        ("EIO", ("pwrite64", "fdatasync", "fsync", "rename", "link")),
    ],
)
def test_a_rebuild_that_meets_a_failing_disk_loses_nothing(
    scene: Scene, error: str, calls: tuple[str, ...]
) -> None:
    known = _known(scene)
    scene.reset_store()
    for moment in _moments(scene, calls, 6):
        ran = fail_at(
            moment, error, scene.clew.command(*COMMAND), scene.project, scene.clew.environment()
        )

        assert "Traceback" not in ran.stderr, f"{moment}: {ran.stderr}"
        _assert_whole(scene, known, moment)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["kill", "ENOSPC", "EIO"])
def test_a_backup_that_is_cut_short_leaves_a_whole_one(scene: Scene, fault: str) -> None:
    """The hourly backup comes after the save; the old one or the new one is in place."""
    os.utime(scene.store / "backup" / "annotations.db", (0, 0))
    scene.keep()
    command = scene.clew.command("save", "with a backup")
    found = moments(command, scene.project, scene.clew.environment())
    begun = next(at for at, moment in enumerate(found) if "annotations-" in moment.arguments)
    during = found[begun:]
    if fault != "kill":
        during = [moment for moment in during if moment.call in ("pwrite64", "fsync", "rename")]
    for moment in some(during, 5):
        scene.reset_store()
        if fault == "kill":
            kill_at(moment, command, scene.project, scene.clew.environment())
        else:
            ran = fail_at(moment, fault, command, scene.project, scene.clew.environment())
            assert ran.returncode == 0, f"{moment}: {ran.stderr}"

        assert whole_counts(str(scene.store / "backup" / "annotations.db"))["checkpoints"], moment
        with scene.open() as clew:
            assert clew.store.check(read_data=True).damages == (), moment
            clew.store.gc()
        assert list((scene.store / "tmp").iterdir()) == [], moment


def test_what_was_never_acknowledged_is_no_checkpoint_after_a_rebuild(scene: Scene) -> None:
    known = _known(scene)
    scene.reset_store()
    scene.clew.ok(*COMMAND)

    _assert_whole(scene, known, Moment("rebuild", 0))


def _moments(scene: Scene, calls: tuple[str, ...] | None, number: int) -> Iterator[Moment]:
    command = scene.clew.command(*COMMAND)
    found = moments(command, scene.project, scene.clew.environment())
    if calls is not None:
        found = [moment for moment in found if moment.call in calls]
    assert found
    renames = [moment for moment in found if moment.call in ("rename", "link")]
    for moment in dict.fromkeys((*renames, *some(found, number))):
        scene.reset_store()
        yield moment


def _known(scene: Scene) -> list[tuple[str, str, str]]:
    with opening.open(scene.project, store=str(scene.store)) as clew:
        return [
            (found.id.hex(), found.labels.name, found.labels.intent)
            for found in clew.log(limit=None).checkpoints
        ]


def _assert_whole(scene: Scene, known: list[tuple[str, str, str]], moment: Moment) -> None:
    assert _known(scene) == known, moment
    with scene.open() as clew:
        assert clew.store.check(read_data=True).damages == (), moment


def _die(program: str, *arguments: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
