"""Workspaces found by name, from anywhere, also when their directory is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew import opening
from clew.errors import AmbiguousWorkspace, ClewError, UnknownWorkspace, WorkspaceMissing
from clew.model.workspace_status import Place, WorkspaceStatus
from tests.kit.running import Clew
from tests.kit.walker import differences, look


def saved(directory: Path, store: Path, text: str = "1") -> Path:
    """Return a workspace at `directory` with one checkpoint."""
    directory.mkdir(parents=True)
    (directory / "file").write_text(text)
    with opening.open(directory, store, create=True) as ws:
        ws.save("first")
    return directory


def listed(store: Path) -> dict[str, WorkspaceStatus]:
    return {one.name: one for one in opening.workspaces(store)}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_every_workspace_is_listed_with_what_became_of_its_directory(
    tmp_path: Path, store: Path
) -> None:
    saved(tmp_path / "here", store, "12345")
    gone = saved(tmp_path / "gone", store)
    replaced = saved(tmp_path / "replaced", store)
    replaced.rename(tmp_path / "elsewhere")
    replaced.mkdir()
    shutil.rmtree(gone)

    found = listed(store)

    assert {name: one.place for name, one in found.items()} == {
        "here": Place.PRESENT,
        "gone": Place.MISSING,
        "replaced": Place.REPLACED,
    }
    assert (found["here"].checkpoints, found["here"].files, found["here"].total_bytes) == (1, 1, 5)


def test_the_workspace_with_the_newest_checkpoint_is_first(tmp_path: Path, store: Path) -> None:
    first = saved(tmp_path / "first", store)
    saved(tmp_path / "second", store)
    with opening.open(first, store) as ws:
        (first / "file").write_text("2")
        ws.save()

    assert [one.name for one in opening.workspaces(store)] == ["first", "second"]


def test_a_fork_says_what_it_comes_from(tmp_path: Path, store: Path) -> None:
    original = saved(tmp_path / "original", store)
    with opening.open(original, store) as ws:
        ws.forks.create("@", str(tmp_path / "copy"), name="other")

    found = listed(store)["other"]

    assert found.fork == "other"
    assert found.source is not None
    assert found.source.path == bytes(original)


def test_a_deleted_project_comes_back_by_name(tmp_path: Path, store: Path) -> None:
    project = saved(tmp_path / "work" / "api", store)
    (project / "src").mkdir(mode=0o750)
    (project / "src" / "app.py").write_text("print(1)")
    with opening.open(project, store) as ws:
        ws.save("second")
    before = look(project)
    shutil.rmtree(tmp_path / "work")  # the directory above it too

    with opening.open_named("api", store) as ws:
        ws.restore("@")

    assert differences(before, look(project)) == []
    assert listed(store)["api"].place == Place.PRESENT
    with opening.open(project / "src", store) as again:
        assert again.diff().changes == ()
        (project / "file").write_text("3")
        assert again.save().created


def test_a_preview_of_a_lost_project_creates_nothing(tmp_path: Path, store: Path) -> None:
    saved(tmp_path / "work" / "api", store)
    shutil.rmtree(tmp_path / "work")

    with opening.open_named("api", store) as ws:
        preview = ws.preview("@")

    assert [one.path for one in preview.created] == [b"file"]
    assert preview.free_bytes > 0
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("name", ["b/api", "/{}/b/api", "{id}"])
def test_a_name_may_be_more_of_the_path_or_an_id(tmp_path: Path, store: Path, name: str) -> None:
    saved(tmp_path / "a" / "api", store)
    wanted = saved(tmp_path / "b" / "api", store)
    identifier = next(
        one.info.text_id for one in opening.workspaces(store) if one.info.path == bytes(wanted)
    )
    text = name.replace("{id}", identifier[:8]).replace("/{}", str(tmp_path))

    with opening.open_named(text, store) as ws:
        assert ws.info.path == bytes(wanted)


def test_an_ambiguous_name_lists_the_candidates(tmp_path: Path, store: Path) -> None:
    saved(tmp_path / "a" / "api", store)
    saved(tmp_path / "b" / "api", store)

    with pytest.raises(AmbiguousWorkspace) as refused:
        opening.open_named("api", store)

    assert len(refused.value.candidates) == 2
    assert str(tmp_path / "a" / "api") in str(refused.value)
    assert sorted(listed(store)) == ["a/api", "b/api"]


@pytest.mark.parametrize("name", ["", "/", "ap", "pi", "abc", "\0"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, store: Path, name: str) -> None:
    saved(tmp_path / "api", store)

    with pytest.raises(UnknownWorkspace):
        opening.open_named(name, store)


def test_paths_start_in_the_workspace_when_the_caller_is_elsewhere(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "api", store, "content")
    monkeypatch.chdir(tmp_path)

    with opening.open_named("api", store) as ws:
        assert b"".join(ws.cat("@", "file")) == b"content"


def test_a_workspace_that_lost_its_path_is_read_and_not_restored_to_nowhere(
    tmp_path: Path, store: Path
) -> None:
    saved(tmp_path / "old", store)
    saved(tmp_path / "new", store)
    identifier = listed(store)["old"].info.text_id
    opening.init(tmp_path / "old", store, attach="new")[0].close()

    with opening.open_named(identifier, store) as ws:
        assert len(ws.log().checkpoints) == 1
        with pytest.raises(WorkspaceMissing):
            ws.restore("@")

    assert {one.place for one in opening.workspaces(store)} == {Place.NONE, Place.PRESENT}


def test_there_are_no_workspaces_without_a_store(store: Path) -> None:
    assert opening.workspaces(store) == ()
    assert not store.exists()


def test_a_directory_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")

    with pytest.raises(ClewError):
        opening.workspaces(tmp_path)


def test_the_command_line_brings_a_project_back_from_elsewhere(clew: Clew) -> None:
    (clew.workspace / "app.py").write_text("print(1)")
    clew.ok("save", "first")
    shutil.rmtree(clew.workspace)
    name = clew.workspace.name

    ran = clew.run("workspaces", cwd=clew.workspace.parent)
    assert f"missing: {clew.workspace}" in ran.out
    assert f"`clew -w {name} restore @`" in ran.out
    clew.ok("-w", name, "restore", "@")

    assert (clew.workspace / "app.py").read_text() == "print(1)"
    assert "missing" not in clew.run("workspaces").out
