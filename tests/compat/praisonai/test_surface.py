"""Every name, parameter, default, event and message of PraisonAI's API."""

from __future__ import annotations

import dataclasses
import inspect
import os
import threading
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

import clew
from clew.compat import praisonai
from clew.compat.praisonai import (
    PROTECTED_PATHS,
    Checkpoint,
    CheckpointConfig,
    CheckpointDiff,
    CheckpointEvent,
    CheckpointResult,
    CheckpointService,
    FileDiff,
)
from tests.compat.praisonai.place import Place, heard, run, saved


def defaults(function: object) -> dict[str, object]:
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    return {name: one.default for name, one in parameters.items() if name != "self"}


def test_the_constructor_takes_what_it_takes_there_in_that_order() -> None:
    assert list(defaults(CheckpointService).items()) == [
        ("workspace_dir", None),
        ("storage_dir", None),
        ("enabled", True),
        ("auto_checkpoint", True),
        ("max_checkpoints", 100),
        ("user_name", "PraisonAI Checkpoints"),
        ("user_email", "checkpoints@praison.ai"),
        ("max_file_size", 2 * 1024 * 1024),
        ("exclude_patterns", None),
        ("config", None),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("save", {"allow_empty": False, "step": None}),
        ("restore", {"checkpoint_id": None, "step": None}),
        ("rewind", {"steps": 1}),
        ("diff", {"from_id": None, "to_id": None}),
        ("list_checkpoints", {"limit": 50}),
    ],
)
def test_methods_are_asynchronous_and_have_the_same_defaults(
    name: str, expected: dict[str, object]
) -> None:
    method = getattr(CheckpointService, name)

    assert inspect.iscoroutinefunction(method)
    assert expected.items() <= defaults(method).items()


HOUSEHOLD = ("Desktop", "Documents", "Downloads")
OTHERS = (
    "initialize", "get_checkpoint", "get_checkpoint_by_step", "cleanup", "delete_all",
    "list", "get", "delete",
)  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_the_other_methods_are_asynchronous_too(name: str) -> None:
    assert inspect.iscoroutinefunction(getattr(CheckpointService, name))


def test_everything_is_importable_from_one_place() -> None:
    for name in praisonai.__all__:
        assert getattr(praisonai, name)
    with pytest.raises(AttributeError):
        _ = praisonai.Nothing


def test_the_configuration_has_the_code_s_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PRAISONAI_HOME", "PRAISONAI_GIT_USER_NAME", "PRAISONAI_GIT_USER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    config = CheckpointConfig("~/project")

    assert config.workspace_dir == str(tmp_path / "project")
    assert config.storage_dir == str(tmp_path / ".praisonai/checkpoints")
    assert (config.enabled, config.auto_checkpoint, config.max_checkpoints) == (True, True, 100)
    assert config.exclude_patterns == [
        ".git", ".praisonai", "__pycache__", "*.pyc", ".env", "node_modules", ".venv", "venv",
        "*.log",
    ]  # fmt: skip


def test_names_of_people_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRAISONAI_GIT_USER_NAME", "Someone")
    monkeypatch.setenv("PRAISONAI_GIT_USER_EMAIL", "someone@example.org")
    config = CheckpointConfig("project")

    assert (config.user_name, config.user_email) == ("Someone", "someone@example.org")


def test_protected_paths_are_those_of_the_original() -> None:
    home = os.path.expanduser("~")

    assert PROTECTED_PATHS[:4] == [home, *(f"{home}/{name}" for name in HOUSEHOLD)]
    assert PROTECTED_PATHS[4:] == ["/", "/tmp", "/var", "/etc"]


def test_a_checkpoint_has_the_fields_of_code_and_document() -> None:
    moment = datetime(2026, 11, 16, tzinfo=UTC)
    made = Checkpoint("a" * 40, "a" * 8, "words", moment)

    assert (made.insertions, made.deletions, made.step) == (0, 0, None)
    assert (made.files_changed, made.metadata) == ([], {})
    assert made.to_dict()["timestamp"] == "2026-11-16T00:00:00+00:00"
    assert Checkpoint.from_git_commit("a" * 40, "words", "2026-11-16T00:00:00Z") == made
    assert dataclasses.asdict(made)["message"] == "words"


def test_a_diff_counts_its_lines_and_sorts_its_files() -> None:
    diff = CheckpointDiff(
        "from", None,
        [
            FileDiff("a", "/w/a", "added", 3, 0),
            FileDiff("m", "/w/m", "modified", 1, 2),
            FileDiff("d", "/w/d", "deleted", 0, 4),
        ],
    )  # fmt: skip

    assert (diff.total_additions, diff.total_deletions) == (4, 6)
    assert (diff.added_files, diff.modified_files, diff.deleted_files) == (["a"], ["m"], ["d"])
    assert diff.to_dict()["files"] == [one.to_dict() for one in diff.files]


def test_results_and_events_have_the_words_of_the_original() -> None:
    assert CheckpointResult.fail("no") == CheckpointResult(False, None, "no")
    assert [one.value for one in CheckpointEvent] == [
        "initialized", "checkpoint_created", "checkpoint_restored", "checkpoint_deleted",
        "checkpoints_pruned", "error",
    ]  # fmt: skip
    assert str(CheckpointEvent.ERROR) == "CheckpointEvent.ERROR"


