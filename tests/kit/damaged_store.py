"""A store with three checkpoints, the ways to damage a file, and what must hold afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.kit.running import Clew, Ran
from tests.kit.scene import Scene, populate, rework
from tests.kit.walker import Tree, differences, look

Damage = Callable[[Path], None]


def make_scene(place: Path) -> Scene:
    """Three checkpoints, the last of them here, with a large file that all of them hold."""
    scene = Scene(place)
    populate(scene.project)
    (scene.project / "large").write_bytes(random.Random(9).randbytes(3 << 20))
    scene.save("first")
    rework(scene.project)
    scene.save("second")
    (scene.project / "src" / "main.py").write_text("print('three')\n")
    scene.save("third")
    scene.keep()
    return scene


def flip(at: int) -> Damage:
    """Flip one bit of the byte at this place; negative counts from the end."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[at] ^= 1 << (at % 8)
        path.write_bytes(data)

    return damage


def truncate(share: float) -> Damage:
    """Keep only the first part."""

    def damage(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return damage


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def delete(path: Path) -> None:
    path.unlink()


def garble(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(max(5000, path.stat().st_size)))


def check_reading(clew: Clew, first: str) -> None:
    """Everything that only reads gives the truth or says that the store is damaged."""
    _check_said(clew.run("log"))
    _check_said(clew.run("show", first))
    said = clew.run("cat", first, "src/util.py")
    _check_said(said)
    if said.code == 0:
        assert said.out == "x = 1\n"


def check_restoring(scene: Scene, first: str) -> int:
    """A restore gives exactly what was saved, or says damaged and changes nothing."""
    before = look(scene.project)
    said = scene.clew.run("restore", first, "--yes")
    after = look(scene.project)

    _check_said(said)
    assert differences(scene.moments[first] if said.code == 0 else before, after) == []
    return said.code


def check_saving(scene: Scene) -> None:
    """A save works or says damaged; it changes nothing in the workspace."""
    before: Tree = look(scene.project)
    _check_said(scene.clew.run("save", "after the damage"))

    assert differences(before, look(scene.project)) == []


def check_rebuilt(scene: Scene, first: str) -> None:
    """`check --rebuild` brings every record back from the packs, and all is well again."""
    rebuilt = scene.clew.run("check", "--rebuild")

    assert rebuilt.code in (0, 6), rebuilt.err
    assert scene.clew.run("check", "--read-data").code == 0, scene.clew.run("check").out
    assert set(scene.moments) <= set(scene.clew.ids())
    assert check_restoring(scene, first) == 0


def _check_said(ran: Ran) -> None:
    assert "Traceback" not in ran.err, ran.err
    assert ran.code in (0, 6), f"{ran.code}: {ran.out}{ran.err}"
    if ran.code == 6:
        assert ran.talk, "an error without a word"
