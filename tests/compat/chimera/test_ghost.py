"""Ghost commits: what a stack of texts in memory would lose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.compat.chimera import GhostCommitManager
from clew.errors import BadOption


def test_a_changed_file_is_restored(project: Path, ghost: GhostCommitManager) -> None:
    (project / "main.py").write_text("old")
    identifier = ghost.snapshot("write_file: main.py", ["main.py"])
    (project / "main.py").write_text("new")

    assert identifier == "ghost-1"
    assert ghost.undo() == ["restored: main.py"]
    assert (project / "main.py").read_text() == "old"
    assert ghost.depth == 0


def test_a_new_file_is_deleted(project: Path, ghost: GhostCommitManager) -> None:
    ghost.snapshot("write_file: new.py", ["new.py"])
    (project / "new.py").write_text("new")

    assert ghost.undo() == ["deleted: new.py"]
    assert not (project / "new.py").exists()


def test_a_file_that_never_came_is_no_news(ghost: GhostCommitManager) -> None:
    ghost.snapshot("write_file: new.py", ["new.py"])

    assert ghost.undo() == []
    assert ghost.depth == 0


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x80", b"a\r\nb\r\n", b""])
def test_every_byte_comes_back(project: Path, ghost: GhostCommitManager, content: bytes) -> None:
    (project / "data").write_bytes(content)
    ghost.snapshot("edit: data", ["data"])
    (project / "data").write_bytes(b"something else")

    assert ghost.undo() == ["restored: data"]
    assert (project / "data").read_bytes() == content


def test_the_mode_comes_back(project: Path, ghost: GhostCommitManager) -> None:
    script = project / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    ghost.snapshot("edit: run.sh", ["run.sh"])
    script.unlink()
    script.write_text("#!/bin/bash\n")

    ghost.undo()

    assert script.stat().st_mode & 0o777 == 0o755


def test_without_paths_it_is_the_whole_workspace(project: Path, ghost: GhostCommitManager) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "kept").write_text("old")
    (project / "gone").write_text("was here")
    ghost.snapshot("bash: make")
    (project / "deep" / "kept").write_text("new")
    (project / "gone").unlink()
    (project / "made").write_text("by a command")

    said = ghost.undo()

    assert said == ["restored: deep/kept", "restored: gone", "deleted: made"]
    assert (project / "deep" / "kept").read_text() == "old"
    assert sorted(os.listdir(project)) == ["deep", "gone"]


def test_only_the_paths_it_is_about_are_touched(project: Path, ghost: GhostCommitManager) -> None:
    for name in ("mine", "yours"):
        (project / name).write_text("old")
    ghost.snapshot("edit: mine", ["mine"])
    for name in ("mine", "yours"):
        (project / name).write_text("new")
    ghost.undo()

    assert ((project / "mine").read_text(), (project / "yours").read_text()) == ("old", "new")


def test_a_directory_comes_back_whole(project: Path, ghost: GhostCommitManager) -> None:
    (project / "src").mkdir()
    (project / "src" / "a").write_text("a")
    ghost.snapshot("rm: src", ["src"])
    (project / "src" / "a").unlink()
    (project / "src").rmdir()
    (project / "src").write_text("a file now")

    assert ghost.undo() == ["restored: src"]
    assert (project / "src" / "a").read_text() == "a"


def test_a_file_in_a_directory_that_went_away_comes_back(
    project: Path, ghost: GhostCommitManager
) -> None:
    (project / "deep" / "er").mkdir(parents=True)
    (project / "deep" / "er" / "file").write_text("old")
    ghost.snapshot("edit", ["deep/er/file"])
    (project / "deep" / "er" / "file").unlink()
    (project / "deep" / "er").rmdir()
    (project / "deep").rmdir()

    assert ghost.undo() == ["restored: deep/er/file"]
    assert (project / "deep" / "er" / "file").read_text() == "old"


def test_an_absolute_path_inside_is_welcome(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit", [str(project / "a")])
    (project / "a").write_text("new")

    assert ghost.undo() == ["restored: a"]


def test_a_link_is_kept_as_a_link(project: Path, ghost: GhostCommitManager) -> None:
    (project.parent / "outside").write_text("not ours")
    (project / "link").symlink_to("../outside")
    ghost.snapshot("edit: link", ["link"])
    (project / "link").unlink()
    (project / "link").write_text("a file now")
    ghost.undo()

    assert os.readlink(project / "link") == "../outside"
    assert (project.parent / "outside").read_text() == "not ours"


def test_the_stack_outlives_whoever_made_it(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit: a", ["a"])
    (project / "a").write_text("new")
    del ghost
    found = GhostCommitManager(working_dir=project)

    assert found.depth == 1
    assert found.undo() == ["restored: a"]
    assert found.snapshot("again", ["a"]) == "ghost-2"


def test_the_oldest_go_first(project: Path) -> None:
    ghost = GhostCommitManager(project, max_snapshots=2)
    for number in range(4):
        (project / "a").write_text(str(number))
        ghost.snapshot(f"edit {number}", ["a"])

    assert [one.label for one in ghost.history] == ["edit 2", "edit 3"]
    assert [one.id for one in ghost.history] == ["ghost-3", "ghost-4"]


def test_several_steps_end_at_the_oldest(project: Path, ghost: GhostCommitManager) -> None:
    for number in range(3):
        (project / "a").write_text(str(number))
        ghost.snapshot(f"edit {number}", ["a"])
    (project / "a").write_text("last")

    assert ghost.undo(2) == ["restored: a"] * 2
    assert (project / "a").read_text() == "1"
    assert ghost.undo(99) == ["restored: a"]
    assert (project / "a").read_text() == "0"
    assert ghost.undo() == []


def test_a_failed_undo_keeps_its_place(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit: a", ["a"])
    with opening.open(project) as workspace:
        (project / "a").write_text("other")
        workspace.save("so that the first is not here")
        first = workspace.log().checkpoints[-1].id.hex()
        workspace.delete([first])

    with pytest.raises(Exception, match=first[:8]):
        ghost.undo()
    assert ghost.depth == 1
    assert (project / "a").read_text() == "other"


def test_redo_brings_back_what_undo_took(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit: a", ["a"])
    (project / "a").write_text("new")
    ghost.undo()

    assert ghost.redo() == ["restored: a"]
    assert (project / "a").read_text() == "new"
    assert [one.id for one in ghost.history] == ["ghost-1"]
    assert ghost.redo() == []


def test_a_new_snapshot_ends_what_could_be_redone(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("one", ["a"])
    ghost.undo()
    ghost.snapshot("two", ["a"])

    assert ghost.redo() == []


def test_a_snapshot_can_be_looked_at(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    (project / "bin").write_bytes(b"\xff\x00")
    ghost.snapshot("edit", ["a", "absent", "bin"])
    (project / "a").write_text("new")
    seen = ghost.peek()

    assert seen is not None
    assert (seen.id, seen.label) == ("ghost-1", "edit")
    assert list(seen.files) == ["a", "absent", "bin"]
    assert (seen.files["a"], seen.files["absent"]) == ("old", "")
    assert seen.files["bin"].encode("utf-8", "surrogateescape") == b"\xff\x00"
    with pytest.raises(KeyError):
        seen.files["other"]


def test_a_whole_snapshot_lists_every_file(project: Path, ghost: GhostCommitManager) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "a").write_text("x")
    ghost.snapshot("everything")
    seen = ghost.peek()

    assert seen is not None
    assert dict(seen.files) == {"deep/a": "x"}


def test_an_empty_stack_has_nothing_to_show(ghost: GhostCommitManager) -> None:
    ghost.snapshot("one")
    ghost.clear()

    assert (ghost.peek(), ghost.history, ghost.depth, ghost.undo()) == (None, [], 0, [])


def test_no_prune_takes_what_is_on_the_stack(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit: a", ["a"])
    with opening.open(project) as workspace:
        for number in range(15):  # more than undo keeps by itself
            (project / "b").write_text(str(number))
            workspace.save(f"later {number}", origin="hook")
        (project / "a").write_text("new")
        workspace.prune(keep_last=0)

        assert ghost.undo() == ["restored: a"]
        ghost.clear()
        assert not any(one.labels.pinned for one in workspace.log().checkpoints)


def test_a_secret_in_a_label_is_not_kept(ghost: GhostCommitManager) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ghost.snapshot(f"bash: curl -H 'Authorization: Bearer {secret}'")

    assert secret not in ghost.history[0].label


@pytest.mark.parametrize("number", [0, -1])
def test_nonsense_numbers_are_refused(project: Path, number: int) -> None:
    with pytest.raises(BadOption):
        GhostCommitManager(project).undo(number)
    with pytest.raises(BadOption):
        GhostCommitManager(project, max_snapshots=number)
