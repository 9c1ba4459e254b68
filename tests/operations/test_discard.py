"""A fork is let go without harm to anything else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clew import opening
from clew.errors import ForkHasChanges, UnknownFork
from clew.model.checkpoint import ForkInfo
from clew.operations import discard as discarding
from clew.workspace import Workspace
from tests.kit.walker import differences, look
from tests.operations.copying import grown, saved, small, work_in_fork
from tests.operations.forked import cut, cut_short

__all__ = ["grown"]


def test_a_fork_that_is_as_it_began_goes_at_once(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    before = look(tmp_path / "login")
    result = ws.discard("login")

    assert (result.checkpoints, result.removed, result.kept_because) == (1, False, "")
    assert ws.forks() == ()
    assert differences(before, look(tmp_path / "login")) == []
    with pytest.raises(UnknownFork):
        ws.discard("login")


@pytest.mark.parametrize("save", [True, False])
def test_a_fork_with_changes_needs_a_yes(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path, save: bool
) -> None:
    work_in_fork(tmp_path, store, "sessions", save=save)
    with pytest.raises(ForkHasChanges):
        ws.discard("login", files=True)

    assert len(ws.forks()) == 1
    assert ws.discard("login", files=True, force=True).removed
    assert not (tmp_path / "login").exists()


def test_a_fork_that_came_back_to_its_beginning_still_holds_work(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    work_in_fork(tmp_path, store, "sessions")
    work_in_fork(tmp_path, store, "first")

    with pytest.raises(ForkHasChanges):
        ws.discard("login")


def test_a_managed_fork_goes_with_its_directory(ws: Workspace, project: Path) -> None:
    small(project)
    saved(ws)
    place = Path(os.fsdecode(ws.fork("@", name="mine").workspace.path))
    cached = set(os.listdir(Path(ws.store_path) / "cache"))
    result = ws.discard("mine")

    assert result.removed
    assert not place.exists()
    assert len(os.listdir(Path(ws.store_path) / "cache")) < len(cached)
    assert os.listdir(Path(ws.store_path) / "forks") == []


def test_what_a_fork_held_is_freed_by_the_next_collection(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "login" / "noise").write_bytes(os.urandom(2_000_000))
    work_in_fork(tmp_path, store, "sessions")
    ws.discard("login", force=True)
    freed = ws.gc().freed_bytes

    assert freed > 1_900_000
    assert ws.check(read_data=True).whole


def test_a_directory_that_is_another_one_by_now_is_never_removed(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    (tmp_path / "login").rename(tmp_path / "moved")
    (tmp_path / "login").mkdir()
    (tmp_path / "login" / "precious").write_text("not the fork's")
    result = ws.discard("login", files=True)

    assert not result.removed
    assert result.kept_because == "it is not the directory that the fork had"
    assert (tmp_path / "login" / "precious").exists()
    assert (tmp_path / "moved" / "marker").exists()
    assert ws.forks() == ()


def test_a_directory_that_got_the_same_inode_number_is_never_removed(
    ws: Workspace, grown: ForkInfo, on_ext4: Path
) -> None:
    place = on_ext4 / "fork"
    inode = ws.fork("@", str(place)).workspace.inode
    shutil.rmtree(place)
    place.mkdir()
    if place.stat().st_ino != inode:
        pytest.skip("this filesystem gave it another number")
    (place / "precious").write_text("not the fork's")
    result = ws.discard("fork", files=True, force=True)

    assert result.kept_because == "it is not the directory that the fork had"
    assert (place / "precious").exists()


def test_a_link_in_its_place_is_never_followed(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    (tmp_path / "login").rename(tmp_path / "moved")
    (tmp_path / "login").symlink_to("moved")  # which has the right inode
    result = ws.discard("login", files=True)

    assert not result.removed
    assert (tmp_path / "moved" / "marker").exists()
    assert (tmp_path / "login").is_symlink()


def test_a_directory_in_which_something_else_lives_stays(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "login" / "nested").mkdir()
    with opening.open(tmp_path / "login" / "nested", store=store) as found:
        assert found.info.path == os.fsencode(tmp_path / "login")
    opening.init(tmp_path / "login" / "nested", store)[0].close()
    result = ws.discard("login", files=True, force=True)

    assert result.kept_because == "another workspace is in it"
    assert (tmp_path / "login" / "nested").is_dir()


def test_the_forks_of_a_fork_that_goes_are_its_sources(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    ws.fork("@", name="inner")
    with opening.open(tmp_path / "login", store=store) as own:
        own.fork("@", name="inner")
    ws.discard("login")

    assert [standing.fork.name for standing in ws.forks()] == ["inner-2", "inner"]
    assert all(standing.here is not None for standing in ws.forks())


@pytest.mark.parametrize("step", ["_forget", "remove_place"])
def test_a_killed_discard_discards_or_does_not(
    ws: Workspace,
    grown: ForkInfo,
    project: Path,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    before = look(tmp_path / "login")

    def die() -> None:
        monkeypatch.setattr(discarding, step, cut)
        with opening.open(project, store=store) as own:
            own.discard("login", files=True)

    cut_short(die)
    ws.fork("@", name="next")
    names = [standing.fork.name for standing in ws.forks()]
    if step == "_forget":
        assert names == ["next", "login"]
        assert differences(before, look(tmp_path / "login")) == []
    else:
        assert names == ["next"]
        assert not (tmp_path / "login").exists()
    assert ws.check(read_data=True).whole
