"""A fork is let go without harm to anything else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clew import opening
from clew.errors import ForkHasChanges, UncapturedFiles, UnknownFork
from clew.model.checkpoint import ForkInfo
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.copies.copying import grown, saved, small, work_in_fork
from tests.operations.forks.forked import NOBODY, cut, cut_short, forked

__all__ = ["grown"]


def test_a_fork_that_is_as_it_began_goes_at_once(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    before = look(tmp_path / "login")
    result = ws.forks.discard("login")

    assert (result.checkpoints, result.removed, result.kept_because) == (1, False, "")
    assert ws.forks.list() == ()
    assert differences(before, look(tmp_path / "login")) == []
    with pytest.raises(UnknownFork):
        ws.forks.discard("login")


@pytest.mark.parametrize("save", [True, False])
def test_a_fork_with_changes_needs_a_yes(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path, save: bool
) -> None:
    work_in_fork(tmp_path, store, "sessions", save=save)
    with pytest.raises(ForkHasChanges):
        ws.forks.discard("login", files=True)

    assert len(ws.forks.list()) == 1
    assert ws.forks.discard("login", files=True, force=True).removed
    assert not (tmp_path / "login").exists()


def test_a_fork_that_came_back_to_its_beginning_still_holds_work(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    work_in_fork(tmp_path, store, "sessions")
    work_in_fork(tmp_path, store, "first")

    with pytest.raises(ForkHasChanges):
        ws.forks.discard("login")


def test_a_managed_fork_goes_with_its_directory(ws: Workspace, project: Path) -> None:
    small(project)
    saved(ws)
    place = Path(os.fsdecode(ws.forks.create("@", name="mine").workspace.path))
    cached = set(os.listdir(Path(ws.store.path) / "cache"))
    result = ws.forks.discard("mine")

    assert result.removed
    assert not place.exists()
    assert len(os.listdir(Path(ws.store.path) / "cache")) < len(cached)
    assert os.listdir(Path(ws.store.path) / "forks") == []


def test_what_a_fork_held_is_freed_by_the_next_collection(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "login" / "noise").write_bytes(os.urandom(2_000_000))
    work_in_fork(tmp_path, store, "sessions")
    ws.forks.discard("login", force=True)
    freed = ws.store.gc().freed_bytes

    assert freed > 1_900_000
    assert ws.store.check(read_data=True).whole


def test_a_directory_that_is_another_one_by_now_is_never_removed(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    (tmp_path / "login").rename(tmp_path / "moved")
    (tmp_path / "login").mkdir()
    (tmp_path / "login" / "precious").write_text("not the fork's")
    result = ws.forks.discard("login", files=True)

    assert not result.removed
    assert result.kept_because == "another directory replaced it"
    assert (tmp_path / "login" / "precious").exists()
    assert (tmp_path / "moved" / "marker").exists()
    assert ws.forks.list() == ()


def test_a_directory_that_got_the_same_inode_number_is_never_removed(
    ws: Workspace, grown: ForkInfo, on_ext4: Path
) -> None:
    place = on_ext4 / "fork"
    inode = ws.forks.create("@", str(place)).workspace.inode
    shutil.rmtree(place)
    place.mkdir()
    if place.stat().st_ino != inode:
        pytest.skip("this filesystem gave it another number")
    (place / "precious").write_text("not the fork's")
    result = ws.forks.discard("fork", files=True, force=True)

    assert result.kept_because == "another directory replaced it"
    assert (place / "precious").exists()


def test_a_link_in_its_place_is_never_followed(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    (tmp_path / "login").rename(tmp_path / "moved")
    (tmp_path / "login").symlink_to("moved")  # which has the right inode
    result = ws.forks.discard("login", files=True)

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
    result = ws.forks.discard("login", files=True, force=True)

    assert result.kept_because == "it contains another workspace"
    assert (tmp_path / "login" / "nested").is_dir()


def test_the_forks_of_a_fork_that_goes_are_its_sources(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    ws.forks.create("@", name="inner")
    with opening.open(tmp_path / "login", store=store) as own:
        own.forks.create("@", name="inner")
    ws.forks.discard("login")

    assert [standing.fork.name for standing in ws.forks.list()] == ["inner-2", "inner"]
    assert all(standing.here is not None for standing in ws.forks.list())


@pytest.mark.parametrize("step", ["discard.move", "discard.forget", "discard.remove"])
def test_a_killed_discard_discards_or_does_not(
    ws: Workspace,
    grown: ForkInfo,
    project: Path,
    store: Path,
    tmp_path: Path,
    host: FakeHost,
    step: str,
) -> None:
    before = look(tmp_path / "login")

    def die() -> None:
        with host.at(step, cut), opening.open(project, store=store, host=host) as own:
            own.forks.discard("login", files=True)

    cut_short(die)
    ws.forks.create("@", name="next")
    names = [standing.fork.name for standing in ws.forks.list()]
    if step != "discard.remove":
        assert names == ["next", "login"]
        assert differences(before, look(tmp_path / "login")) == []
    else:
        assert names == ["next"]
        assert not (tmp_path / "login").exists()
    assert ws.store.check(read_data=True).whole


# What no checkpoint holds


def fork_with_rules(ws: Workspace, project: Path, tmp_path: Path, *, managed: bool) -> Path:
    """Return the directory of a fork that leaves out what can be made again, and a secret."""
    small(project)
    ws.settings.set("exclude", "*.key\nbuild/")
    saved(ws)
    place = None if managed else str(tmp_path / "login")
    return Path(os.fsdecode(ws.forks.create("@", place, name="login").workspace.path))


@pytest.mark.parametrize("managed", [True, False])
def test_excluded_files_are_not_removed_without_a_yes(
    ws: Workspace, project: Path, tmp_path: Path, managed: bool
) -> None:
    place = fork_with_rules(ws, project, tmp_path, managed=managed)
    (place / "my.key").write_text("precious")
    (place / "build").mkdir()
    for number in range(9):
        (place / "build" / f"{number}.o").write_text("x" * 1000)
    before = look(place)
    with pytest.raises(UncapturedFiles) as refused:
        ws.forks.discard("login", files=True)

    assert "would lose 10 files (9.0 kB) not in any checkpoint" in str(refused.value)
    assert "'build/0.o', 'build/1.o'" in str(refused.value)
    assert str(refused.value).endswith(" and 5 more")
    assert differences(before, look(place)) == []
    assert len(ws.forks.list()) == 1
    result = ws.forks.discard("login", files=True, force=True)
    assert (result.removed, result.lost.files, result.lost.total_bytes) == (True, 10, 9008)
    assert not place.exists()


def test_files_stay_where_only_the_history_goes(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    place = fork_with_rules(ws, project, tmp_path, managed=False)
    (place / "my.key").write_text("precious")
    result = ws.forks.discard("login")

    assert (result.removed, result.lost.files) == (False, 0)
    assert (place / "my.key").read_text() == "precious"


def test_more_excluded_files_than_a_record_names_are_all_counted(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    place = fork_with_rules(ws, project, tmp_path, managed=False)
    for number in range(250):
        (place / f"{number}.key").write_text("x")
    with pytest.raises(UncapturedFiles, match=r"250 files \(250 B\)"):
        ws.forks.discard("login", files=True)


def test_a_file_that_could_not_be_read_is_not_removed_without_a_yes(open_place: Path) -> None:
    """As somebody who is not root, who may remove what they may not read."""

    def body() -> tuple[str, bool]:
        home = open_place / "home"
        (home / "project").mkdir(parents=True)
        small(home / "project")
        with opening.open(home / "project", store=home / "store", create=True) as own:
            own.save("one")
            own.forks.create("@", str(home / "fork"))
            (home / "fork" / "shut").write_text("precious")
            (home / "fork" / "shut").chmod(0)
            try:
                own.forks.discard("fork", files=True)
            except (UncapturedFiles, ForkHasChanges) as error:
                return str(error), (home / "fork" / "shut").exists()
            return "", (home / "fork" / "shut").exists()

    said, is_there = forked(body, uid=NOBODY if os.geteuid() == 0 else None)

    assert "shut" in said or "changes" in said
    assert is_there


def test_the_last_that_holds_its_files_needs_a_yes(
    ws: Workspace, grown: ForkInfo, project: Path, tmp_path: Path
) -> None:
    (project / "marker").write_text("moved on")
    saved(ws)
    ws.delete([grown.base.hex()])
    with pytest.raises(ForkHasChanges, match="the last copy of its files"):
        ws.forks.discard("login", files=True)

    assert (tmp_path / "login" / "marker").read_text() == "first"
    assert ws.forks.discard("login", files=True, force=True).removed


def test_what_was_said_in_a_fork_needs_a_yes(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    with opening.open(tmp_path / "login", store=store) as own:
        own.sessions.open(agent="example").say({"role": "user", "content": "hello"})

    with pytest.raises(ForkHasChanges, match="a conversation that would be lost"):
        ws.forks.discard("login")


def test_a_mount_in_it_stops_the_removal_before_anything_goes(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    (tmp_path / "login" / "sub" / "disk").mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "tmpfs", tmp_path / "login" / "sub" / "disk"], check=True
    )
    try:
        (tmp_path / "login" / "sub" / "disk" / "file").write_text("precious")
        result = ws.forks.discard("login", files=True, force=True)

        assert result.kept_because == "it contains a mounted filesystem"
        assert (tmp_path / "login" / "sub" / "disk" / "file").read_text() == "precious"
    finally:
        subprocess.run(["umount", tmp_path / "login" / "sub" / "disk"], check=True)


@pytest.mark.parametrize("name", ["marker", "my.key"])
def test_an_edit_between_the_look_and_the_removal_is_kept(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost, name: str
) -> None:
    """Somebody has the file open, and writes just before the removal begins."""
    place = fork_with_rules(ws, project, tmp_path, managed=False)
    (place / "my.key").write_text("a key")
    with open(place / name, "a") as file:

        def write_first() -> None:
            file.write(", edited")
            file.flush()

        force = name == "my.key"
        if not force:
            (place / "my.key").unlink()
        with host.at("discard.remove", write_first):
            result = ws.forks.discard("login", files=True, force=force)

    assert not result.removed
    assert name in result.kept_because
    assert (place / name).read_text().endswith(", edited")
    assert sorted(os.listdir(place)) == [name]
    assert ws.forks.list() == ()


def test_an_edit_before_the_second_look_keeps_the_fork(
    ws: Workspace, grown: ForkInfo, tmp_path: Path, host: FakeHost
) -> None:
    def edit_first() -> None:
        (tmp_path / "login" / "marker").write_text("edited")

    refused = pytest.raises(ForkHasChanges, match="changed while it was being discarded")
    with host.at("discard.move", edit_first), refused:
        ws.forks.discard("login", files=True)

    assert (tmp_path / "login" / "marker").read_text() == "edited"
    assert len(ws.forks.list()) == 1


def test_a_file_with_two_names_in_it_goes_with_both(
    ws: Workspace, grown: ForkInfo, tmp_path: Path
) -> None:
    os.link(tmp_path / "login" / "marker", tmp_path / "login" / "sub" / "again")

    assert ws.forks.discard("login", files=True, force=True).removed
    assert not (tmp_path / "login").exists()
