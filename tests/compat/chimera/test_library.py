"""What Chimera's own pages promise: code written for Chimera works unchanged."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.compat import chimera
from clew.compat.chimera import (
    CheckpointInfo,
    CheckpointManager,
    CommandResult,
    CompactionMetadata,
    Environment,
    FileTracker,
    GhostCommitManager,
    GhostSnapshot,
    GitEnvironment,
    LocalEnvironment,
    LoopConfig,
    TestResult,
    local,
)
from clew.compat.chimera.local import LargeCheckpointWarning
from clew.repl import handle

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory without a configuration of Chimera."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def retain(directory: Path, number: object) -> None:
    (directory / ".chimera").mkdir(parents=True, exist_ok=True)
    (directory / ".chimera" / "config.toml").write_text(
        f"[storage.checkpoints]\nretain = {number}\n"
    )


def chimera_copy(project: Path, place: str, **files: str) -> Path:
    """Write a checkpoint as Chimera itself does: a plain copy of the files."""
    copy = project / place
    copy.mkdir(parents=True)
    for name, content in files.items():
        (copy / name).write_text(content)
    return copy


def git(directory: Path, *words: str) -> str:
    command = ["git", "-C", str(directory), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# Data classes


def test_results_are_data_classes() -> None:
    for kind in (CheckpointInfo, GhostSnapshot, CommandResult, TestResult, LoopConfig):
        assert dataclasses.is_dataclass(kind), kind


def test_a_checkpoint_info_is_copied_compared_and_changed() -> None:
    info = CheckpointInfo(id="0", name="initial", timestamp=1.0)

    assert dataclasses.asdict(info) == {
        "id": "0", "name": "initial", "timestamp": 1.0, "description": "",
    }  # fmt: skip
    assert dataclasses.replace(info, name="other").name == "other"
    assert info == CheckpointInfo("0", "initial", 1.0)
    info.description = "changed"
    assert info.description == "changed"


def test_a_ghost_snapshot_is_a_plain_value(project: Path, ghost: GhostCommitManager) -> None:
    (project / "a").write_text("old")
    ghost.snapshot("edit", ["a", "absent"])
    seen = ghost.peek()
    assert seen is not None

    assert dataclasses.asdict(seen)["files"] == {"a": "old", "absent": ""}
    assert json.loads(json.dumps(dataclasses.asdict(seen)))["label"] == "edit"
    assert seen == GhostSnapshot("ghost-1", "edit", seen.timestamp, {"a": "old", "absent": ""})
    assert seen == ghost.history[0]
    assert dataclasses.replace(seen, label="other").files == seen.files


# Environments


class Remote(Environment):
    """An environment of a plug-in that cannot be cloned."""

    def setup(self) -> None: ...

    def cleanup(self) -> None: ...

    def read_file(self, path: str) -> str:
        return path

    def write_file(self, path: str, content: str) -> None: ...

    def list_files(self, pattern: str = "**/*") -> list[str]:
        return [pattern]

    def run_command(self, cmd: str, timeout: int | None = None) -> CommandResult:
        return CommandResult(cmd, "", timeout or 0)

    def run_tests(self) -> TestResult:
        return TestResult(0, 0, 0, "")

    def checkpoint(self) -> str:
        return "0"

    def restore(self, checkpoint_id: str) -> None: ...


def test_an_environment_need_not_have_clone() -> None:
    with Remote() as env, pytest.raises(NotImplementedError, match=r"Remote .*clone"):
        env.clone()


@pytest.mark.parametrize(
    "program",
    [
        "echo 'no tests ran in 0.01s'; exit 5",
        "echo '3 deselected in 0.01s'; exit 5",
        "echo 'NO TESTS RAN'; exit 5",
    ],
)
def test_no_tests_ran_is_no_error(project: Path, program: str) -> None:
    result = LocalEnvironment(project, test_cmd=program).run_tests()

    assert (result.passed, result.failed, result.errors) == (0, 0, 0)
    assert result.all_passed


def test_pytest_without_tests_is_no_error(project: Path) -> None:
    command = f"{sys.executable} -m pytest -p no:cacheprovider"

    assert LocalEnvironment(project, test_cmd=command).run_tests().errors == 0
    missing = LocalEnvironment(project, test_cmd=f"{command} nope.py").run_tests()
    assert missing.errors == 1  # pytest prints "no tests ran" here too


@pytest.mark.parametrize("path", ["../outside", "/etc/hostname", "a/../../outside", "out/outside"])
def test_a_path_outside_the_work_directory_is_refused(
    project: Path, env: LocalEnvironment, path: str
) -> None:
    (project.parent / "outside").write_text("not ours")
    (project / "out").symlink_to("..")

    with pytest.raises(PermissionError, match="Path escapes workdir"):
        env.read_file(path)
    with pytest.raises(PermissionError, match="Path escapes workdir"):
        env.write_file(path, "overwritten")
    assert (project.parent / "outside").read_text() == "not ours"
    assert env.list_files("../*") == []


def test_own_state_is_not_listed(project: Path, env: LocalEnvironment) -> None:
    chimera_copy(project, ".chimera/checkpoints/0", app="old")
    chimera_copy(project, ".chimera_checkpoints/0", app="older")
    (project / "app").write_text("new")

    assert env.list_files() == ["app"]


def test_the_limit_of_the_warning_is_set_in_the_module(
    project: Path, env: LocalEnvironment
) -> None:
    (project / "large").write_text("x" * 5000)
    before = local.CHECKPOINT_SIZE_WARN_BYTES
    local.CHECKPOINT_SIZE_WARN_BYTES = 100  # as the page does it
    try:
        with pytest.warns(LargeCheckpointWarning, match="retain"):
            env.checkpoint()
    finally:
        local.CHECKPOINT_SIZE_WARN_BYTES = before


# Git


def test_setup_of_a_git_environment_leaves_a_commit(project: Path, home: Path) -> None:
    (project / "app.py").write_text("print()\n")
    (project / ".chimera").mkdir()
    (project / ".chimera" / "todo.json").write_text("[]")
    (home / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n")
    env = GitEnvironment(workdir=str(project))
    env.setup()
    env.setup()

    assert git(project, "log", "--format=%s") == "initial\n"
    assert git(project, "ls-files").split() == [".gitkeep", "app.py"]
    assert git(project, "status", "--short", "--", "app.py") == ""


def test_a_variable_of_another_repository_does_not_redirect_setup(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    GitEnvironment(project).setup()
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")

    assert git(project, "rev-list", "--count", "HEAD") == "1\n"
    assert git(other, "rev-list", "--all", "--count") == "0\n"


# Checkpoints that Chimera wrote


@pytest.mark.parametrize("place", [".chimera/checkpoints", ".chimera_checkpoints"])
def test_a_checkpoint_of_chimera_is_restored(
    project: Path, env: LocalEnvironment, place: str
) -> None:
    copy = chimera_copy(project, f"{place}/0", app="the old content")
    (copy / "src").mkdir()
    (copy / "src" / "core").write_text("core")
    (project / "app").write_text("the new content")
    (project / "added").write_text("later")
    (project / "src").write_text("a file now")
    env.restore("0")

    assert env.read_file("app") == "the old content"
    assert env.read_file("src/core") == "core"
    assert env.list_files() == ["app", "src/core"]
    assert (copy / "app").read_text() == "the old content"


def test_what_it_overwrites_is_in_a_rescue(project: Path, env: LocalEnvironment) -> None:
    chimera_copy(project, ".chimera_checkpoints/0", app="old")
    (project / "unsaved").write_text("hours of work")
    env.restore("0")
    assert not (project / "unsaved").exists()
    with env.workspace() as workspace:
        workspace.undo()

    assert (project / "unsaved").read_text() == "hours of work"


@pytest.mark.parametrize("name", [".git", ".venv", "site/node_modules", "build"])
def test_what_chimera_leaves_out_survives(project: Path, env: LocalEnvironment, name: str) -> None:
    chimera_copy(project, ".chimera_checkpoints/0", app="old")
    (project / name).mkdir(parents=True)
    (project / name / "x").write_text("installed")
    env.restore("0")

    assert (project / name / "x").read_text() == "installed"


def test_links_in_the_work_directory_are_not_followed(project: Path, env: LocalEnvironment) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("not ours")
    copy = chimera_copy(project, ".chimera_checkpoints/0", app="old")
    (copy / "linked").mkdir()
    (copy / "linked" / "file").write_text("of the copy")
    (project / "linked").symlink_to(outside)
    (project / "app").symlink_to(outside / "kept")
    env.restore("0")

    assert (outside / "kept").read_text() == "not ours"
    assert not (outside / "file").exists()
    assert (project / "linked" / "file").read_text() == "of the copy"
    assert not (project / "app").is_symlink()


def test_ids_of_chimera_are_not_issued_again(project: Path, env: LocalEnvironment) -> None:
    for number in range(3):
        chimera_copy(project, f".chimera_checkpoints/{number}")
    chimera_copy(project, ".chimera/checkpoints/5")
    chimera_copy(project, ".chimera/checkpoints/not-a-number")

    assert [env.checkpoint(), env.checkpoint()] == ["6", "7"]


def test_an_id_of_neither_is_not_found(project: Path, env: LocalEnvironment) -> None:
    chimera_copy(project, ".chimera_checkpoints/0", app="old")
    (project / "app").write_text("new")

    for text in ("41", "../0", "../../", "0/", "checkpoints", ""):
        with pytest.raises(ValueError, match="not found"):
            env.restore(text)
    assert (project / "app").read_text() == "new"


# Retention


def test_retain_of_the_project_limits_the_checkpoints(project: Path, env: LocalEnvironment) -> None:
    retain(project, 2)
    ids = []
    for number in range(4):
        (project / "a").write_text(str(number))
        ids.append(env.checkpoint())

    for gone in ids[:2]:
        with pytest.raises(ValueError, match="not found"):
            env.restore(gone)
    env.restore(ids[2])
    assert (project / "a").read_text() == "2"
    with env.workspace() as workspace:
        assert sum(one.labels.pinned for one in workspace.log().checkpoints) == 2


def test_retain_of_the_user_counts_unless_the_project_says_otherwise(
    project: Path, home: Path, env: LocalEnvironment
) -> None:
    retain(home, 1)
    first, second = env.checkpoint(), env.checkpoint()
    with pytest.raises(ValueError, match="not found"):
        env.restore(first)
    retain(project, 3)
    third = env.checkpoint()

    env.restore(second)
    env.restore(third)


@pytest.mark.parametrize("number", ["0", "-1", "true", "'many'", "[["])
def test_a_limit_that_is_none_keeps_everything(
    project: Path, env: LocalEnvironment, number: str
) -> None:
    retain(project, number)
    ids = [env.checkpoint() for _ in range(3)]

    for one in ids:
        env.restore(one)


def test_retention_leaves_checkpoints_of_chimera_alone(
    project: Path, env: LocalEnvironment
) -> None:
    retain(project, 1)
    copies = [chimera_copy(project, f".chimera_checkpoints/{number}") for number in range(2)]
    env.checkpoint()
    env.checkpoint()

    assert all(copy.is_dir() for copy in copies)
    env.restore("0")


def test_a_pin_of_the_user_outlives_retention(project: Path, env: LocalEnvironment) -> None:
    retain(project, 1)
    kept = env.reference(env.checkpoint())
    with env.workspace() as workspace:
        workspace.edit(kept, name="release")
    env.checkpoint()

    with env.workspace() as workspace:
        assert workspace.resolve("release").id.hex() == kept


# The agent loop


def test_the_loop_takes_chimeras_own_fields(manager: CheckpointManager) -> None:
    tracker, detector = FileTracker(), object()
    config = LoopConfig(
        permissions="ask", detector=detector, event_bus=None, auto_compact_threshold=0.5,
        checkpoint_manager=manager, file_tracker=tracker, yolo_mode=True, tool_timeout_s=3.0,
    )  # fmt: skip

    assert (config.permissions, config.detector, config.tool_timeout_s) == ("ask", detector, 3.0)
    assert (config.checkpoint_manager, config.file_tracker) == (manager, tracker)
    names = {field.name for field in dataclasses.fields(LoopConfig)}
    assert {
        "permissions", "detector", "compaction", "handler", "event_bus", "lsp", "cost_tracker",
        "audit_log", "git_workflow", "wire", "middleware", "truncation", "cancellation",
        "message_queues", "discipline", "hook_emitter", "condensation", "secrets_redaction",
    } <= names  # fmt: skip
    assert dataclasses.replace(config, yolo_mode=False).checkpoint_manager is manager


def test_the_loops_own_safety_defaults_apply_where_chimera_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "chimera" / "core"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "loop_config.py").write_text(
        "class LoopConfig:\n"
        "    def __post_init__(self):\n"
        "        if self.permissions is None and not self.yolo_mode:\n"
        "            self.permissions = 'interactive'\n"
    )
    program = (
        "from clew.compat.chimera import LoopConfig\n"
        "print(LoopConfig().permissions, LoopConfig(yolo_mode=True).permissions)"
    )
    path = f"{Path(clew.__file__).parents[1]}:{tmp_path / 'site'}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": path, "HOME": str(tmp_path)},
    )  # fmt: skip

    assert done.stdout == "interactive None\n"
    assert LoopConfig().permissions is None


@pytest.mark.parametrize("path", ["../outside", "/etc/hostname", "a/../../outside", "out/outside"])
def test_a_snapshot_of_a_path_outside_does_not_break_the_loop(
    project: Path, ghost: GhostCommitManager, path: str
) -> None:
    (project.parent / "outside").write_text("not ours")
    (project / "out").symlink_to("..")
    (project / "mine").write_text("old")

    assert LoopConfig(ghost_commits=ghost).before_tool("write_file", {"path": path}) == "ghost-1"
    assert ghost.snapshot("edit two", ["mine", path]) == "ghost-2"
    (project / "mine").write_text("new")
    (project.parent / "outside").write_text("written by the tool")
    assert list(ghost.history[1].files) == ["mine"]
    skipped = f"skipped: {path} (outside the working directory)"
    assert ghost.undo() == ["restored: mine", skipped]
    assert ghost.redo() == ["restored: mine", skipped]
    assert ghost.undo(2) == ["restored: mine", skipped, skipped]
    assert (project.parent / "outside").read_text() == "written by the tool"
    assert (project / "mine").read_text() == "old"


def test_a_snapshot_of_an_excluded_path_does_not_break_the_loop(
    project: Path, ghost: GhostCommitManager
) -> None:
    with clew.open(project, create=True) as workspace:
        workspace.settings.set("exclude", "build")
    (project / "build").mkdir()
    (project / "build" / "out").write_text("made")
    ghost.snapshot("write_file: build/out", ["build/out"])

    assert ghost.undo() == ["skipped: build/out (not covered by checkpoints)"]
    assert (project / "build" / "out").read_text() == "made"


def test_only_successful_steps_are_checkpointed_and_tracked(manager: CheckpointManager) -> None:
    tracker = FileTracker()
    config = LoopConfig(checkpoint_manager=manager, file_tracker=tracker, checkpoint_every_steps=1)

    assert config.after_tool("write_file", {"path": "a"}, success=False) is None
    assert tracker.modified_files == []
    assert config.after_tool("write_file", {"path": "a"}) is not None
    assert tracker.modified_files == ["a"]


# The REPL


def test_a_name_made_in_the_repl_is_found_by_the_manager(
    project: Path, env: LocalEnvironment, manager: CheckpointManager
) -> None:
    (project / "a").write_text("good")
    with clew.open(project, create=True) as workspace:
        assert handle("/checkpoint create before-refactor", workspace).ok
        (project / "a").write_text("better")
        assert handle("/checkpoint create all tests pass", workspace).ok
    (project / "a").write_text("broken")

    assert [one.name for one in manager.list_checkpoints()] == [
        "before-refactor", "all tests pass",
    ]  # fmt: skip
    found = manager.get("before-refactor")
    assert found is not None
    assert manager.restore_by_name("before-refactor") == found
    assert (project / "a").read_text() == "good"
    env.restore(found.id)
    assert manager.get("before-refactor") == found
    undone = manager.undo()
    assert undone is not None
    assert (undone.name, (project / "a").read_text()) == ("all tests pass", "better")


def test_names_of_both_are_in_the_order_of_their_creation(
    project: Path, manager: CheckpointManager
) -> None:
    manager.create("first")
    with clew.open(project) as workspace:
        handle("/checkpoint create second", workspace)
    manager.create("third")
    with clew.open(project) as workspace:
        listed = handle("/checkpoint list", workspace).text

    assert [one.name for one in manager.list_checkpoints()] == ["first", "second", "third"]
    assert manager.create().name == "checkpoint-4"
    assert all(name in listed for name in ("first", "second", "third"))


def test_a_record_of_the_repl_can_be_deleted_and_stays_deleted(
    project: Path, manager: CheckpointManager
) -> None:
    with clew.open(project, create=True) as workspace:
        handle("/checkpoint create one", workspace)
        handle("/checkpoint create two", workspace)
    manager.delete("one")
    assert [one.name for one in manager.list_checkpoints()] == ["two"]
    manager.clear()

    assert manager.list_checkpoints() == []
    assert CheckpointManager(LocalEnvironment(project)).list_checkpoints() == []


def test_a_checkpoint_that_was_deleted_is_not_listed(
    project: Path, manager: CheckpointManager
) -> None:
    with clew.open(project, create=True) as workspace:
        handle("/checkpoint create one", workspace)
        handle("/checkpoint create two", workspace)
        assert len(manager.list_checkpoints()) == 2
        workspace.delete(["one"])

    assert [one.name for one in manager.list_checkpoints()] == ["two"]


def test_a_git_environment_finds_them_too(project: Path) -> None:
    env = GitEnvironment(project)
    env.setup()
    (project / "a").write_text("good")
    with clew.open(project, create=True) as workspace:
        handle("/checkpoint create safe", workspace)
    (project / "a").write_text("broken")
    CheckpointManager(env).restore_by_name("safe")

    assert (project / "a").read_text() == "good"


# The file tracker


def test_the_file_tracker_of_the_page() -> None:
    tracker = FileTracker()
    tracker.record_read("src/auth.py")
    tracker.record_modified("src/auth.py")
    tracker.record_read("tests/test_auth.py")
    tracker.record_read("src/auth.py")

    assert tracker.to_prompt_section() == (
        "## Files you've been working with\n"
        "Modified: src/auth.py\n"
        "Read: src/auth.py, tests/test_auth.py"
    )
    assert tracker.to_metadata() == CompactionMetadata(
        read_files=["src/auth.py", "tests/test_auth.py"], modified_files=["src/auth.py"]
    )
    assert FileTracker().to_prompt_section() == CompactionMetadata().to_prompt_section() == ""


def test_metadata_of_two_compactions_is_merged() -> None:
    first = CompactionMetadata(["a", "b"], ["a"], tokens_before=900, tokens_after=100)
    merged = first.merge(CompactionMetadata(["b", "c"], ["d"], 800, 80))

    assert merged == CompactionMetadata(["a", "b", "c"], ["a", "d"], 800, 80)
    assert first.read_files == ["a", "b"]


def test_a_compaction_strategy_carries_the_metadata() -> None:
    strategy = chimera.FileAwareCompaction()
    assert strategy.get_file_prompt_section() == ""
    strategy.set_metadata(CompactionMetadata(modified_files=["a"]))

    assert strategy.get_file_prompt_section() == "## Files you've been working with\nModified: a"


def test_the_loop_records_what_its_tools_read_and_modify() -> None:
    tracker = FileTracker()
    config = LoopConfig(file_tracker=tracker)
    config.after_tool("read_file", {"path": "read"})
    for tool in ("write_file", "edit_file", "replace_in_file"):
        config.after_tool(tool, {"path": tool})
    patch = "*** Begin Patch\n*** Update File: patched\n*** Add File: new\n*** End Patch"
    config.after_tool("apply_patch", {"patch": patch})
    config.after_tool("apply_patch", {"patch": "--- a/old.c\n+++ b/old.c\n@@ -1 +1 @@\n"})
    config.after_tool("list_files", {"path": "src"})
    config.after_tool("bash", {"command": "make"})

    assert tracker.read_files == ["read"]
    assert tracker.modified_files == [
        "write_file", "edit_file", "replace_in_file", "patched", "new", "old.c",
    ]  # fmt: skip


def test_a_tracker_of_a_directory_outlives_the_process(project: Path) -> None:
    tracker = FileTracker(workdir=project)
    tracker.record_read("a")
    tracker.record_modified("b")
    again = FileTracker(workdir=project)

    assert (again.read_files, again.modified_files) == (["a"], ["b"])
    assert again == tracker
    again.clear()
    assert FileTracker(workdir=project) == FileTracker()
