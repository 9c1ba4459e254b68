"""Damage to the smaller files of a store: what is derived may go at any time, the rest is told."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator

import pytest

from clew import errors
from tests.kit import damaged_store as store
from tests.kit.filesystems import Filesystems
from tests.kit.killing import ALL
from tests.kit.packfile import packs
from tests.kit.scene import Scene
from tests.kit.walker import differences, look
from tests.kit.wreck import edit_unnoticed

DAMAGES = {
    "flipped": store.flip(40),
    "emptied": store.truncate(0),
    "halved": store.truncate(0.5),
    "garbled": store.garble,
    "deleted": store.delete,
}
damaged = pytest.mark.parametrize("damage", DAMAGES)


@pytest.fixture(scope="module")
def scene(all_filesystems: Filesystems) -> Iterator[Scene]:
    with all_filesystems.fresh() as place:
        yield store.make_scene(place / "damaged rest")


@pytest.fixture
def first(scene: Scene) -> str:
    """The first checkpoint, the scene being whole."""
    scene.reset()
    return next(iter(scene.moments))


@damaged
def test_a_damaged_cache_never_matters(scene: Scene, first: str, damage: str) -> None:
    for cache in (scene.store / "cache").glob("*.db"):
        DAMAGES[damage](cache)
    _check_nothing_is_amiss(scene, first)


@pytest.mark.parametrize("number", range(40 if ALL else 8))
def test_a_flipped_bit_in_the_cache_never_matters(scene: Scene, first: str, number: int) -> None:
    for cache in (scene.store / "cache").glob("*.db"):
        store.flip(random.Random(number).randrange(cache.stat().st_size))(cache)
    _check_nothing_is_amiss(scene, first)


def test_there_is_a_cache_to_damage(scene: Scene, first: str) -> None:
    assert list((scene.store / "cache").glob("*.db"))


def test_the_cache_of_another_moment_never_matters(scene: Scene, first: str) -> None:
    """As after copying a store back from a backup."""
    old = scene.place / "old cache"
    shutil.copytree(scene.store / "cache", old)
    edit_unnoticed(scene.project / "src" / "util.py", new=b"y")
    scene.clew.save("newer")
    shutil.rmtree(scene.store / "cache")
    shutil.move(old, scene.store / "cache")
    edit_unnoticed(scene.project / "src" / "util.py", new=b"z")

    assert "src/util.py" in scene.clew.ok("status").out
    saved = scene.clew.save("newest")
    assert scene.clew.ok("cat", saved, "src/util.py").out == "z = 1\n"


def test_missing_locks_and_scratch_space_never_matter(scene: Scene, first: str) -> None:
    for name in ("locks", "tmp"):
        shutil.rmtree(scene.store / name)
    _check_nothing_is_amiss(scene, first)


def test_garbage_in_the_lock_files_never_matters(scene: Scene, first: str) -> None:
    for lock in (scene.store / "locks").iterdir():
        lock.write_bytes(b"99999999 stale\n")
    _check_nothing_is_amiss(scene, first)


def test_litter_in_the_scratch_space_is_swept_and_never_matters(scene: Scene, first: str) -> None:
    (scene.store / "tmp" / "left over.pack").write_bytes(bytes(1000))
    (scene.store / "packs" / f"{'0' * 32}.pack").write_bytes(b"CLEWPACK")
    assert store.check_restoring(scene, first) == 0
    scene.clew.ok("gc")

    assert list((scene.store / "tmp").iterdir()) == []


@damaged
def test_a_damaged_backup_stops_nothing(scene: Scene, first: str, damage: str) -> None:
    for backup in (scene.store / "backup").glob("*.db"):
        DAMAGES[damage](backup)
    store.check_reading(scene.clew, first)
    store.check_saving(scene)

    assert store.check_restoring(scene, first) == 0


def test_a_missing_reserve_stops_nothing(scene: Scene, first: str) -> None:
    (scene.store / "reserve").unlink(missing_ok=True)
    _check_nothing_is_amiss(scene, first)


@damaged
@pytest.mark.parametrize("command", ["log", "show @", "save x", "check", "restore @~1 --yes", "gc"])
def test_a_damaged_format_file_stops_everything(
    scene: Scene, first: str, damage: str, command: str
) -> None:
    before, held = look(scene.project), [pack.name for pack in packs(scene.store)]
    DAMAGES[damage](scene.store / "format")
    ran = scene.clew.run(*command.split())

    assert ran.code == 6, f"{ran.code}: {ran.out}{ran.err}"
    assert "Traceback" not in ran.err
    assert differences(before, look(scene.project)) == []
    assert [pack.name for pack in packs(scene.store)] == held


@damaged
def test_a_damaged_format_file_is_written_again_by_a_rebuild(
    scene: Scene, first: str, damage: str
) -> None:
    whole = (scene.store / "format").read_bytes()
    DAMAGES[damage](scene.store / "format")
    ran = scene.clew.run("check", "--rebuild")

    assert ran.code == 0, f"{ran.code}: {ran.out}{ran.err}"
    assert (scene.store / "format").read_bytes() == whole
    assert store.check_restoring(scene, first) == 0


@pytest.mark.parametrize("number", range(200 if ALL else 30))
def test_a_flipped_bit_anywhere_in_packs_or_catalogue_is_found(
    scene: Scene, first: str, number: int
) -> None:
    files = [*packs(scene.store), scene.store / "catalog.db"]
    luck = random.Random(1000 + number)
    path = luck.choice(files)
    at = luck.randrange(path.stat().st_size)
    store.flip(at)(path)
    try:
        with scene.open() as clew:
            damages = [
                f"{damage.location} {damage.description}"
                for damage in clew.store.check(read_data=True).damages
            ]
    except errors.StoreDamaged as error:
        damages = [str(error)]

    assert damages, f"byte {at} of {path.name}"
    assert path.stem[:8] in " ".join(damages) or "catalog" in " ".join(damages).lower()


def _check_nothing_is_amiss(scene: Scene, first: str) -> None:
    """All commands work as if nothing had happened, and edits are seen."""
    edit_unnoticed(scene.project / "src" / "util.py", new=b"y")

    assert "src/util.py" in scene.clew.ok("status").out
    saved = scene.clew.save("after the damage")
    assert scene.clew.ok("cat", saved, "src/util.py").out == "y = 1\n"
    assert scene.clew.ok("check", "--read-data").code == 0
    assert store.check_restoring(scene, first) == 0
