"""Which workspace a directory belongs to, and which store keeps its history."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clew import opening
from clew.errors import (
    BadOption,
    ExplicitPathRequired,
    NotAStore,
    NotAWorkspace,
    OutsideWorkspace,
    UnknownWorkspace,
    UsageError,
    WorkspaceMoved,
)
from clew.model.entry import Reason
from clew.operations.find_workspace import relative_path
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save


@pytest.fixture(autouse=True)
def no_store_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a real home out of it."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLEW_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    return FakeHost(machine_store=str(tmp_path / "machine"))


def where(path: Path, store: Path | None = None) -> str:
    with opening.open(path, store=store) as found:
        return os.fsdecode(found.info.path)


# The nearest


def test_a_workspace_is_found_from_below(ws: Workspace, project: Path, store: Path) -> None:
    (project / "a" / "b").mkdir(parents=True)

    assert where(project / "a" / "b", store) == str(project)


def test_the_nearest_of_nested_workspaces_is_meant(
    ws: Workspace, project: Path, store: Path
) -> None:
    (project / "inner" / "deep").mkdir(parents=True)
    inner, is_new = opening.init(project / "inner", store)
    inner.close()

    assert is_new
    assert where(project / "inner" / "deep", store) == str(project / "inner")
    assert where(project, store) == str(project)


def test_a_symlink_on_the_way_is_resolved(
    ws: Workspace, project: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (tmp_path / "link").symlink_to(project / "sub")

    assert where(tmp_path / "link", store) == str(project)
    monkeypatch.chdir(tmp_path / "link")
    assert where(Path(), store) == str(project)


def test_a_directory_in_no_workspace_is_refused_unless_it_may_become_one(
    ws: Workspace, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(NotAWorkspace):
        opening.open(tmp_path / "other", store=store)

    with opening.open(tmp_path / "other", store=store, create=True) as made:
        assert made.is_new
        assert save(made)


def test_a_workspace_whose_directory_is_gone_is_still_found(
    ws: Workspace, project: Path, store: Path
) -> None:
    project.rmdir()

    assert where(project, store) == str(project)


def test_neighbours_with_a_common_beginning_are_strangers(
    ws: Workspace, project: Path, store: Path
) -> None:
    project.with_name("project-2").mkdir()
    with pytest.raises(NotAWorkspace):
        opening.open(project.with_name("project-2"), store=store)


@pytest.mark.parametrize("what", ["nowhere", "file"])
def test_only_a_directory_becomes_a_workspace(tmp_path: Path, what: str) -> None:
    (tmp_path / "file").write_text("x")

    for make in (opening.init, lambda p, s: opening.open(p, s, create=True)):
        with pytest.raises(UsageError, match="irectory"):
            make(tmp_path / what, tmp_path / "store")

    assert not (tmp_path / "store").exists()


# Moved


def test_a_moved_workspace_is_recognised_and_attached(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    (project / "sub").mkdir()
    (project / "file").write_text("1")
    first = save(ws)
    project.rename(tmp_path / "moved")

    with pytest.raises(WorkspaceMoved) as refused:
        opening.open(tmp_path / "moved" / "sub", store=store, create=True)
    assert refused.value.registered_path == str(project)
    attached, is_new = opening.init(tmp_path / "moved", store, attach=refused.value.workspace[:8])
    with attached:
        (tmp_path / "moved" / "file").write_text("2")
        attached.restore(first)

    assert not is_new
    assert (tmp_path / "moved" / "file").read_text() == "1"
    assert where(tmp_path / "moved", store) == str(tmp_path / "moved")


def test_a_clone_is_attached_by_the_path_of_the_original(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    save(ws)
    (tmp_path / "clone").mkdir()

    with opening.init(tmp_path / "clone", store, attach=str(project))[0] as attached:
        assert attached.info.uuid == ws.info.uuid


@pytest.mark.parametrize("text", ["nope", "", "abc"])
def test_attaching_what_is_not_known_is_refused(
    ws: Workspace, project: Path, store: Path, text: str
) -> None:
    with pytest.raises(UnknownWorkspace):
        opening.init(project, store, attach=text)


def test_attaching_needs_a_store(project: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAStore):
        opening.init(project, tmp_path / "no store", attach="abcdef")


def test_attaching_over_another_workspace_does_not_leave_two_at_one_path(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    """Whichever is found later, the other's history would be out of reach."""
    save(ws)
    (tmp_path / "other").mkdir()
    other, _ = opening.init(tmp_path / "other", store)
    other.close()

    try:
        opening.init(tmp_path / "other", store, attach=str(project))[0].close()
    except UsageError:
        pass

    paths = [info.path for info in ws._access.store.workspaces.all()]
    assert len(paths) == len(set(paths))


