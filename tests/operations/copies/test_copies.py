"""Throw-away copies: exact, changed at will, and there again at next to no cost."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew import opening
from clew.monitor import Monitor, RecordingMonitor
from clew.operations.copies.copies import drop_copies, throwaway_copy
from clew.workspace import Workspace
from clew.worktree.sandbox_mounts import FullCopy, OverlayCopy
from tests.kit import everything, wreck
from tests.kit.refusing import Refusal, while_refused
from tests.kit.walker import differences, look
from tests.operations.copies.copying import copy_of, require_overlays, saved, slots, small
from tests.operations.forks.forked import NOBODY, cut, cut_short, forked, needs_root


class Work(Monitor):
    """Counts the names that were written."""

    def __init__(self) -> None:
        self.written: list[int] = []

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        if phase == "write":
            self.written.append(done)


@contextmanager
def mounted(layers: OverlayCopy) -> Iterator[Path]:
    """Show an overlay."""
    parts = zip((b"lowerdir", b"upperdir", b"workdir"), layers, strict=False)
    options = b",".join([b"index=on", b"redirect_dir=on", *(b"%s=%s" % part for part in parts)])
    command = [b"mount", b"-t", b"overlay", b"overlay", b"-o", options, layers.merged]
    subprocess.run(command, check=True)
    try:
        yield Path(os.fsdecode(layers.merged))
    finally:
        subprocess.run(["umount", os.fsdecode(layers.merged)], check=True)


def test_a_copy_is_what_the_checkpoint_holds_whatever_is_live(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    small(project, "edited since")

    with copy_of(ws, checkpoint) as copy:
        assert differences(then, look(copy)) == []

    assert (project / "marker").read_text() == "edited since"


@pytest.mark.parametrize("way", [wreck.wreck, wreck.empty, wreck.raze])
@needs_root
def test_whatever_is_done_to_a_copy_the_next_one_is_exact(
    filesystem: Path, way: Callable[[Path], None]
) -> None:
    project = filesystem / "project"
    everything.build(project)
    then = look(project)
    with opening.open(project, store=filesystem / "store", create=True) as ws:
        checkpoint = saved(ws)
        for _ in range(2):
            with copy_of(ws, checkpoint) as copy:
                assert differences(then, look(copy)) == []
                way(copy)

        assert len(slots(ws)) == 1
        drop_copies(ws._access.store)
        assert slots(ws) == []


@needs_root
def test_a_copy_that_was_used_is_right_again_before_anybody_asks(
    ws: Workspace, project: Path
) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    with copy_of(ws, checkpoint) as copy:
        (copy / "rubbish").write_bytes(bytes(100_000))
        (copy / "sub" / "file").unlink()

    assert differences(then, look(copy)) == []


def test_the_second_copy_writes_nothing(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint = saved(ws)
    with copy_of(ws, checkpoint) as copy:
        inodes = {path: path.stat().st_ino for path in copy.rglob("*")}
    with copy_of(ws, checkpoint) as copy:
        assert {path: path.stat().st_ino for path in copy.rglob("*")} == inodes


def test_setting_right_costs_what_differs(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint = saved(ws)
    with copy_of(ws, checkpoint) as copy:
        inodes = {path.name: path.stat().st_ino for path in copy.rglob("*")}
        (copy / "marker").write_text("changed")
    with copy_of(ws, checkpoint) as copy:
        again = {path.name: path.stat().st_ino for path in copy.rglob("*")}

    assert (copy / "marker").read_text() == "first"
    assert {name for name in inodes if again[name] != inodes[name]} <= {"marker"}


def test_links_made_in_a_copy_are_undone(ws: Workspace, project: Path, tmp_path: Path) -> None:
    small(project)
    os.link(project / "marker", project / "twin")
    checkpoint, then = saved(ws), look(project)
    with copy_of(ws, checkpoint) as copy:
        os.link(copy / "sub" / "file", tmp_path / "a name outside")
        os.unlink(copy / "twin")
        (copy / "twin").write_text("first")
        os.link(copy / "sub" / "script", copy / "sub" / "second name")
    with copy_of(ws, checkpoint) as copy:
        assert differences(then, look(copy)) == []
        assert (copy / "sub" / "file").stat().st_nlink == 1


def test_what_the_rules_exclude_does_not_outlive_its_user(ws: Workspace, project: Path) -> None:
    small(project)
    ws.settings.set("exclude", "build")
    (project / "build").mkdir()
    checkpoint = saved(ws)
    with copy_of(ws, checkpoint) as copy:
        assert not (copy / "build").exists()
        (copy / "build").mkdir()
        (copy / "build" / "output").write_text("of an earlier run")
    with copy_of(ws, checkpoint) as copy:
        assert not (copy / "build").exists()


def test_two_at_once_get_a_copy_each(ws: Workspace, project: Path) -> None:
    small(project)
    checkpoint, then = saved(ws), look(project)
    with copy_of(ws, checkpoint) as one, copy_of(ws, checkpoint) as two:
        assert one != two
        (one / "marker").write_text("mine")

        assert differences(then, look(two)) == []


def test_equal_states_share_a_copy_only_if_they_are_linked_alike(
    ws: Workspace, project: Path
) -> None:
    small(project)
    (project / "a").write_text("same")
    (project / "b").write_text("same")
    os.utime(project / "b", ns=(0, (project / "a").stat().st_mtime_ns))
    apart = saved(ws)
    os.unlink(project / "b")
    os.link(project / "a", project / "b")
    os.utime(project, ns=(0, 10**18))
    with copy_of(ws, apart) as copy:
        assert (copy / "a").stat().st_nlink == 1
    with copy_of(ws, saved(ws)) as copy:
        assert (copy / "a").stat().st_nlink == 2


@needs_root
def test_a_frozen_directory_is_mended_in_place(on_ext4: Path) -> None:
    project = on_ext4 / "project"
    project.mkdir()
    small(project)
    subprocess.run(["chattr", "+i", project / "sub"], check=True)
    with opening.open(project, store=on_ext4 / "store", create=True) as ws:
        checkpoint, then = saved(ws), look(project)
        with copy_of(ws, checkpoint) as copy:
            (copy.parent / "still the same").touch()
            subprocess.run(["chattr", "-i", copy / "sub"], check=True)
            (copy / "sub" / "file").unlink()
            subprocess.run(["chattr", "+i", copy / "sub"], check=True)
        with copy_of(ws, checkpoint) as copy:
            assert differences(then, look(copy)) == []
            assert (copy.parent / "still the same").exists()


# As an overlay


@needs_root
def test_for_root_a_copy_is_an_overlay_whose_base_nobody_changes(on_ext4: Path) -> None:
    require_overlays(on_ext4)
    project = on_ext4 / "project"
    project.mkdir()
    small(project)
    project.chmod(0o2751)
    os.chown(project, 12, 34)
    os.setxattr(project, "user.note", b"1")
    os.utime(project, ns=(0, 1_700_000_000_123_456_789))
    with opening.open(project, store=on_ext4 / "store", create=True) as ws:
        checkpoint, then = saved(ws), look(project)
        for _ in range(2):
            with throwaway_copy(ws._access.context, checkpoint, Monitor()) as copy:
                assert isinstance(copy, OverlayCopy)
                with mounted(copy) as merged:
                    assert differences(then, look(merged)) == []
                    wreck.empty(merged)
                    assert os.listdir(merged) == []
                assert differences(then, look(os.fsdecode(copy.base))) == []
            assert not os.path.exists(copy.upper)


@needs_root
def test_users_of_one_overlay_base_do_not_see_each_other(on_ext4: Path) -> None:
    require_overlays(on_ext4)
    (on_ext4 / "project").mkdir()
    small(on_ext4 / "project")
    with opening.open(on_ext4 / "project", store=on_ext4 / "store", create=True) as ws:
        checkpoint = saved(ws)
        with (
            throwaway_copy(ws._access.context, checkpoint, Monitor()) as one,
            throwaway_copy(ws._access.context, checkpoint, Monitor()) as two,
        ):
            assert isinstance(one, OverlayCopy)
            assert isinstance(two, OverlayCopy)
            assert one.base == two.base
            with mounted(one) as first, mounted(two) as second:
                (first / "marker").write_text("mine")

                assert (second / "marker").read_text() == "first"


@needs_root
def test_what_an_overlay_cannot_show_is_a_whole_copy(on_ext4: Path) -> None:
    (on_ext4 / "project").mkdir()
    small(on_ext4 / "project")
    subprocess.run(["chattr", "+i", on_ext4 / "project" / "marker"], check=True)
    with opening.open(on_ext4 / "project", store=on_ext4 / "store", create=True) as ws:
        checkpoint, then = saved(ws), look(on_ext4 / "project")
        for _ in range(2):
            with throwaway_copy(ws._access.context, checkpoint, Monitor()) as copy:
                assert isinstance(copy, FullCopy)
                assert differences(then, look(os.fsdecode(copy.directory))) == []


@needs_root
def test_where_no_overlay_can_be_mounted_a_copy_is_whole(project: Path, store: Path) -> None:
    small(project)

    def body() -> bool:
        with (
            opening.open(project, store=store, create=True) as ws,
            throwaway_copy(ws._access.context, saved(ws), Monitor()) as copy,
        ):
            return isinstance(copy, FullCopy)

    assert while_refused(body, Refusal("mount", errno.EPERM))


@needs_root
def test_a_base_that_was_given_away_whole_is_right_before_it_is_a_base_again(
    on_ext4: Path,
) -> None:
    require_overlays(on_ext4)
    (on_ext4 / "project").mkdir()
    small(on_ext4 / "project")
    with opening.open(on_ext4 / "project", store=on_ext4 / "store", create=True) as ws:
        checkpoint, then = saved(ws), look(on_ext4 / "project")

        def die_with_a_changed_copy() -> None:
            with (
                opening.open(on_ext4 / "project", store=on_ext4 / "store") as own,
                copy_of(own, checkpoint) as copy,
            ):
                (copy / "marker").write_text("changed")
                cut()

        cut_short(die_with_a_changed_copy)
        with throwaway_copy(ws._access.context, checkpoint, Monitor()) as copy:
            assert isinstance(copy, OverlayCopy)
            assert differences(then, look(os.fsdecode(copy.base))) == []
        assert len(slots(ws)) == 1


# As an ordinary user


@needs_root
def test_an_ordinary_user_gets_whole_copies_and_hears_what_they_lack(open_place: Path) -> None:
    project = open_place / "project"
    project.mkdir()
    small(project)
    (project / "of root").write_text("readable by all")
    for path in (project, project / "sub", *project.glob("sub/*"), project / "marker"):
        os.chown(path, NOBODY, NOBODY)

    def body() -> tuple[list[str], list[str], list[str]]:
        monitor, work = RecordingMonitor(), Work()
        with opening.open(project, store=open_place / "store", create=True) as ws:
            checkpoint = saved(ws)
            with throwaway_copy(ws._access.context, checkpoint, monitor) as first:
                assert isinstance(first, FullCopy)
                wrong = differences(look(project), look(os.fsdecode(first.directory)))
            with throwaway_copy(ws._access.context, checkpoint, work) as second:
                assert second == first
        return wrong, monitor.notices, [str(done) for done in work.written]

    wrong, notices, written = forked(body, uid=NOBODY)
    assert [line.split(":")[0] for line in wrong] == ["b'of root'"]
    assert notices == ["1 paths could not be copied exactly, the first: of root"]
    assert written == []


@needs_root
def test_what_an_ordinary_user_shut_is_opened_and_made_again(open_place: Path) -> None:
    project = open_place / "project"
    project.mkdir()
    os.chown(project, NOBODY, NOBODY)

    def body() -> list[str]:
        small(project)
        with opening.open(project, store=open_place / "store", create=True) as ws:
            checkpoint = saved(ws)
            with copy_of(ws, checkpoint) as copy:
                (copy / "sub" / "file").unlink()
                (copy / "sub").chmod(0)
                (copy / "marker").chmod(0)
            with copy_of(ws, checkpoint) as copy:
                return differences(look(project), look(copy))

    assert forked(body, uid=NOBODY) == []
