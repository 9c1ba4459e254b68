"""A pack that is not what it was: found and located by `check`, and never restored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kit import damaged_store as store
from tests.kit.filesystems import Filesystems
from tests.kit.packfile import BLOB, RECORD, Frame, frames, packs
from tests.kit.scene import Scene

OUTLINES: dict[str, Callable[[Frame], int]] = {
    "the magic": lambda frame: 3,
    "the version": lambda frame: 8,
    "the reserved bytes": lambda frame: 13,
    "a frame's magic": lambda frame: frame.start + 1,
    "a frame's codec": lambda frame: frame.start + 4,
    "a frame's reserved bytes": lambda frame: frame.start + 6,
    "a frame's count": lambda frame: frame.start + 8,
    "a frame's raw length": lambda frame: frame.start + 13,
    "a frame's stored length": lambda frame: frame.start + 17,
    "a payload's checksum": lambda frame: frame.start + 21,
    "a header's checksum": lambda frame: frame.start + 26,
    "an object's type": lambda frame: frame.table,
    "an object's length": lambda frame: frame.table + 2,
    "an object's id": lambda frame: frame.table + 20,
    "the end's magic": lambda frame: -11,
    "the number of frames": lambda frame: -8,
    "the end's checksum": lambda frame: -2,
}


@pytest.fixture(scope="module")
def scene(all_filesystems: Filesystems) -> Iterator[Scene]:
    with all_filesystems.fresh() as place:
        yield store.make_scene(place / "damaged packs")


@pytest.fixture
def pack(scene: Scene) -> Path:
    """The pack of the first checkpoint, the scene being whole."""
    scene.reset()
    return packs(scene.store)[0]


def test_the_outlines_of_packs_are_as_documented(scene: Scene) -> None:
    scene.reset()
    found = [frame for pack in packs(scene.store) for frame in frames(pack)]

    assert any(frame.holds_content for frame in found)
    assert any(not frame.holds_content for frame in found)
    assert not any(frame.holds_content and set(frame.kinds) != {BLOB} for frame in found)
    assert sum(frame.kinds.count(RECORD) for frame in found) == len(scene.moments)


@pytest.mark.parametrize("outline", OUTLINES)
def test_a_flipped_bit_in_the_outlines_is_located(scene: Scene, pack: Path, outline: str) -> None:
    store.flip(OUTLINES[outline](_content_frame(pack)))(pack)
    plain, thorough = scene.clew.run("check"), scene.clew.run("check", "--read-data")

    assert (plain.code, thorough.code) == (6, 6), plain.out
    assert pack.stem[:8] in plain.out + plain.err
    _check_all(scene)


@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_a_flipped_bit_in_the_content_is_located_and_not_restored(
    scene: Scene, pack: Path, where: str
) -> None:
    frame = _content_frame(pack)
    at = {"start": frame.payload, "middle": (frame.payload + frame.end) // 2, "end": frame.end - 1}
    store.flip(at[where])(pack)
    found = scene.clew.run("check", "--read-data")

    assert found.code == 6
    assert pack.stem[:8] in found.out + found.err
    assert _check_all(scene) == 6


def test_a_flipped_bit_in_the_trees_is_located_and_not_restored(scene: Scene, pack: Path) -> None:
    frame = next(frame for frame in frames(pack) if not frame.holds_content)
    store.flip((frame.payload + frame.end) // 2)(pack)
    found = scene.clew.run("check", "--read-data")

    assert found.code == 6
    assert pack.stem[:8] in found.out + found.err
    assert _check_all(scene) == 6


@pytest.mark.parametrize(
    "damage", [store.truncate(0), store.truncate(0.5), store.shorten, store.delete, store.garble],
    ids=["emptied", "halved", "shortened", "deleted", "garbled"],
)  # fmt: skip
def test_a_pack_that_is_cut_or_gone_is_located(
    scene: Scene, pack: Path, damage: store.Damage
) -> None:
    damage(pack)
    found = scene.clew.run("check")

    assert found.code == 6
    assert pack.stem[:8] in found.out + found.err
    _check_all(scene)


def test_check_names_the_checkpoints_that_need_what_is_damaged(scene: Scene, pack: Path) -> None:
    first = next(iter(scene.moments))
    store.flip(_content_frame(pack).payload + 2)(pack)
    found = scene.clew.run("check", "--read-data", "--json")

    assert first[:8] in found.out


def test_other_checkpoints_stay_usable_when_one_pack_is_gone(scene: Scene, pack: Path) -> None:
    newest = packs(scene.store)[-1]
    store.delete(newest)
    first = next(iter(scene.moments))

    assert store.check_restoring(scene, first) in (0, 6)
    assert scene.clew.run("cat", first, "src/util.py").out == "x = 1\n"


def _content_frame(pack: Path) -> Frame:
    """The frame that holds the small files, which every restore of the first moment needs."""
    return max((frame for frame in frames(pack) if frame.holds_content), key=lambda f: len(f.kinds))


def _check_all(scene: Scene) -> int:
    first = next(iter(scene.moments))
    store.check_reading(scene.clew, first)
    code = store.check_restoring(scene, first)
    store.check_saving(scene)
    return code
