"""Copies are kept within bounds, and a crash leaves only what the next one sweeps."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from itertools import chain, repeat
from pathlib import Path

import pytest

from clew import opening
from clew.errors import NoSpaceForCopy, StoreReadOnly
from clew.model.checkpoint import Checkpoint
from clew.monitor import Monitor
from clew.operations.copies.copies import drop_copies, throwaway_copy
from clew.operations.copies.copy_cache import Slots
from clew.workspace import Workspace
from clew.worktree.sandbox_mounts import FullCopy, OverlayCopy
from tests.kit.fake_host import FakeHost
from tests.kit.walker import Tree, differences, look
from tests.operations.copies.copying import copy_of, require_overlays, saved, slots, small
from tests.operations.forks.forked import NOBODY, cut, cut_short, forked, needs_root


def test_at_most_four_are_kept_and_the_oldest_go_first(ws: Workspace, project: Path) -> None:
    kept = []
    many = project / "many"
    many.mkdir()
    for number in range(1000):
        (many / f"{number}").touch()
    for number in range(6):
        small(project, f"{number}")
        many = many.rename(project / f"many {number}")  # too much differs to reuse a copy
        with copy_of(ws, saved(ws)) as copy:
            kept.append(copy.parent.name)

    assert slots(ws) == sorted(kept[-4:])


def test_a_copy_in_use_is_never_dropped(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    with ExitStack() as stack:
        used = [stack.enter_context(copy_of(ws, checkpoint)) for _ in range(6)]
        dropped = drop_copies(ws._access.store)

        assert dropped == 0
        assert all(differences(then, look(copy)) == [] for copy in used)
    assert len(slots(ws)) == 4
    assert drop_copies(ws._access.store) == 4


def test_kept_copies_have_a_byte_budget(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint = saved(ws)
    with copy_of(ws, checkpoint):
        pass
    taken = checkpoint.record.coverage.total_bytes
    Slots(ws._access.store.layout.copies).trim(4, taken)
    assert len(slots(ws)) == 1
    Slots(ws._access.store.layout.copies).trim(4, taken - 1)

    assert slots(ws) == []


def test_the_copy_of_a_near_moment_is_made_of_another(ws: Workspace, project: Path) -> None:
    for number in range(50):
        (project / f"{number}").write_text("the same all the time")
    trees: list[tuple[Checkpoint, Tree]] = []
    for number in range(5):
        small(project, f"moment {number}")
        trees.append((saved(ws), look(project)))
    for checkpoint, then in [*trees, *trees]:
        with copy_of(ws, checkpoint) as copy:
            assert differences(then, look(copy)) == []

    assert len(slots(ws)) == 2


@needs_root
def test_a_reworked_copy_is_layered_only_if_it_still_may_be(on_ext4: Path) -> None:
    require_overlays(on_ext4)
    project = on_ext4 / "project"
    project.mkdir()
    with opening.open(project, store=on_ext4 / "store", create=True) as ws:
        kinds = []
        for number in range(4):
            small(project, f"{number}")
            if number == 3:
                subprocess.run(["chattr", "+i", project / "marker"], check=True)
            with throwaway_copy(ws._access.context, saved(ws), Monitor()) as copy:
                kinds.append(type(copy))

        assert kinds == [OverlayCopy, OverlayCopy, OverlayCopy, FullCopy]


def test_a_copy_without_room_is_refused_with_the_figure(
    ws: Workspace, project: Path, store: Path, host: FakeHost
) -> None:
    small(project)
    (project / "big").write_bytes(os.urandom(3_000_000))
    with open(project / "sparse", "wb") as file:
        file.truncate(1 << 30)
    checkpoint = saved(ws)
    host.free[store / "copies"] = 2_000_000

    with pytest.raises(NoSpaceForCopy) as refused, copy_of(ws, checkpoint):
        pass

    assert 3_000_000 < refused.value.needed < 10_000_000
    assert refused.value.free == 2_000_000
    assert slots(ws) == []


def test_other_copies_make_room(ws: Workspace, project: Path, store: Path, host: FakeHost) -> None:
    small(project)
    with copy_of(ws, saved(ws)):
        pass
    small(project, "another")
    host.free[store / "copies"] = chain([0], repeat(1 << 40))

    with copy_of(ws, saved(ws)):
        assert len(slots(ws)) == 1


# Crashes, and others at work


def test_a_copy_that_was_cut_short_is_no_copy(
    ws: Workspace, project: Path, store: Path, host: FakeHost
) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)

    def die_half_way() -> None:
        with (
            host.at("copy.written", cut),
            opening.open(project, store=store, host=host) as own,
            copy_of(own, checkpoint),
        ):
            pass

    cut_short(die_half_way)
    assert len(slots(ws)) == 1
    with copy_of(ws, checkpoint) as copy:
        assert differences(then, look(copy)) == []
    assert len(slots(ws)) == 1


@needs_root
def test_what_a_dead_user_left_is_swept_by_the_next(on_ext4: Path) -> None:
    require_overlays(on_ext4)
    (on_ext4 / "project").mkdir()
    small(on_ext4 / "project")
    with opening.open(on_ext4 / "project", store=on_ext4 / "store", create=True) as ws:
        checkpoint = saved(ws)

        def die_in_use() -> None:
            with (
                opening.open(on_ext4 / "project", store=on_ext4 / "store") as own,
                throwaway_copy(own._access.context, checkpoint, Monitor()) as copy,
            ):
                assert isinstance(copy, OverlayCopy)
                Path(os.fsdecode(copy.upper), "half").write_text("written")
                cut()

        cut_short(die_in_use)
        (left,) = Slots(ws._access.store.layout.copies).all()
        assert left.has_litter
        small(on_ext4 / "project", "another moment")
        with copy_of(ws, saved(ws)):
            assert not left.has_litter


@needs_root
def test_a_copy_from_before_the_machine_was_started_counts_for_nothing(on_ext4: Path) -> None:
    require_overlays(on_ext4)
    project = on_ext4 / "project"
    project.mkdir()
    small(project)
    with opening.open(project, store=on_ext4 / "store", create=True) as ws:
        checkpoint, then = saved(ws), look(project)
        with copy_of(ws, checkpoint, whole=False) as base:
            about = base.parent / "about"
        about.write_text(about.read_text().replace("\n", "\nanother-", 1))
        (base / "marker").write_text("never reached the disk")

        with copy_of(ws, checkpoint, whole=False) as again:
            assert differences(then, look(again)) == []


def test_a_copy_that_cannot_be_set_right_is_made_anew(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    with copy_of(ws, checkpoint) as copy:
        for path in sorted(copy.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        copy.rmdir()
        copy.write_text("no directory at all")
    with copy_of(ws, checkpoint) as again:
        assert differences(then, look(again)) == []


def test_the_store_can_be_collected_while_a_copy_is_used(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    small(project, "later")
    saved(ws)
    with copy_of(ws, checkpoint) as copy:
        ws.delete([checkpoint.id.hex()])  # takes the store's lock exclusively

        assert differences(then, look(copy)) == []
    assert ws.store.check(read_data=True).whole


@needs_root
def test_a_store_that_cannot_be_written_gives_no_copy(open_place: Path) -> None:
    project = open_place / "project"
    project.mkdir()

    def body() -> None:
        with opening.open(project, store=open_place / "store", create=True) as ws:
            checkpoint = saved(ws)
        (open_place / "store").chmod(0o500)
        (open_place / "store" / "packs").chmod(0o500)
        try:
            with (
                opening.open(project, store=open_place / "store") as ws,
                copy_of(ws, checkpoint),
            ):
                pass
        finally:
            (open_place / "store").chmod(0o700)

    os.chown(project, NOBODY, NOBODY)
    with pytest.raises(StoreReadOnly):
        forked(body, uid=NOBODY)


def test_copies_are_closed_to_others(ws: Workspace, project: Path) -> None:
    small(project)
    project.chmod(0o777)
    with copy_of(ws, saved(ws)) as copy:
        assert copy.stat().st_mode & 0o777 == 0o777
        assert copy.parent.stat().st_mode & 0o777 == 0o700
        assert copy.parent.parent.stat().st_mode & 0o777 == 0o700
