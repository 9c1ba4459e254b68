"""`kill -9` at any moment: nothing acknowledged is lost, and the next command carries on.

By default some of the moments are tried, evenly spread; `CLEW_TEST_PROFILE=thorough` tries all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.killing import Moment, kill_at, moments, some
from tests.kit.scene import Scene, populate, rework
from tests.kit.secrets import places_holding
from tests.kit.walker import Tree, differences, look

STAGE = b".clew-"
NEXT = (("restore", "--continue"), ("save", "after the crash"), ("restore", "--abort"))
"""What ends an interrupted restore."""
AFTER_PURGE = (("log",), ("status",), ("save", "after the crash"), ("diff",))


@pytest.fixture
def scene(scratch: Path) -> Scene:
    """Two checkpoints, and work that no checkpoint holds."""
    scene = Scene(scratch)
    populate(scene.project)
    scene.save("first")
    rework(scene.project)
    scene.save("second")
    (scene.project / "src" / "main.py").write_text("print('not saved yet')\n")
    (scene.project / "unsaved").write_text("precious\n")
    return scene


@pytest.mark.slow
def test_a_killed_save_loses_nothing_that_was_acknowledged(scene: Scene) -> None:
    scene.keep()
    for moment in _kills(scene, ["save", "killed"], 24):
        _check_acknowledged(scene, moment)
        saved = scene.clew.save("after the crash")

        with scene.open() as clew:
            assert clew.status().changes == (), moment
            assert saved in {found.id.hex() for found in clew.log().checkpoints}, moment


@pytest.mark.slow
def test_a_killed_collection_loses_nothing_that_was_acknowledged(scene: Scene) -> None:
    (scene.project / "doomed").write_bytes(bytes(range(256)) * 4000)
    doomed = [scene.save("doomed")]
    (scene.project / "doomed").unlink()
    doomed.append(scene.save("doomed too"))
    scene.save("third")
    with scene.open() as clew:
        clew.delete(doomed[:1])
    for identifier in doomed[:1]:
        del scene.moments[identifier]
    scene.keep()
    for moment in _kills(scene, ["gc"], 16):
        _check_acknowledged(scene, moment)


@pytest.mark.slow
def test_a_killed_delete_deletes_or_does_not(scene: Scene) -> None:
    (scene.project / "doomed").write_bytes(bytes(range(256)) * 4000)
    doomed = scene.save("doomed")
    (scene.project / "doomed").unlink()
    scene.save("third")
    scene.keep()
    doomed_tree = scene.moments.pop(doomed)
    for moment in _kills(scene, ["delete", doomed], 16):
        with scene.open() as clew:
            present = doomed in {found.id.hex() for found in clew.log().checkpoints}
        _check_acknowledged(scene, moment)
        if present:
            with scene.open() as clew:
                clew.restore(doomed)

            assert differences(doomed_tree, look(scene.project)) == [], moment


@pytest.mark.slow
def test_a_killed_purge_is_finished_by_the_next_command(scene: Scene) -> None:
    secret = "violet-harbour-2291-kite"
    (scene.project / "secret").write_text(f"{secret}\n" * 100)
    doomed = scene.save(f"with a {secret}")
    with scene.open() as clew:
        clew.verify(doomed, "true")  # which keeps a copy
    (scene.project / "secret").unlink()
    scene.save("third")
    for pack in (scene.store / "packs").iterdir():
        shutil.copy(pack, scene.store / "quarantine" / pack.name)
    scene.keep()
    assert places_holding(scene.store, secret.encode())
    del scene.moments[doomed]
    for number, moment in enumerate(_kills(scene, ["delete", doomed, "--purge"], 12)):
        ran = scene.clew.run(*AFTER_PURGE[number % len(AFTER_PURGE)])
        _check_acknowledged(scene, moment)

        assert ran.code == 0, f"{moment}: {ran.err}"
        if doomed in scene.clew.ids():
            scene.clew.ok("delete", doomed, "--purge")
        assert places_holding(scene.store, secret.encode()) == [], moment


@pytest.mark.slow
def test_a_killed_restore_can_be_continued_or_aborted(scene: Scene) -> None:
    first = next(iter(scene.moments))
    target = scene.moments[first]
    scene.keep()
    for number, moment in enumerate(_kills(scene, ["restore", first, "--yes"], 24)):
        _check_end(scene, moment, target, NEXT[number % len(NEXT)])


@pytest.mark.slow
def test_a_killed_undo_can_be_continued_or_aborted(scene: Scene) -> None:
    second = list(scene.moments)[1]
    target = scene.moments[second]
    scene.keep()
    for number, moment in enumerate(_kills(scene, ["undo", "--yes"], 12)):
        _check_end(scene, moment, target, NEXT[number % len(NEXT)])


def _check_end(scene: Scene, moment: Moment, target: Tree, words: tuple[str, ...]) -> None:
    """Looking changes nothing; then the restore is ended in one way or the other."""
    half = look(scene.project, leave_out=STAGE)
    pending = scene.clew.json("status")["interrupted_restore"]
    assert differences(half, look(scene.project, leave_out=STAGE)) == [], moment
    if pending is None:
        assert half.state() in (scene.before.state(), target.state()), moment
        _check_rescue(scene, moment, finished=half.state() == target.state())
        return
    ran = scene.clew.run(*words)
    after = look(scene.project)

    assert ran.code == 0, f"{moment}: {ran.err}"
    if words[-1] == "--abort":
        assert differences(scene.before.state(), after.state()) == [], moment
    else:
        assert differences(target, after) == [], f"{moment}, then {words}"
    _check_rescue(scene, moment, finished=True)


def test_a_restore_killed_twice_can_still_be_continued(scene: Scene) -> None:
    first = next(iter(scene.moments))
    scene.keep()
    command = scene.clew.command("restore", first, "--yes")
    found = moments(command, scene.project, scene.clew.environment())
    switching = [moment for moment in found if moment.call == "renameat2"]
    scene.reset()
    again = scene.clew.command("restore", "--continue")

    assert kill_at(switching[len(switching) // 2], command, scene.project, scene.clew.environment())
    assert kill_at(Moment("renameat2", 1), again, scene.project, scene.clew.environment())
    scene.clew.ok("restore", "--continue")
    assert differences(scene.moments[first], look(scene.project)) == []
    _check_rescue(scene, switching[0], finished=True)


def _kills(scene: Scene, arguments: list[str], number: int) -> Iterator[Moment]:
    """Yield each moment after the command was killed at it, the scene being fresh before."""
    command, environment = scene.clew.command(*arguments), scene.clew.environment()
    found = moments(command, scene.project, environment)
    assert len(found) > 5, "the command writes nothing; what is there to kill?"
    chosen, killed = some(found, number), 0
    for moment in chosen:
        scene.reset()
        killed += kill_at(moment, command, scene.project, environment)
        yield moment
    assert killed >= 0.8 * len(chosen)


def _check_acknowledged(scene: Scene, moment: Moment) -> None:
    with scene.open() as clew:
        known = {found.id.hex() for found in clew.log().checkpoints}
        result = clew.store.check(read_data=True)

        assert scene.moments.keys() <= known, moment
        assert result.whole, f"{moment}: {result.damages}"
        for identifier in list(scene.moments)[:1]:
            clew.restore(identifier)

            assert differences(scene.moments[identifier], look(scene.project)) == [], moment


def _check_rescue(scene: Scene, moment: Moment, *, finished: bool) -> None:
    with scene.open() as clew:
        rescues = [found for found in clew.log().checkpoints if found.is_rescue]
        whole = clew.store.check(read_data=True)

        assert whole.whole, f"{moment}: {whole.damages}"
        assert len(rescues) == 1 if finished else len(rescues) <= 1, moment
        for rescue in rescues:
            clew.restore(rescue.id.hex())

            assert differences(scene.before.state(), _now(scene)) == [], moment


def _now(scene: Scene) -> Tree:
    return look(scene.project).state()
