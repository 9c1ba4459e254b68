"""Where a fork may grow, and what it may be called."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadForkDirectory, BadForkName, BadOption
from clew.model.fork_results import Directory
from clew.workspace import Workspace
from tests.kit import filesystems
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.copies.copying import fork_rows, saved, small


def test_a_fork_is_called_as_its_directory_or_by_a_number(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    small(project)
    saved(ws)
    (tmp_path / "deep").mkdir()
    names = [
        ws.forks.create("@", str(tmp_path / "login")).fork.name,
        ws.forks.create("@", str(tmp_path / "deep" / "login")).fork.name,
        ws.forks.create("@", str(tmp_path / "deadbeef")).fork.name,
        ws.forks.create("@").fork.name,
        ws.forks.create("@").fork.name,
        ws.forks.create("@", name="mine").fork.name,
    ]

    assert names == ["login", "login-2", "fork-1", "fork-2", "fork-3", "mine"]


@pytest.mark.parametrize("name", ["", "a/b", ".hidden", "latest", "@", "cafe1234", "x" * 300])
def test_a_name_that_means_something_else_is_refused(
    ws: Workspace, project: Path, name: str
) -> None:
    saved(ws)
    before = fork_rows(ws)

    with pytest.raises(BadForkName):
        ws.forks.create("@", name=name)

    assert fork_rows(ws) == before


def test_a_name_is_given_once(ws: Workspace, project: Path, tmp_path: Path) -> None:
    saved(ws)
    ws.forks.create("@", name="mine")
    before = fork_rows(ws)

    with pytest.raises(BadForkName, match="name in use"):
        ws.forks.create("@", str(tmp_path / "other"), name="mine")

    assert fork_rows(ws) == before
    assert not (tmp_path / "other").exists()


# Places


def test_without_a_directory_the_files_are_in_the_store(ws: Workspace, project: Path) -> None:
    small(project)
    saved(ws)
    result = ws.forks.create("@", name="mine")

    place = Path(os.fsdecode(result.workspace.path))
    assert place == Path(ws.store.path) / "forks" / "mine"
    assert result.fork.managed
    assert differences(look(project), look(place)) == []
    assert place.parent.stat().st_mode & 0o777 == 0o700


def test_a_directory_in_the_store_that_somebody_has_is_not_taken(
    ws: Workspace, project: Path, store: Path
) -> None:
    small(project)
    saved(ws)
    (store / "forks" / "mine").mkdir()  # of a fork of another workspace, say
    result = ws.forks.create("@", name="mine")

    assert result.fork.name == "mine"
    assert result.workspace.path == os.fsencode(store / "forks" / "mine-2")
    assert os.listdir(store / "forks" / "mine") == []


def test_what_comes_to_be_there_meanwhile_stays(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost
) -> None:
    small(project)
    saved(ws)

    def create_it_too() -> None:
        (tmp_path / "fork").mkdir()
        (tmp_path / "fork" / "precious").write_text("of somebody else")

    with host.at("fork.move", create_it_too), pytest.raises(BadForkDirectory, match="meanwhile"):
        ws.forks.create("@", str(tmp_path / "fork"))

    assert os.listdir(tmp_path / "fork") == ["precious"]
    assert ws.forks.list() == ()
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


def test_a_fork_without_a_directory_gets_one(ws: Workspace, project: Path, tmp_path: Path) -> None:
    small(project)
    saved(ws)
    ws.try_commands("@", {"a": "echo tried > new"})
    written = ws.forks.create("fork:a", str(tmp_path / "a"))
    (tmp_path / "a" / "newer").write_text("more")
    again = opening.open(tmp_path / "a", store=ws.store.path)

    assert written.fork.workspace == again.info.uuid
    assert (written.fork.name, written.fork.managed) == ("a", False)
    assert (tmp_path / "a" / "new").read_text() == "tried\n"
    assert again.diff().changes[0].path == b"newer"
    again.close()
    with pytest.raises(BadOption, match="has a directory already"):
        ws.forks.create("fork:a", str(tmp_path / "b"))
    ws.forks.adopt("a")
    assert (project / "newer").read_text() == "more"
    assert ws.forks.discard("a", files=True, force=True).removed


@pytest.mark.parametrize("point", ["fork.write", "fork.move", "fork.record"])
def test_a_directory_that_cannot_be_written_leaves_nothing_and_the_fork_as_it_was(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost, point: str
) -> None:
    small(project)
    saved(ws)
    ws.try_commands("@", {"a": "echo tried > new"})

    def fail() -> None:
        raise OSError(5, "Input/output error")

    for place in (str(tmp_path / "a"), None):
        with host.at(point, fail), pytest.raises(OSError, match="Input/output"):
            ws.forks.create("fork:a", place)

    assert [status.directory for status in ws.forks.list()] == [Directory.NONE]
    assert not (tmp_path / "a").exists()
    assert [name for name in os.listdir(tmp_path) if name.startswith(".clew")] == []
    assert os.listdir(Path(ws.store.path) / "forks") == []
    assert ws.forks.create("fork:a").fork.managed


def test_a_fork_that_exists_gets_no_other_name(ws: Workspace, project: Path) -> None:
    saved(ws)
    ws.try_commands("@", {"a": "true"})

    with pytest.raises(BadOption, match="--name"):
        ws.forks.create("fork:a", name="b")


def test_a_place_that_gets_in_the_way_is_refused_with_the_reason(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    saved(ws)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(project / "sub")
    (tmp_path / "way in").symlink_to(project)
    (tmp_path / "other").mkdir()
    with opening.open(tmp_path / "other", store=store, create=True):
        pass
    why = {
        project / "inside": "inside the workspace",
        tmp_path / "way in" / "inside": "inside the workspace",
        project: "contains the workspace",
        tmp_path / "link": "inside the workspace",
        tmp_path: "contains (the|another) workspace",
        store: "inside the store",
        store / "inside": "inside the store",
        tmp_path / "full": "not empty",
        tmp_path / "file": "not a directory",
        tmp_path / "missing" / "fork": "parent directory does not exist",
        tmp_path / "other": "another workspace",
        tmp_path / "other" / "inside": "another workspace",
    }
    before, live = fork_rows(ws), look(tmp_path)
    for place, reason in why.items():
        with pytest.raises(BadForkDirectory, match=reason):
            ws.forks.create("@", str(place))

    assert fork_rows(ws) == before
    assert differences(live.without(b"store"), look(tmp_path).without(b"store")) == []


def test_around_a_workspace_whose_directory_is_gone_there_is_no_place(
    tmp_path: Path, store: Path
) -> None:
    project = tmp_path / "above" / "project"
    project.mkdir(parents=True)
    small(project)
    with opening.open(project, store=store, create=True) as ws:
        saved(ws)
        subprocess.run(["rm", "-rf", tmp_path / "above"], check=True)

        with pytest.raises(BadForkDirectory, match="contains the workspace"):
            ws.forks.create("@", str(tmp_path / "above"))
        ws.forks.create("@", str(tmp_path / "beside"))

    assert (tmp_path / "beside" / "marker").read_text() == "first"


def test_a_mount_point_is_no_place(ws: Workspace, project: Path, tmp_path: Path) -> None:
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    saved(ws)
    with (
        filesystems.mounted("tmpfs", tmp_path, 8, "x") as place,
        pytest.raises(BadForkDirectory, match="mount point"),
    ):
        ws.forks.create("@", str(place))
