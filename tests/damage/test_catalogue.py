"""A damaged catalogue is found, and what the packs hold is brought back from them."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.kit import damaged_store as store
from tests.kit.filesystems import Filesystems
from tests.kit.killing import ALL
from tests.kit.scene import Scene

PLACES = 40 if ALL else 10


@pytest.fixture(scope="module")
def scene(all_filesystems: Filesystems) -> Iterator[Scene]:
    with all_filesystems.fresh() as place:
        yield store.make_scene(place / "damaged catalogue")


@pytest.fixture
def first(scene: Scene) -> str:
    """The first checkpoint, the scene being whole."""
    scene.reset()
    return next(iter(scene.moments))


@pytest.mark.parametrize("number", range(PLACES))
def test_a_flipped_bit_in_the_catalogue_is_found(scene: Scene, first: str, number: int) -> None:
    catalogue = scene.store / "catalog.db"
    size = catalogue.stat().st_size
    at = [0, 19, 30, 60, 110][number] if number < 5 else random.Random(number).randrange(size)
    store.flip(at)(catalogue)
    found = scene.clew.run("check")

    assert found.code == 6, f"byte {at}: {found.out}{found.err}"
    assert "catalog" in (found.out + found.err).lower()
    store.check_reading(scene.clew, first)
    store.check_restoring(scene, first)
    store.check_rebuilt(scene, first)


@pytest.mark.parametrize(
    "damage", [store.truncate(0), store.truncate(0.5), store.delete, store.garble],
    ids=["emptied", "halved", "deleted", "garbled"],
)  # fmt: skip
def test_a_catalogue_that_is_cut_or_gone_is_rebuilt_from_the_packs(
    scene: Scene, first: str, damage: store.Damage
) -> None:
    damage(scene.store / "catalog.db")
    said = scene.clew.run("log", "--json")

    # an empty timeline would be a lie: either all of it, or the word that it is damaged
    assert said.code == 6 or all(found in said.out for found in scene.moments)
    store.check_rebuilt(scene, first)


@pytest.mark.parametrize("damage", ["flipped", "halved", "deleted"])
def test_a_damaged_write_ahead_log_costs_no_acknowledged_checkpoint(
    scene: Scene, first: str, damage: str
) -> None:
    saved = _save_and_die(scene)
    log = scene.store / "catalog.db-wal"
    assert log.stat().st_size > 0
    if damage == "flipped":
        store.flip(log.stat().st_size // 3)(log)
    elif damage == "halved":
        store.truncate(0.5)(log)
    else:
        log.unlink()
        (scene.store / "catalog.db-shm").unlink(missing_ok=True)
    found = scene.clew.run("check", "--read-data")

    assert found.code == 6 or saved in scene.clew.ids(), "lost in silence"
    store.check_rebuilt(scene, first)
    assert saved in scene.clew.ids()


def test_labels_come_back_from_the_backup(scene: Scene, first: str) -> None:
    names = {found["id"]: found["intent"] for found in _log(scene)}
    store.delete(scene.store / "catalog.db")
    store.check_rebuilt(scene, first)
    again = {found["id"]: found["intent"] for found in _log(scene)}

    assert names[first] == "first"
    assert again[first] == "first"


def _save_and_die(scene: Scene) -> str:
    """Save in a process that is killed before it can fold the log into the catalogue."""
    (scene.project / "late").write_text("acknowledged, then the process died\n")
    code = (
        "import os, sys\n"
        "from clew import opening\n"
        "clew = opening.open(sys.argv[1], store=sys.argv[2])\n"
        "print(clew.save('late').checkpoint.id.hex(), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, scene.project, scene.store],
        env=scene.clew.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == -9, done.stderr
    return done.stdout.strip()


def _log(scene: Scene) -> list[dict[str, str]]:
    found: list[dict[str, str]] = scene.clew.json("log")["checkpoints"]
    return found