def test_the_directories_are_named_as_there_and_exist_once_initialised(place: Place) -> None:
    service = CheckpointService(str(place.workspace), str(place.storage))
    digits = sha256(str(place.workspace).encode()).hexdigest()[:12]

    assert service.checkpoint_dir == str(place.storage / digits)
    assert service.git_dir == str(place.storage / digits / ".git")
    assert not os.path.exists(service.checkpoint_dir)
    assert run(service.initialize())
    assert service.is_initialized
    assert os.path.isdir(service.git_dir)


def test_the_storage_is_a_store_that_clew_opens(place: Place) -> None:
    place.write("a.txt", "one")
    made = saved(place.service(), "from there")

    with clew.open(place.workspace, store=place.storage) as ws:
        assert ws.resolve(made.short_id).labels.intent == "from there"
        assert ws.store.check(read_data=True).whole


def test_shadow_repositories_of_the_original_are_left_alone(place: Place) -> None:
    digits = sha256(str(place.workspace).encode()).hexdigest()[:12]
    theirs = place.storage / digits / ".git" / "HEAD"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("ref: refs/heads/main\n")
    place.write("a.txt", "one")
    service = place.service()
    saved(service, "mine")

    assert run(service.delete_all())
    assert theirs.read_text() == "ref: refs/heads/main\n"


def test_what_cannot_begin_says_no(place: Place, tmp_path: Path) -> None:
    storage = str(place.storage)

    assert not run(CheckpointService(str(place.workspace), storage, enabled=False).initialize())
    assert not run(CheckpointService("/etc", storage).initialize())
    assert not run(CheckpointService(str(tmp_path / "nowhere"), storage).initialize())
    assert not place.storage.exists()


def test_a_store_that_cannot_be_made_is_an_event_and_a_no(place: Place) -> None:
    place.storage.write_text("a file, no directory")
    service = CheckpointService(str(place.workspace), str(place.storage))
    events = heard(service)

    assert not run(service.initialize())
    assert [name for name, _ in events] == ["error"]


def test_before_it_is_initialised_everything_is_refused_in_the_same_words(place: Place) -> None:
    service = CheckpointService(str(place.workspace), str(place.storage))

    assert run(service.save("x")).error == "Service not initialized"
    assert run(service.restore("x")).error == "Service not initialized"
    assert run(service.rewind()).error == "Service not initialized"
    assert run(service.list_checkpoints()) == run(service.list()) == []
    assert run(service.get("abcd")) is None
    assert run(service.get_checkpoint_by_step(1)) is None
    assert run(service.delete("abcd")) is False
    assert run(service.diff()) == CheckpointDiff("", "", error="Service not initialized")


def test_refusals_have_the_words_of_the_original(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    first = saved(service, "one")

    def error(result: CheckpointResult) -> str | None:
        assert not result.success
        return result.error

    assert error(run(service.save("again"))) == "No changes to checkpoint"
    assert error(run(service.save("x", step=-1))) == "step must be a non-negative integer"
    assert error(run(service.restore(step=7))) == "No checkpoint found for step 7"
    assert error(run(service.restore(first.id, step=1))) == (
        "Provide either checkpoint_id or step, not both"
    )
    assert error(run(service.restore())) == "No checkpoint id or step provided"
    assert error(run(service.rewind(0))) == "steps must be >= 1"
    assert error(run(service.rewind(5))) == (
        "Cannot rewind 5 step(s): only 2 checkpoint(s) available"
    )


def test_events_come_with_what_they_are_about(place: Place) -> None:
    place.write("a.txt", "one")
    service = CheckpointService(str(place.workspace), str(place.storage), max_checkpoints=2)
    events = heard(service)
    run(service.initialize())
    first = saved(service, "one")
    place.write("a.txt", "two")
    second = saved(service, "two")
    run(service.restore(second.id))
    run(service.restore("ffffffffffff"))

    assert events == [
        ("initialized", {"workspace": str(place.workspace)}),
        ("checkpoint_created", first),
        ("checkpoints_pruned", {"action": "pruned", "removed_count": 1}),
        ("checkpoint_created", second),
        ("checkpoint_restored", second),
        ("error", {"error": "No checkpoint matches: 'ffffffffffff'"}),
    ]


def test_handlers_are_called_in_the_thread_that_asked(place: Place) -> None:
    place.write("a.txt", "one")
    service = CheckpointService(str(place.workspace), str(place.storage))
    threads: list[int] = []
    for event in CheckpointEvent:
        service.on(event, lambda _: threads.append(threading.get_ident()))
    run(service.initialize())
    first = saved(service, "one")
    place.write("a.txt", "two")
    run(service.before_change("write: a.txt"))
    run(service.restore(first.id))
    run(service.restore("ffff"))

    assert threads == [threading.get_ident()] * 5


def test_a_handler_that_fails_is_nobody_s_problem(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    service.on(CheckpointEvent.CHECKPOINT_CREATED, lambda _: 1 / 0)

    assert run(service.save("one")).success
