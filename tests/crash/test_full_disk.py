"""The disk is full in the middle of a save, a collection or a restore."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import errors, opening
from tests.kit import filesystems
from tests.kit.running import Clew
from tests.kit.walker import differences, look

MIB = 1 << 20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A small ext4."""
    if reason := filesystems.missing_for("ext4"):
        pytest.skip(reason)
    with (
        filesystems.base_directory() as base,
        filesystems.mounted("ext4", base, 200, "small") as place,
    ):
        yield place


def test_a_save_that_does_not_fit_is_refused_and_everything_before_stays_readable(
    small: Path, tmp_path: Path
) -> None:
    clew = _project(tmp_path / "project", small / "store")
    saved, before = clew.save("fits"), look(clew.workspace)
    for number in range(20):
        _noise(clew.workspace / f"too much {number}", 10)
    code, error = clew.error("save", "does not fit")
    _check_whole(clew)
    for number in range(20):
        (clew.workspace / f"too much {number}").unlink()
    clew.restore(saved)

    assert (code, error["kind"]) == (1, "store-full")
    assert clew.ids()[-1] == saved
    assert differences(before, look(clew.workspace)) == []


def test_after_room_was_made_a_save_works_again(small: Path, tmp_path: Path) -> None:
    clew = _project(tmp_path / "project", small / "store")
    clew.save("fits")
    _fill(small, leave=1)
    _noise(clew.workspace / "more", 8)
    failed = clew.run("save", "does not fit")
    (small / "filler").unlink()
    clew.save("fits again")

    assert failed.code == 1
    _check_whole(clew)


def test_a_collection_on_a_full_disk_frees_space(small: Path, tmp_path: Path) -> None:
    clew = _project(tmp_path / "project", small / "store")
    kept = clew.save("kept")
    before = look(clew.workspace)
    _noise(clew.workspace / "big", 30)
    doomed = clew.save("big")
    (clew.workspace / "big").unlink()
    clew.save("small again")
    _fill(small, leave=0)
    held = _used(small)
    clew.ok("delete", doomed)
    clew.ok("gc")
    _check_whole(clew)
    clew.restore(kept)

    assert held - _used(small) > 20 * MIB
    assert differences(before, look(clew.workspace)) == []


def test_a_restore_without_room_for_its_files_is_refused_with_the_figure(
    small: Path, tmp_path: Path
) -> None:
    clew = _project(small / "project", tmp_path / "store")
    for number in range(8):
        _noise(clew.workspace / f"big {number}", 10)
    saved = clew.save("big")
    for number in range(8):
        (clew.workspace / f"big {number}").unlink()
    clew.save("small")
    _fill(small, leave=20)
    before = look(clew.workspace)
    code, error = clew.error("restore", saved, "--yes")

    assert (code, error["kind"]) == (1, "no-space-for-restore")
    assert _largest_number(error["message"]) > 75 * MIB
    assert differences(before, look(clew.workspace)) == []


def test_a_restore_without_room_for_its_rescue_is_refused_with_the_figure(
    small: Path, tmp_path: Path
) -> None:
    clew = _project(tmp_path / "project", small / "store")
    saved = clew.save("small")
    for number in range(25):
        _noise(clew.workspace / f"unsaved {number}", 10)
    before = look(clew.workspace)
    code, error = clew.error("restore", saved, "--yes")

    assert (code, error["kind"]) == (1, "no-space-for-restore")
    assert differences(before, look(clew.workspace)) == []
    _check_whole(clew)


def test_a_rescue_may_use_the_reserve(small: Path, tmp_path: Path) -> None:
    clew = _project(tmp_path / "project", small / "store")
    saved, before = clew.save("small"), look(clew.workspace)
    _noise(clew.workspace / "unsaved", 20)
    _fill(small, leave=2)
    result = clew.restore(saved)

    assert result["rescue"]
    assert differences(before, look(clew.workspace)) == []


def test_the_disk_fills_while_a_restore_stages(small: Path, tmp_path: Path) -> None:
    """The figure was right when it was computed; then somebody else took the room."""
    (small / "project").mkdir()
    with opening.open(small / "project", store=str(tmp_path / "store"), create=True) as clew:
        for number in range(6):
            _noise(small / "project" / f"big {number}", 10)
        saved = clew.save("big").checkpoint.id.hex()
        for number in range(6):
            (small / "project" / f"big {number}").unlink()
        clew.save("small")

        def take_the_room(_: object) -> bool:
            _fill(small, leave=15)
            return True

        (small / "project" / "seen by confirm").write_text("x")
        before = look(small / "project")
        with pytest.raises(errors.ClewError):
            clew.restore(saved, confirm=take_the_room)
        (small / "filler").unlink()
        result = clew.restore(saved)

        assert result.verified
        assert (small / "project" / "big 5").stat().st_size == 10 * MIB
        rescues = [found for found in clew.log().checkpoints if found.is_rescue]
        clew.restore(rescues[-1].id.hex())
        assert differences(before.state(), look(small / "project").state()) == []


def _project(root: Path, store: Path) -> Clew:
    root.mkdir()
    (root / "file").write_text("small")
    return Clew(root, store)


def _noise(path: Path, megabytes: int) -> None:
    path.write_bytes(random.Random(str(path)).randbytes(megabytes * MIB))


def _fill(place: Path, *, leave: int) -> None:
    """Take all the room but so many megabytes, also what is kept for root."""
    end = 0
    with open(place / "filler", "wb") as file:
        while True:
            os.fsync(file)  # blocks that were freed can be had again only after that
            free = os.statvfs(place).f_bfree * os.statvfs(place).f_frsize - leave * MIB
            if free < MIB // 4:
                return
            while free >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), end, free)
                    end += free
                    break
                except OSError:
                    free //= 2
            else:
                return


def _used(place: Path) -> int:
    return shutil.disk_usage(place).used


def _check_whole(clew: Clew) -> None:
    assert json.loads(clew.ok("check", "--read-data", "--json").out)["is_intact"] is True


def _largest_number(message: str) -> int:
    plain = message.replace(",", "")  # figures have separators between thousands
    digits = "".join(char if char.isdigit() else " " for char in plain)
    return max(map(int, digits.split()))
