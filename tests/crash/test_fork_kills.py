"""`kill -9` at any moment of a fork or a discard: a whole fork or none, and no other directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.killing import Moment, kill_at, moments, some
from tests.kit.removing import remove
from tests.kit.scene import Scene, populate
from tests.kit.walker import differences, look

KNOWN = {"project", "store", "kept-project", "kept-store", "home"}


@pytest.fixture
def scene(scratch: Path) -> Scene:
    scene = Scene(scratch)
    populate(scene.project)
    scene.save("first")
    return scene


@pytest.mark.slow
@pytest.mark.parametrize("managed", [False, True])
def test_a_killed_fork_is_whole_or_nothing(scene: Scene, managed: bool) -> None:
    place = scene.place / "fork"
    scene.keep()
    for moment in _kills(scene, ["fork", "@", *([] if managed else [str(place)])], 14):
        found = scene.clew.json("forks")["forks"]  # the next command clears away what is left
        for fork in found:
            assert differences(scene.before, look(fork["workspace"]["path"])) == [], moment
        strangers = set(os.listdir(scene.place)) - KNOWN
        in_store = set(os.listdir(scene.store / "forks"))
        with scene.open() as clew:
            assert clew.store.check(read_data=True).whole, moment

        assert strangers == ({"fork"} if found and not managed else set()), moment
        assert in_store == ({"fork-1"} if found and managed else set()), moment


@pytest.mark.slow
def test_a_killed_discard_is_done_or_not(scene: Scene) -> None:
    place = scene.place / "fork"
    scene.clew.ok("fork", "@", str(place))
    scene.keep()
    kept = look(place)
    for moment in _kills(scene, ["discard", "fork", "--files"], 8, again=place):
        found = scene.clew.json("forks")["forks"]
        if found:
            assert differences(kept, look(place)) == [], moment
        assert place.exists() == bool(found), moment
        with scene.open() as clew:
            assert clew.store.check(read_data=True).whole, moment


def _kills(
    scene: Scene, arguments: list[str], number: int, again: Path | None = None
) -> Iterator[Moment]:
    """Yield each moment after the command was killed at it, the scene being fresh before."""
    command, environment = scene.clew.command(*arguments), scene.clew.environment()
    found = moments(command, scene.project, environment)
    assert len(found) > 5, "the command writes nothing; what is there to kill?"
    chosen, killed = some(found, number), 0
    for moment in chosen:
        _reset(scene, again)
        killed += kill_at(moment, command, scene.project, environment)
        yield moment
    assert killed >= 0.8 * len(chosen)


def _reset(scene: Scene, again: Path | None) -> None:
    scene.reset()
    for name in set(os.listdir(scene.place)) - KNOWN:
        remove(scene.place / name)
    if again is not None:  # the store knows its fork by its inode, so it is grown anew
        scene.clew.ok("discard", "fork", "--yes")
        scene.clew.ok("fork", "@", str(again))