def test_a_new_directory_is_not_taken_for_a_deleted_one(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    """Filesystems give the inode number of a deleted directory to the next one that is made."""
    save(ws)
    shutil.rmtree(project)
    (tmp_path / "unrelated").mkdir()
    (tmp_path / "unrelated" / "file").write_text("x")

    with opening.open(tmp_path / "unrelated", store=store, create=True) as made:
        assert made.info.uuid != ws.info.uuid


def test_another_directory_at_the_same_path_is_said(ws: Workspace, project: Path) -> None:
    from clew.monitor import RecordingMonitor

    save(ws)
    os.rename(project, project.with_name("set aside"))
    project.mkdir()
    monitor = RecordingMonitor()

    ws.save("again", monitor=monitor)

    assert any("replaced" in text for text in monitor.notices)


# Guarded


@pytest.mark.parametrize("what", ["home", "/"])
def test_home_and_root_become_workspaces_only_when_named(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "home" if what == "home" else Path("/")
    monkeypatch.chdir(place)

    with pytest.raises(ExplicitPathRequired):
        opening.open(".", store=tmp_path / "store", create=True)
    with pytest.raises(ExplicitPathRequired):
        opening.open(place, store=tmp_path / "store", create=True)
    with pytest.raises(ExplicitPathRequired):
        opening.init(store=tmp_path / "store")

    assert not (tmp_path / "store").exists()


def test_home_may_be_named(tmp_path: Path) -> None:
    with opening.init(tmp_path / "home", tmp_path / "store")[0] as made:
        assert made.info.path == os.fsencode(tmp_path / "home")


def test_init_twice_is_the_same_workspace(project: Path, store: Path) -> None:
    first, was_new = opening.init(project, store, exclude=["*.log"])
    second, is_new = opening.init(project, store, exclude=["*.tmp", "*.log"])

    assert (was_new, is_new) == (True, False)
    assert first.info.uuid == second.info.uuid
    assert second.settings.all()["exclude"] == "*.log\n*.tmp"
    first.close()
    second.close()


@pytest.mark.parametrize("pattern", ["", "!x", "a//b", "x\ny", "..", "x[", "[z-a]"])
def test_a_bad_exclude_is_refused(project: Path, store: Path, pattern: str) -> None:
    with pytest.raises(BadOption):
        opening.init(project, store, exclude=[pattern])


def test_making_a_known_workspace_a_machine_is_not_ignored(ws: Workspace, store: Path) -> None:
    """Either it becomes one, or that is refused; saying nothing is neither."""
    try:
        opened, _ = opening.init(os.fsdecode(ws.info.path), store, machine=True)
    except UsageError:
        return
    with opened:
        assert opened.info.machine


# The store


def test_a_store_inside_the_workspace_is_left_out_and_said(project: Path) -> None:
    (project / "file").write_text("x")
    with opening.open(project, store=project / "sub" / "store", create=True) as ws:
        first = ws.save().checkpoint
        (project / "file").write_text("y")
        ws.restore(first.id.hex())
        assert len(ws.log().checkpoints) == 2

    uncovered = first.record.coverage.uncovered
    assert [(item.path, item.reason) for item in uncovered] == [(b"sub/store", Reason.STORE)]
    assert (project / "file").read_text() == "x"


def test_a_store_reached_through_a_symlink_is_left_out_too(project: Path) -> None:
    (project / "real").mkdir()
    (project / "link").symlink_to("real")
    with opening.open(project, store=project / "link" / "store", create=True) as ws:
        coverage = ws.save().checkpoint.record.coverage

    assert [item.path for item in coverage.uncovered] == [b"real/store"]


def test_the_store_is_where_the_environment_says(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opening.open(project, create=True) as ws:
        assert ws.store.path == str(tmp_path / "home" / ".local" / "share" / "clew")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with opening.open(project, create=True) as ws:
        assert ws.store.path == str(tmp_path / "data" / "clew")
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "named"))
    with opening.open(project, create=True) as ws:
        assert ws.store.path == str(tmp_path / "named")
    with opening.open(project, tmp_path / "given", create=True) as ws:
        assert ws.store.path == str(tmp_path / "given")


def test_a_machine_has_a_store_of_its_own_and_is_found_in_it(
    project: Path, tmp_path: Path, host: FakeHost
) -> None:
    with opening.init(project, machine=True, host=host)[0] as made:
        assert made.store.path == str(tmp_path / "machine")
        assert made.info.machine

    with opening.open(project, host=host) as found:
        assert found.store.path == str(tmp_path / "machine")


@pytest.mark.parametrize("name", ["st\udcffre", "a%20b", "what?x=1", "c#", "\n", "caf\u00e9"])
def test_a_store_may_have_any_name(project: Path, tmp_path: Path, name: str) -> None:
    for _ in range(2):
        with opening.open(project, store=f"{tmp_path}/{name}", create=True) as ws:
            assert save(ws)

    assert (tmp_path / name / "catalog.db").exists()
    assert (tmp_path / name / "cache").is_dir()


def test_a_store_path_with_two_slashes_in_front_is_a_path(project: Path, tmp_path: Path) -> None:
    with opening.open(project, store=f"/{tmp_path}/store", create=True) as ws:
        assert save(ws)


# Paths that are given


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file", b"sub/file"),
        ("./file/", b"sub/file"),
        ("../other", b"other"),
        ("..", b""),
        ("", b"sub"),
        ("name \udcff", b"sub/name \xff"),
    ],
)
def test_a_path_is_relative_to_where_we_are(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: bytes
) -> None:
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")

    assert relative_path(ws.info, text) == expected


def test_a_path_through_a_symlink_to_the_workspace_is_found(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(project)
    (project / "pointer").symlink_to("/etc")

    assert relative_path(ws.info, str(tmp_path / "link" / "file")) == b"file"
    assert relative_path(ws.info, str(tmp_path / "link" / "pointer")) == b"pointer"


@pytest.mark.parametrize("text", ["/", "/etc", "../..", "../project-2"])
def test_a_path_outside_is_refused(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(OutsideWorkspace):
        relative_path(ws.info, text)


def test_a_bad_exclude_makes_no_store(project: Path, tmp_path: Path) -> None:
    with pytest.raises(BadOption):
        opening.init(project, tmp_path / "none", exclude=["../x"])

    assert not (tmp_path / "none").exists()
