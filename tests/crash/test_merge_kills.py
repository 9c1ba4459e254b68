"""`kill -9` at any moment of a merge: it has not begun, or it can be continued."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from tests.kit.killing import kill_at, moments, some
from tests.kit.scene import Scene, populate, rework
from tests.kit.walker import Tree, differences, look

STAGE = b".clew-"
LINES = [f"{number}\n" for number in range(9)]


@pytest.fixture
def scene(scratch: Path) -> Scene:
    scene = Scene(scratch)
    populate(scene.project)
    (scene.project / "text").write_text("".join(LINES))
    scene.save("first")
    return scene


@pytest.mark.slow
def test_a_killed_adopt_can_be_continued_or_has_not_begun(scene: Scene) -> None:
    place = scene.place / "fork"
    with scene.open() as clew:
        clew.forks.create("@", str(place), name="fast")
    rework(place)
    (place / "text").write_text("".join([*LINES[:-1], "fork\n"]))
    with opening.open(place, store=scene.store) as fork:
        fork.save("in the fork")
    _edit(scene.project, "8\n")
    _kill_everywhere(scene, ["adopt", "fast", "--yes"], "adopted fast")


@pytest.mark.slow
def test_a_killed_restore_that_keeps_edits_can_be_continued_or_has_not_begun(scene: Scene) -> None:
    rework(scene.project)
    (scene.project / "text").write_text("".join([*LINES[:-1], "agent\n"]))
    scene.save("second")
    _edit(scene.project, "agent\n")
    first = next(iter(scene.moments))
    command = ["restore", first, "--keep-mine", "--yes"]
    _kill_everywhere(scene, command, f"restored {first[:8]}, keeping later edits")


def _edit(project: Path, last: str) -> None:
    """Do what no checkpoint holds and no merge here stumbles over."""
    (project / "text").write_text("".join(["person\n", *LINES[1:-1], last]))
    (project / "unsaved").write_text("precious\n")


def _kill_everywhere(scene: Scene, arguments: list[str], intent: str) -> None:
    scene.keep()
    command, environment = scene.clew.command(*arguments), scene.clew.environment()
    found = moments(command, scene.project, environment)
    merged = look(scene.project).state()
    assert merged.facts[b"text"] != scene.before.state().facts[b"text"]
    ended = {True: 0, False: 0}
    for moment in some(found, 18):
        scene.reset()
        kill_at(moment, command, scene.project, environment)
        changed = look(scene.project, leave_out=STAGE).state() != scene.before.state()
        if scene.clew.json("status")["interrupted_restore"] is not None:
            ran = scene.clew.run("restore", "--continue")
            assert ran.code == 0, f"{moment}: {ran.err}"
        after = look(scene.project).state()
        finished = after == merged
        ended[finished] += 1

        if changed or not finished:
            wanted = merged if changed else scene.before.state()
            assert differences(wanted, after) == [], moment
        _check_history(scene, intent, merged, finished=finished)
    assert min(ended.values()) > 1


def _check_history(scene: Scene, intent: str, merged: Tree, *, finished: bool) -> None:
    """There is a checkpoint of the merge if it was made, and an undo takes it back."""
    with scene.open() as clew:
        timeline = clew.log().checkpoints
        made = [one for one in timeline if one.labels.intent == intent]
        rescues = [one for one in timeline if one.is_rescue]

        assert clew.store.check(read_data=True).whole
        assert len(made) == finished
        assert len(rescues) == 1 if finished else len(rescues) <= 1
        if finished:
            assert clew.status().changes == ()
            clew.undo()

            assert differences(scene.before.state(), look(scene.project).state()) == []
            clew.redo()

            assert differences(merged, look(scene.project).state()) == []
