"""Forks are found by what people call them, and told how far they have come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.errors import AmbiguousFork, UnknownFork
from clew.model.checkpoint import ForkInfo
from clew.model.fork_results import Directory
from clew.monitor import Monitor
from clew.operations.forks.create_fork import Seed, create_fork
from clew.operations.forks.fork import grow_without_directory
from clew.operations.forks.list_forks import find_fork, fork_tip
from clew.workspace import Workspace
from tests.operations.copies.copying import grown, saved, small, work_in_fork

__all__ = ["grown"]


def tip(ws: Workspace, fork: ForkInfo) -> bytes:
    checkpoint = fork_tip(ws._access.context, fork, Monitor())
    assert checkpoint.record.workspace == fork.workspace
    return checkpoint.id


# Finding


def test_a_fork_is_found_by_name_id_or_directory(
    ws: Workspace, grown: ForkInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("login")
    words = ["login", grown.workspace.hex(), grown.workspace.hex()[:4].upper()]
    words += [str(tmp_path / "login"), "./login", "link"]

    assert {find_fork(ws._access.context, word) for word in words} == {grown}


@pytest.mark.parametrize("text", ["", "nothing", "log", "/", "\0", "project"])
def test_anything_else_is_unknown(
    ws: Workspace, grown: ForkInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownFork):
        find_fork(ws._access.context, text)


def test_a_name_counts_more_than_an_id(ws: Workspace, project: Path) -> None:
    base = saved(ws)
    one = grow_without_directory(ws._access.context, base, "one")
    named = ws._access.store.forks.get(one.uuid)
    assert named is not None
    ws._access.store.forks.remove(one.uuid)
    two = grow_without_directory(ws._access.context, base, "two")
    ws._access.store.forks.add(named._replace(name=two.uuid.hex()[:8]))

    assert find_fork(ws._access.context, two.uuid.hex()[:8]).workspace == one.uuid
    assert find_fork(ws._access.context, two.uuid.hex()[:9]).workspace == two.uuid


def test_digits_that_mean_two_forks_name_both(ws: Workspace, project: Path) -> None:
    base = saved(ws)
    for number in range(2):
        uuid = bytes.fromhex("abcd0000") + bytes([number]) * 12
        create_fork(ws._access.context, base, Seed(uuid, f"way-{number + 1}"))

    with pytest.raises(AmbiguousFork, match=r"'abcd': 'way-2', 'way-1'"):
        find_fork(ws._access.context, "abcd")


def test_forks_of_another_workspace_are_not_ours(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with opening.open(tmp_path / "other", store=store, create=True) as other:
        assert other.forks.list() == ()
        with pytest.raises(UnknownFork):
            find_fork(other._access.context, "login")


# The newest state


def test_the_tip_is_where_the_fork_is(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    first = tip(ws, grown)
    work_in_fork(tmp_path, store, "sessions")
    with opening.open(tmp_path / "login", store=store) as own:
        here = own.resolve("@").id
        assert own.resolve("@~1").id == first

    assert tip(ws, grown) == here
    assert tip(ws, grown) == here


def test_unsaved_work_is_saved_in_the_forks_own_timeline_first(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    timeline = ws.log().checkpoints
    work_in_fork(tmp_path, store, "not saved yet", save=False)
    found = tip(ws, grown)

    with opening.open(tmp_path / "login", store=store) as own:
        newest, first = own.log().checkpoints
        assert (newest.id, newest.record.parent) == (found, first.id)
        assert newest.record.origin == "automatic"
        assert newest.labels.intent == "state when compared or adopted"
        assert own.status().changes == ()
    assert ws.log().checkpoints == timeline


def test_what_the_base_did_not_cover_is_no_news(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    ws.settings.set("exclude", "build")
    (project / "build").mkdir()
    saved(ws)
    fork = ws.forks.create("@", str(tmp_path / "login")).fork
    first = tip(ws, fork)

    assert tip(ws, fork) == first
    with opening.open(tmp_path / "login", store=store) as own:
        assert len(own.log().checkpoints) == 1


def test_a_fork_whose_directory_is_gone_still_has_its_history(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    work_in_fork(tmp_path, store, "sessions")
    (tmp_path / "login").rename(tmp_path / "elsewhere")
    (tmp_path / "login").mkdir()  # another one, which is not the fork's
    (standing,) = ws.forks.list()

    assert standing.directory == Directory.MISSING
    assert standing.here is not None
    assert tip(ws, grown) == standing.here.id


# Listing


def test_forks_are_told_from_where_they_came(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    ws.forks.create("@", name="second")
    work_in_fork(tmp_path, store, "sessions")
    work_in_fork(tmp_path, store, "first")  # as it was
    work_in_fork(tmp_path, store, "tokens")
    newest, oldest = ws.forks.list()

    assert (newest.fork.name, newest.is_changed) == ("second", False)
    assert (oldest.fork.name, oldest.is_changed) == ("login", True)
    assert oldest.base is not None
    assert oldest.base.labels.intent == "before auth"
    assert oldest.here is not None
    assert "marker" in (oldest.here.headline or "")
    assert {newest.directory, oldest.directory} == {Directory.PRESENT}


def test_a_fork_whose_base_was_deleted_is_listed(
    ws: Workspace, grown: ForkInfo, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project, "later")
    saved(ws)
    ws.delete([grown.base.hex()])
    (before,) = ws.forks.list()
    work_in_fork(tmp_path, store, "sessions")
    (standing,) = ws.forks.list()

    assert (before.base, before.is_changed) == (None, False)
    assert (standing.base, standing.is_changed) == (None, True)
    assert standing.here is not None
    assert "marker" in (standing.here.headline or "")
    assert ws.store.check(read_data=True).whole


# Upkeep


def test_pruning_keeps_what_a_fork_began_with(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    for number in range(30):
        work_in_fork(tmp_path, store, f"step {number}")
    with opening.open(tmp_path / "login", store=store) as own:
        first = own.log().checkpoints[-1]
        result = own.prune(keep_last=1, keep_within="0s")
        left = own.log().checkpoints

        assert first.record.parent == grown.base
        assert first.id in {one.id for one in left}
        assert dict(result.kept)["fork"] == 1
        assert len(left) < 31


def test_a_collection_drops_copies_and_what_killed_forks_left(
    ws: Workspace, grown: ForkInfo, store: Path, tmp_path: Path
) -> None:
    from clew.operations.copies.copies import throwaway_copy

    with throwaway_copy(ws._access.context, ws.resolve("@"), Monitor()):
        pass
    assert [name for name in os.listdir(store / "copies") if "+" in name]
    notes = ws.store.gc().notes

    assert [name for name in os.listdir(store / "copies") if "+" in name] == []
    assert "1 cached copy was removed" in notes
    assert (tmp_path / "login" / "marker").exists()
