"""A collection that is killed at any step, or finds the disk full, loses no checkpoint."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from clew.errors import StoreFull
from clew.model.checkpoint import Checkpoint
from clew.monitor import Monitor
from clew.store.gc import gc
from clew.store.limits import StoreLimits
from clew.store.transport import LocalTransport
from clew.testing import Died, DyingTransport, RecordingTransport, use_transport
from tests.kit.fake_host import SmallStore
from tests.store.scratch import Scratch

KIB = 1 << 10


class ManyBatches(SmallStore):
    batch_bytes = 90 * KIB
    small_packs = 3


def history(place: Path, limits: StoreLimits) -> Scratch:
    """Return a store with dead packs, half-dead ones and many small ones."""
    scratch = Scratch(place, limits)
    doomed = []
    for number in range(4):
        scratch.noise(f"kept {number}", 40 * KIB)
        scratch.noise(f"gone {number}", 90 * KIB)
        doomed.append(scratch.save())
        scratch.remove(f"gone {number}")
    for number in range(limits.small_packs):
        scratch.write("small", f"{number}")
        scratch.save()
    scratch.bury(*doomed)
    return scratch


def changes(scratch: Scratch, purge: bool) -> int:
    """Return the number of changes that a collection makes."""
    recording = RecordingTransport(scratch.store.transport)
    use_transport(scratch.store, recording)
    scratch.gc(purge=purge)
    return sum(recording.count(verb) for verb in ("write_new", "settle", "remove"))


@pytest.mark.parametrize("purge", [False, True], ids=["collecting", "purging"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_dying_at_any_change_loses_nothing(tmp_path: Path, purge: bool, after: bool) -> None:
    scratch = history(tmp_path / "count", ManyBatches())
    total = changes(scratch, purge)
    scratch.close()
    assert total > 5
    for number in range(1, total + 1):
        scratch = history(tmp_path / f"{number}", ManyBatches())
        use_transport(scratch.store, DyingTransport(scratch.store.transport, number, after=after))
        with pytest.raises(Died):
            scratch.gc(purge=purge)
        scratch.reopen()
        scratch.assert_whole()
        scratch.gc(purge=purge)
        scratch.assert_whole()

        assert list((scratch.root / "quarantine").iterdir()) == []
        named = {row[0] for row in scratch.store.database.execute("SELECT name FROM packs")}
        assert {path.name for path in scratch.packs()} == named
        scratch.close()


class FullDisk(LocalTransport):
    """Raises `StoreFull` for new packs while `is_full`."""

    def __init__(self, scratch: Scratch, is_full: Callable[[], bool]) -> None:
        super().__init__(scratch.store.layout.packs, scratch.store.layout.tmp)
        self.is_full = is_full

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        if self.is_full():
            raise StoreFull("here") from OSError(errno.ENOSPC, "full")
        super().write_new(name, parts)


def test_on_a_full_disk_the_reserve_is_given_up(tmp_path: Path) -> None:
    scratch = history(tmp_path, SmallStore())
    reserve = scratch.store.layout.reserve
    assert os.path.exists(reserve)
    use_transport(scratch.store, FullDisk(scratch, lambda: os.path.exists(reserve)))
    result = scratch.gc()

    assert result.freed_bytes > 300 * KIB
    assert os.path.exists(reserve), "it is set aside again when there is room"
    scratch.assert_whole()
    scratch.close()


def test_what_needs_no_room_is_freed_even_when_nothing_else_fits(tmp_path: Path) -> None:
    scratch = history(tmp_path, SmallStore())
    scratch.noise("all gone", 500 * KIB)
    doomed = scratch.save()
    scratch.remove("all gone")
    scratch.save()
    scratch.bury(doomed)
    use_transport(scratch.store, FullDisk(scratch, lambda: True))
    before = scratch.pack_bytes()
    with pytest.raises(StoreFull):
        scratch.gc()

    assert before - scratch.pack_bytes() > 500 * KIB
    scratch.assert_whole()
    scratch.close()


class Meddler(Monitor):
    """Saves a file again, as another process would, when a phase is reported."""

    def __init__(self, scratch: Scratch, phase: str) -> None:
        self._scratch = scratch
        self._phase = phase
        self.saved: list[Checkpoint] = []

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        if phase == self._phase and not self.saved:
            other = self._scratch.beside()
            self._scratch.noise("revived", 60 * KIB)
            self.saved.append(other.save())
            other.close()


@pytest.mark.parametrize("phase", ["mark", "copy"])
@pytest.mark.parametrize("alone", [True, False], ids=["dead pack", "half dead pack"])
def test_a_save_in_the_middle_of_a_collection_gets_back_what_it_needs(
    scratch: Scratch, phase: str, alone: bool
) -> None:
    """The object was dead when objects were marked, and is saved again before its row is deleted."""
    scratch.noise("kept", 50 * KIB)
    if alone:
        scratch.save()
    scratch.noise("revived", 60 * KIB)
    scratch.noise("gone", 60 * KIB)
    doomed = scratch.save()
    scratch.remove("gone")
    scratch.remove("revived")
    scratch.save()
    scratch.bury(doomed)
    meddler = Meddler(scratch, phase)
    gc(scratch.store, meddler)
    scratch.reopen()

    if phase == "mark" or not alone:
        assert "revived" in scratch.held(meddler.saved[0].id)
    scratch.assert_whole()
