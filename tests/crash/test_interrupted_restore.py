"""A restore that is killed, interrupted or refused, as a person at the command line meets it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kit import filesystems
from tests.kit.killing import Moment, fail_at, interrupt_at, kill_at, moments
from tests.kit.running import Clew
from tests.kit.scene import Scene, populate, rework
from tests.kit.tools import require_tracing
from tests.kit.walker import differences, look

LINE = "was interrupted: some files have changed"


@pytest.fixture
def scene(scratch: Path) -> Scene:
    scene = Scene(scratch)
    populate(scene.project)
    scene.save("first")
    rework(scene.project)
    scene.save("second")
    (scene.project / "unsaved").write_text("precious\n")
    scene.keep()
    return scene


@pytest.fixture
def killed(scene: Scene) -> Scene:
    """A scene whose restore to the first moment was killed between two exchanges."""
    command = scene.clew.command("restore", _first(scene), "--yes")
    switching = _calls(scene, "renameat2")
    scene.reset()
    assert kill_at(switching[-1], command, scene.project, scene.clew.environment())
    return scene


def test_reading_commands_report_it_and_leave_it(killed: Scene) -> None:
    half = look(killed.project)
    for words in (["status"], ["log"], ["show", "latest"], ["diff"], ["ls", "@"], ["good"]):
        ran = killed.clew.run(*words)

        assert LINE in ran.err, (words, ran)
        assert "clew restore --abort" in ran.err
        assert differences(half, look(killed.project)) == [], words


def test_status_says_so_in_json(killed: Scene) -> None:
    found = killed.clew.json("status")["interrupted_restore"]

    assert found["target"] == _first(killed)
    assert found["has_changed_files"] is True
    killed.clew.ok("restore", "--continue")
    assert killed.clew.json("status")["interrupted_restore"] is None


def test_continue_finishes_it(killed: Scene) -> None:
    ran = killed.clew.ok("restore", "--continue")

    assert f"Now at {_first(killed)[:8]} (first)" in ran.out
    assert differences(killed.moments[_first(killed)], look(killed.project)) == []
    assert LINE not in killed.clew.ok("log").err


def test_abort_takes_it_back(killed: Scene) -> None:
    ran = killed.clew.ok("restore", "--abort")

    assert "Restore aborted; the workspace is as it was" in ran.out
    assert differences(killed.before.state(), look(killed.project).state()) == []
    assert LINE not in killed.clew.ok("log").err


def test_a_save_continues_it_says_so_and_lists_what_was_left_alone(killed: Scene) -> None:
    (killed.project / "mine").mkdir()
    (killed.project / "src" / "main.py").chmod(0o711)

    ran = killed.clew.run("save", "after the crash")

    assert ran.code == 3
    assert f"Continuing the interrupted restore to {_first(killed)[:8]} (first) first" in ran.err
    assert "mine: appeared after the rescue was read" in ran.err
    assert "src/main.py: changed after the rescue was read" in ran.err
    assert (killed.project / "mine").is_dir()
    assert (killed.project / "src" / "main.py").stat().st_mode & 0o777 == 0o711
    assert killed.clew.ok("save", "again").err == ""


@pytest.mark.parametrize("words", [["--continue"], ["--abort"]])
def test_without_one_there_is_nothing_to_do(scene: Scene, words: list[str]) -> None:
    code, error = scene.clew.error("restore", *words)

    assert (code, error["kind"]) == (1, "no-interrupted-restore")


@pytest.mark.parametrize(
    "words", [["--continue", "latest"], ["--abort", "--continue"], ["--abort", "--dry-run"]]
)
def test_what_makes_no_sense_beside_them_is_refused(killed: Scene, words: list[str]) -> None:
    half = look(killed.project)
    code, error = killed.clew.error("restore", *words)

    assert (code, error["kind"]) == (2, "bad-option")
    assert differences(half, look(killed.project)) == []


# Ctrl-C


@pytest.mark.parametrize("is_staging", [True, False])
def test_ctrl_c_says_in_which_state_the_workspace_is(scene: Scene, is_staging: bool) -> None:
    """While the stage is made durable nothing is changed; at the last exchange a part is."""
    moment = _calls(scene, "syncfs")[0] if is_staging else _calls(scene, "renameat2")[-1]
    command = scene.clew.command("restore", _first(scene), "--yes")
    scene.reset()
    ran = interrupt_at(moment, command, scene.project, scene.clew.environment())

    assert "Traceback" not in ran.stderr
    if is_staging:
        assert ran.stderr.endswith("the restore was cancelled, no file was changed\n")
        assert differences(scene.before.state(), look(scene.project).state()) == []
        assert "interrupted" not in scene.clew.ok("status").err
    else:
        assert "Interrupted: the restore is not complete, some files have changed" in (ran.stderr)
        scene.clew.ok("restore", "--abort")
        assert differences(scene.before.state(), look(scene.project).state()) == []


# Refused


def test_a_restore_refused_by_a_read_only_filesystem_is_not_carried_out_later(
    on_ext4: Path,
) -> None:
    with filesystems.mounted("tmpfs", on_ext4, 100, "read-only") as mount:
        (mount / "project").mkdir()
        clew = Clew(mount / "project", on_ext4 / "store")
        (clew.workspace / "file").write_text("first")
        first = clew.save("first")
        (clew.workspace / "file").write_text("second")
        clew.save("second")
        _remount(mount, "ro")
        refused = clew.run("restore", first, "--yes")
        _remount(mount, "rw")
        after = clew.run("save", "later")

        assert refused.code == 1
        assert "Read-only file system" in refused.err
        assert after.code == 0
        assert after.err == ""
        assert (clew.workspace / "file").read_text() == "second"


@pytest.mark.slow
@pytest.mark.parametrize("error", ["EMFILE", "EROFS", "EIO"])
def test_a_restore_that_fails_while_it_is_staged_leaves_nothing_and_is_not_carried_out_later(
    scene: Scene, error: str
) -> None:
    """Each call that makes, opens or writes the stage fails once."""
    require_tracing()
    first = _first(scene)
    command, environment = scene.clew.command("restore", first, "--yes"), scene.clew.environment()
    for number in range(1, 9):
        for call in ("openat2", "mkdirat"):
            scene.reset()
            ran = fail_at(Moment(call, number), error, command, scene.project, environment)

            assert "Traceback" not in ran.stderr, ran.stderr
            if ran.returncode != 1:
                continue  # the call was not of the stage, or only one path failed
            assert not list(scene.project.glob(".clew-*")), (call, number)
            saved = scene.clew.run("save", "later")
            assert (saved.code, saved.err) == (0, ""), (call, number, saved)
            assert differences(scene.before.state(), look(scene.project).state()) == []


def _first(scene: Scene) -> str:
    return next(iter(scene.moments))


def _calls(scene: Scene, call: str) -> list[Moment]:
    command = scene.clew.command("restore", _first(scene), "--yes")
    found = moments(command, scene.project, scene.clew.environment())
    return [moment for moment in found if moment.call == call]


def _remount(mount: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", mount], check=True)
