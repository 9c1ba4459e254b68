"""The local environment: what a plain copy of the directory would lose."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from clew.compat.chimera import CommandResult, Environment, LocalEnvironment
from clew.compat.chimera.local import LargeCheckpointWarning
from clew.errors import ClewError


def test_ids_are_counted_from_nought(env: LocalEnvironment) -> None:
    assert [env.checkpoint() for _ in range(3)] == ["0", "1", "2"]


def test_both_words_for_the_directory_work(project: Path) -> None:
    assert LocalEnvironment(workdir=project).workdir == project
    assert LocalEnvironment(working_dir=str(project)).working_dir == project
    with pytest.raises(TypeError):
        LocalEnvironment()
    with pytest.raises(TypeError):
        LocalEnvironment(project, working_dir=project)


def test_a_restore_is_exact(project: Path, env: LocalEnvironment) -> None:
    (project / "kept").write_text("old")
    (project / "empty").mkdir()
    identifier = env.checkpoint()
    (project / "kept").write_text("new")
    (project / "added").write_text("later")
    (project / "empty").rmdir()
    env.restore(identifier)

    assert sorted(os.listdir(project)) == ["empty", "kept"]
    assert (project / "kept").read_text() == "old"


def test_links_stay_links(project: Path, env: LocalEnvironment) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("not ours")
    (project / "b.txt").write_text("b")
    (project / "to-directory").symlink_to("../outside")
    (project / "dangling").symlink_to("nowhere")
    os.link(project / "b.txt", project / "twin")
    identifier = env.checkpoint()
    for name in os.listdir(project):
        (project / name).unlink()
    env.restore(identifier)

    assert os.readlink(project / "to-directory") == "../outside"
    assert os.readlink(project / "dangling") == "nowhere"
    assert (project / "twin").stat().st_ino == (project / "b.txt").stat().st_ino
    assert os.listdir(outside) == ["file"]


def test_a_restore_over_a_linked_directory_goes_through(
    project: Path, env: LocalEnvironment
) -> None:
    (project / "b.txt").write_text("b")
    identifier = env.checkpoint()
    (project / "linked").symlink_to("..")
    env.restore(identifier)

    assert os.listdir(project) == ["b.txt"]


@pytest.mark.parametrize("name", ["node_modules", ".git", "build", "dist", "site/node_modules"])
def test_what_others_leave_out_is_versioned_too(
    project: Path, env: LocalEnvironment, name: str
) -> None:
    (project / name).mkdir(parents=True)
    (project / name / "x").write_text("old")
    identifier = env.checkpoint()
    (project / name / "x").write_text("new")
    env.restore(identifier)

    assert (project / name / "x").read_text() == "old"


def test_what_is_excluded_survives_at_any_depth(project: Path, env: LocalEnvironment) -> None:
    with env.workspace() as workspace:
        workspace.settings.set("exclude", "node_modules")
    (project / "site" / "node_modules").mkdir(parents=True)
    identifier = env.checkpoint()
    (project / "site" / "node_modules" / "x").write_text("installed later")
    env.restore(identifier)

    assert (project / "site" / "node_modules" / "x").read_text() == "installed later"


@pytest.mark.parametrize("text", ["../../", "..", "", "7", "-1", "good", "HEAD", "0/", "٠"])
def test_only_an_id_that_was_given_out_is_one(
    project: Path, env: LocalEnvironment, text: str
) -> None:
    (project / "a").write_text("precious")
    env.checkpoint()

    with pytest.raises(ValueError, match="not found"):
        env.restore(text)
    assert (project / "a").read_text() == "precious"


def test_a_damaged_checkpoint_changes_nothing(
    project: Path, env: LocalEnvironment, store: Path
) -> None:
    (project / "a").write_text("old")
    identifier = env.checkpoint()
    for pack in (store / "packs").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"\0" * pack.stat().st_size)
    (project / "a").write_text("new")

    with pytest.raises(ClewError):
        env.restore(identifier)
    assert (project / "a").read_text() == "new"


def test_what_a_restore_overwrites_is_kept(project: Path, env: LocalEnvironment) -> None:
    identifier = env.checkpoint()
    (project / "unsaved").write_text("hours of work")
    env.restore(identifier)
    with env.workspace() as workspace:
        workspace.undo()

    assert (project / "unsaved").read_text() == "hours of work"


def test_a_directory_that_was_deleted_comes_back(project: Path, env: LocalEnvironment) -> None:
    (project / "a").write_text("a")
    identifier = env.checkpoint()
    (project / "a").unlink()
    project.rmdir()
    env.restore(identifier)

    assert (project / "a").read_text() == "a"


@pytest.mark.parametrize("place", ["/", "~"])
def test_the_whole_machine_and_home_are_refused(place: str) -> None:
    env = LocalEnvironment(os.path.expanduser(place))

    with pytest.raises(PermissionError):
        env.restore("0")
    with pytest.raises(PermissionError):
        env.checkpoint()


def test_nothing_is_kept_inside_the_workspace(project: Path, env: LocalEnvironment) -> None:
    with env:
        env.restore(env.checkpoint())

    assert os.listdir(project) == []


def test_a_workspace_around_it_is_somebody_elses(project: Path, tmp_path: Path) -> None:
    outer = LocalEnvironment(tmp_path / "project")
    (project / "inner").mkdir()
    outer.checkpoint()
    inner = LocalEnvironment(project / "inner")
    identifier = inner.checkpoint()
    (project / "beside").write_text("made later")
    (project / "inner" / "x").write_text("x")
    inner.restore(identifier)

    assert identifier == "0"
    assert sorted(os.listdir(project)) == ["beside", "inner"]
    assert os.listdir(project / "inner") == []


def test_a_clone_goes_its_own_way(project: Path, env: LocalEnvironment) -> None:
    (project / "a").write_text("same")
    clone = env.clone()
    clone.write_file("a", "other")

    assert isinstance(clone, LocalEnvironment)
    assert clone.workdir.parent == project.parent
    assert env.read_file("a") == "same"
    assert clone.checkpoint() == "0"


def test_files_are_read_written_and_listed(env: LocalEnvironment) -> None:
    env.write_file("deep/er/a.py", "x\r\ny\n")
    env.write_file("b.txt", "b")

    assert env.read_file("deep/er/a.py") == "x\r\ny\n"
    assert env.list_files() == ["b.txt", "deep/er/a.py"]
    assert env.list_files("**/*.py") == ["deep/er/a.py"]
    with pytest.raises(FileNotFoundError, match="File not found: nope"):
        env.read_file("nope")


def test_commands_say_how_they_ended(env: LocalEnvironment) -> None:
    done = env.run_command("echo out; echo err >&2; exit 3")

    assert done == CommandResult("out\n", "err\n", 3)
    assert not done.success


def test_a_command_that_takes_too_long_is_stopped_with_all_it_started(
    env: LocalEnvironment,
) -> None:
    done = env.run_command("sleep 1000 & sleep 1000", timeout=1)

    assert done == CommandResult("", "Command timed out", 124)


def test_a_session_remembers_where_it_was(project: Path) -> None:
    (project / "sub").mkdir()
    with LocalEnvironment(project, session=True) as env:
        assert env.has_session
        env.run_command("cd sub; export COLOUR=blue; exit 4")

        assert env.run_command("pwd; echo $COLOUR").stdout == f"{project}/sub\nblue\n"
        assert env.run_command("pwd", shell_name="other").stdout == f"{project}\n"
    assert not env.has_session


@pytest.mark.parametrize(
    ("says", "numbers"),
    [
        ("echo 3 passed, 1 failed, 2 errors; exit 1", (3, 1, 2)),
        ("echo 5 passed", (5, 0, 0)),
        ("echo no such module; exit 2", (0, 0, 1)),
    ],
)
def test_a_run_of_tests_is_read(project: Path, says: str, numbers: tuple[int, ...]) -> None:
    result = LocalEnvironment(project, test_cmd=says).run_tests()

    assert (result.passed, result.failed, result.errors) == numbers
    assert result.total == sum(numbers)
    assert result.all_passed == (numbers[1:] == (0, 0))


def test_a_checkpoint_that_grows_the_store_a_lot_is_remarked_on(
    project: Path, env: LocalEnvironment
) -> None:
    env.size_warn_bytes = 10_000
    (project / "large").write_bytes(os.urandom(20_000))

    with pytest.warns(LargeCheckpointWarning):
        env.checkpoint()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.checkpoint()  # nothing new, so nothing to say


def test_the_base_class_cannot_be_used_by_itself() -> None:
    with pytest.raises(TypeError):
        Environment()  # type: ignore[abstract]


def test_checkpoints_can_be_compared_and_checked(project: Path, env: LocalEnvironment) -> None:
    (project / "a").write_text("one\n")
    first = env.reference(env.checkpoint())
    (project / "a").write_text("two\n")
    second = env.reference(env.checkpoint())
    with env.workspace() as workspace:
        patch = "\n".join(workspace.patch(workspace.diff(first, second)))

    assert "-one" in patch
    assert "+two" in patch


def test_no_prune_takes_a_checkpoint_with_an_id(project: Path, env: LocalEnvironment) -> None:
    (project / "a").write_text("old")
    identifier = env.checkpoint()
    with env.workspace() as workspace:
        for number in range(15):
            (project / "b").write_text(str(number))
            workspace.save(str(number), origin="hook")
        workspace.prune(keep_last=0)
    (project / "a").write_text("new")
    env.restore(identifier)

    assert (project / "a").read_text() == "old"
