"""The programs of PraisonAI's own pages, with the import changed and nothing else."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.compat.praisonai import (
    Checkpoint,
    CheckpointConfig,
    CheckpointEvent,
    CheckpointResult,
    CheckpointService,
    SessionCheckpointManager,
)
from tests.compat.praisonai.place import Place, heard, run, saved
from tests.compat.praisonai.test_agent import Careful

DISABLED = (
    "Workspace checkpointing is disabled. Enable it with "
    "`checkpoints.auto: true` in config or `PRAISONAI_CHECKPOINTS=on`."
)


# "Checkpoints Module", quick start and basic checkpointing


def test_the_quick_start_restores_what_save_returned(place: Place) -> None:
    place.write("main.py", "before\n")

    async def main() -> CheckpointResult:
        service = CheckpointService(
            workspace_dir=str(place.workspace), storage_dir=str(place.storage)
        )
        await service.initialize()
        checkpoint_id = await service.save("Before refactoring")
        place.write("main.py", "after\n")
        return await service.restore(checkpoint_id)

    assert run(main()).success
    assert place.read("main.py") == "before\n"


def test_the_quick_start_restores_also_when_nothing_had_to_be_saved(place: Place) -> None:
    place.write("main.py", "before\n")
    saved(place.service(), "an earlier run of the program")

    async def main() -> tuple[CheckpointResult, CheckpointResult]:
        service = CheckpointService(str(place.workspace), str(place.storage))
        await service.initialize()
        checkpoint_id = await service.save("Before refactoring")
        place.write("main.py", "after\n")
        return checkpoint_id, await service.restore(checkpoint_id)

    empty, restored = run(main())

    assert (empty.success, empty.checkpoint) == (False, None)
    assert empty.error == "No changes to checkpoint"
    assert restored.success
    assert place.read("main.py") == "before\n"


def test_basic_checkpointing_compares_what_save_returned(place: Place) -> None:
    place.write("main.py", "before\n")

    async def main() -> list[str]:
        service = CheckpointService(str(place.workspace), str(place.storage))
        await service.initialize()
        cp1 = await service.save("Initial state")
        place.write("main.py", "after\n")
        cp2 = await service.save("After feature implementation")
        diff = await service.diff(cp1, cp2)
        await service.restore(cp1)
        return diff.modified_files

    assert run(main()) == ["main.py"]
    assert place.read("main.py") == "before\n"


def test_a_checkpoint_is_as_good_as_its_id(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    first = saved(service, "one")
    place.write("a.txt", "two")
    second = saved(service, "two")

    assert run(service.diff(first, second)).modified_files == ["a.txt"]
    assert run(service.get(first)) == first
    assert run(service.restore(first)).success
    assert run(service.delete(second))


def test_the_result_of_a_failed_save_restores_nothing_and_says_why(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    failed = CheckpointResult.fail("disk full")
    result = run(service.restore(failed))

    assert (result.success, result.error) == (False, "No checkpoint was saved: disk full")
    assert run(service.diff(failed)).error == "No checkpoint was saved: disk full"


# Classes, built as the page builds them


def test_a_checkpoint_is_built_from_what_the_page_names() -> None:
    now = datetime.now()
    made = Checkpoint(
        id="abc123def456",
        message="Before refactoring",
        timestamp=now,
        files_changed=["src/main.py", "src/utils.py"],
    )

    assert (made.id, made.short_id, made.message) == (
        "abc123def456", "abc123de", "Before refactoring",
    )  # fmt: skip
    assert made.files_changed == ["src/main.py", "src/utils.py"]
    assert made.metadata == {}
    assert made.to_dict()["timestamp"] == now.isoformat()


def test_a_configuration_needs_no_workspace(place: Place) -> None:
    config = CheckpointConfig(auto_checkpoint=True, max_checkpoints=50)
    service = CheckpointService(
        workspace_dir=str(place.workspace), storage_dir=str(place.storage), config=config
    )

    assert run(service.initialize())
    assert service.config.max_checkpoints == 50
    assert (service.workspace_dir, config.workspace_dir) == (str(place.workspace), "")


def test_a_configuration_may_say_everything(place: Place) -> None:
    config = CheckpointConfig(
        workspace_dir=str(place.workspace),
        storage_dir=str(place.storage),
        auto_checkpoint=False,
        exclude_patterns=["*.tmp"],
    )
    service = CheckpointService(config=config)

    assert service.config == config
    assert run(service.initialize())
    assert not service.checkpoint_before("write").success


def test_arguments_win_over_the_configuration(place: Place, tmp_path: Path) -> None:
    config = CheckpointConfig(str(tmp_path), "/elsewhere", max_checkpoints=50)
    service = CheckpointService(
        str(place.workspace),
        str(place.storage),
        max_checkpoints=7,
        exclude_patterns=["*.tmp"],
        config=config,
    )
    chosen = service.config

    assert (chosen.workspace_dir, chosen.storage_dir) == (str(place.workspace), str(place.storage))
    assert (chosen.max_checkpoints, chosen.exclude_patterns) == (7, ["*.tmp"])
    assert config.max_checkpoints == 50


@pytest.mark.parametrize("is_given", [False, True])
def test_a_service_without_a_workspace_is_refused(is_given: bool) -> None:
    config = CheckpointConfig() if is_given else None
    with pytest.raises(TypeError, match="workspace_dir"):
        CheckpointService(config=config)


def test_excluding_files(place: Place) -> None:
    config = CheckpointConfig(
        exclude_patterns=["*.log", "*.tmp", "node_modules/*", "__pycache__/*", ".git/*"]
    )
    for name in ("a.log", "b/c.tmp", "node_modules/x/i.js", "__pycache__/m.pyc", ".git/HEAD"):
        place.write(name, "old")
    place.write("main.py", "old")
    service = CheckpointService(str(place.workspace), str(place.storage), config=config)
    run(service.initialize())
    before = saved(service, "before")
    for name in ("a.log", "b/c.tmp", "node_modules/x/i.js", "__pycache__/m.pyc", ".git/HEAD"):
        place.write(name, "new")
    place.write("main.py", "new")

    assert run(service.diff(before)).modified_files == ["main.py"]
    assert run(service.restore(before)).success
    assert place.read("main.py") == "old"
    assert place.read("node_modules/x/i.js") == place.read(".git/HEAD") == "new"


def test_excluding_large_files(place: Place) -> None:
    config = CheckpointConfig(max_file_size=1000)
    place.write("data.bin", "small")
    service = CheckpointService(str(place.workspace), str(place.storage), config=config)
    run(service.initialize())
    before = saved(service, "before")
    place.write("data.bin", "x" * 1001)
    place.write("new.bin", "x" * 1001)
    place.write("main.py", "new")

    assert run(service.diff(before)).added_files == ["main.py"]
    assert run(service.restore(before)).success
    assert not (place.workspace / "main.py").exists()
    assert place.read("data.bin") == place.read("new.bin") == "x" * 1001


def test_large_files_are_excluded_only_on_request(place: Place) -> None:
    place.write("data.bin", "x" * (3 << 20))

    def coverage(**options: Any) -> dict[str, int]:
        made = saved(place.service(**options), "now", allow_empty=True)
        with clew.open(place.workspace, store=place.storage) as ws:
            return dict(ws.resolve(made.id).record.coverage.counts)

    assert coverage() == {}
    assert coverage(max_file_size=1 << 20) == {"too large": 1}
    assert coverage(max_file_size=0) == {}


# Events


def test_events_have_the_names_of_the_page(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    seen: list[tuple[str, object]] = []
    service.on(CheckpointEvent.CREATED, lambda found: seen.append(("created", found)))
    service.on(CheckpointEvent.RESTORED, lambda found: seen.append(("restored", found)))
    service.on(CheckpointEvent.DELETED, lambda found: seen.append(("deleted", found)))
    made = saved(service, "one")
    run(service.restore(made.id))
    run(service.delete(made.id))

    assert seen == [("created", made), ("restored", made), ("deleted", made)]
    for name in ("CREATED", "RESTORED", "DELETED"):
        assert CheckpointEvent[name] is CheckpointEvent[f"CHECKPOINT_{name}"]


def test_a_checkpoint_that_could_not_be_deleted_is_an_error_and_no_deletion(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    events = heard(service)

    assert not run(service.delete("ffffffff"))
    assert [name for name, _ in events] == ["error"]


def test_deleting_all_names_each(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    saved(service, "one")
    deleted: list[Any] = []
    service.on(CheckpointEvent.DELETED, deleted.append)

    assert run(service.delete_all())
    assert [one.message for one in deleted] == ["one", "Initial checkpoint"]


# With an agent


def test_an_agent_takes_the_service_under_both_documented_names(place: Place) -> None:
    path = str(place.write("main.py", "start"))
    service = place.service()
    agent = Careful("Developer", checkpoint_service=service)
    agent.execute_tool("write_file", {"path": path, "text": "one"})
    agent.execute_tool("write_file", {"path": path, "text": "two"})
    messages = [cp.message for cp in run(service.list())]

    assert agent.checkpoint_service is agent.checkpoints is service
    assert messages == [f"Before write_file: {path}"] * 2 + ["Initial checkpoint"]
    assert Careful("other", checkpoints=service).checkpoint_service is service


# SessionCheckpointManager, as the TUI and the REPL call it


def turns_of(place: Place, **options: Any) -> SessionCheckpointManager:
    return SessionCheckpointManager(
        str(place.workspace), enabled=True, storage_dir=str(place.storage), **options
    )


def test_a_diff_is_rendered_as_the_tui_asks_for_it(place: Place) -> None:
    manager = turns_of(place)
    manager.checkpoint_turn("session start")
    place.write("src/foo.py", "one\ntwo\n")
    place.write("README.md", "x\n")
    diff = manager.diff(turn_only=False, path=None)
    body = SessionCheckpointManager.render_diff(diff, scope="session")

    assert body == (
        "Changes this session:\n"
        "\n"
        "     added  README.md  (+1/-0)\n"
        "     added  src/foo.py  (+2/-0)\n"
        "\n"
        "  +3 / -0 across 2 file(s)"
    )
    assert manager.render_diff(manager.diff(path="nowhere.py"), scope="turn") == (
        "No file changes this turn."
    )


def test_a_diff_of_a_disabled_manager_says_how_to_enable_it(place: Place) -> None:
    manager = SessionCheckpointManager(str(place.workspace), storage_dir=str(place.storage))

    assert manager.render_diff(manager.diff(), scope="session") == DISABLED
    assert SessionCheckpointManager.render_diff(None) == DISABLED


def test_a_rendered_path_cannot_write_to_the_terminal(place: Place) -> None:
    manager = turns_of(place)
    manager.checkpoint_turn("session start")
    place.write("a\x1b[2Jb", "x\n")

    assert "\x1b" not in manager.render_diff(manager.diff())


@pytest.mark.parametrize("path", ["foo.py", "src/foo.py", "./src/foo.py", " src/foo.py "])
def test_a_diff_finds_a_file_by_the_end_of_its_path(place: Place, path: str) -> None:
    manager = turns_of(place)
    manager.checkpoint_turn("session start")
    place.write("src/foo.py", "one\n")
    place.write("src/barfoo.py", "one\n")
    place.write("other.py", "one\n")
    found = manager.diff(path=path)

    assert found is not None
    assert found.added_files == ["src/foo.py"]
    assert (found.total_additions, found.error) == (1, None)
    assert "other.py" not in found.diff_content


def test_a_diff_finds_an_absolute_path_and_a_directory(place: Place) -> None:
    manager = turns_of(place)
    manager.checkpoint_turn("session start")
    place.write("src/foo.py", "one\n")
    place.write("other.py", "one\n")
    absolute, directory = (
        manager.diff(path=str(place.workspace / "src/foo.py")),
        manager.diff(path="src/"),
    )

    assert absolute is not None
    assert directory is not None
    assert absolute.added_files == directory.added_files == ["src/foo.py"]


def test_a_session_diff_starts_where_this_process_began(place: Place) -> None:
    turns_of(place).checkpoint_turn("yesterday")
    place.write("old.py", "one\n")
    manager = turns_of(place)
    manager.checkpoint_turn("session start")
    place.write("new.py", "one\n")
    manager.checkpoint_turn("first question")
    found, later = manager.diff(), turns_of(place).diff()

    assert found is not None
    assert later is not None
    assert found.added_files == ["new.py"]
    assert later.added_files == ["new.py", "old.py"]


@pytest.mark.parametrize("name", ["clear_messages", "clear_history", "clear"])
def test_a_conversation_is_cleared_with_the_method_that_its_store_has(
    place: Place, name: str
) -> None:
    said = [{"role": "user", "content": "hello"}]

    class Store:
        def get_messages(self, session_id: str) -> list[dict[str, str]]:
            return list(said)

    setattr(Store, name, lambda self, session_id: said.clear())
    manager = turns_of(place, session_store=Store(), session_id="chat")
    said.clear()
    manager.checkpoint_turn("one")
    said.append({"role": "user", "content": "hello"})

    assert manager.revert() is not None
    assert said == []


def test_a_preview_has_the_number_of_messages_that_would_be_dropped(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    manager = turns_of(place)
    manager.checkpoint_turn("one")
    manager.say({"role": "user", "content": "hello"})
    preview = manager.preview(1)
    capsys.readouterr()

    assert preview.dropped_message_count == 1
    assert manager.preview(9).dropped_message_count is None


def test_a_disabled_manager_records_nothing(place: Place) -> None:
    manager = SessionCheckpointManager(str(place.workspace), storage_dir=str(place.storage))
    manager.say({"role": "user", "content": "hello"})

    assert manager.messages() == []
    assert manager.preview().dropped_message_count is None
    assert not place.storage.exists()


# Failures are results


def test_wrong_arguments_are_failed_results(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    wrong: Any = object()

    references: list[Any] = [wrong, 7, b"abcd", ["abcd"], "", " ", "HEAD~1", "\0"]
    for bad in references:
        result = run(service.restore(bad))
        assert not result.success, bad
        assert result.error
        assert run(service.diff(bad)).error
        assert run(service.get(bad)) is None
        assert run(service.delete(bad)) is False
    assert run(service.save("x", step=wrong)).error == "step must be a non-negative integer"
    assert run(service.restore(step=wrong)).success is False
    assert run(service.rewind(wrong)).error == "steps must be >= 1"
    assert run(service.list_checkpoints(limit=wrong)) == []
    assert run(service.save("x", metadata=wrong)).success is False
    assert place.read("a.txt") == "one"


def test_a_damaged_store_is_a_failed_result(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    made = saved(service, "one")
    (place.storage / "catalog.db").write_bytes(b"garbage " * 500)
    for path in place.storage.glob("catalog.db-*"):
        path.unlink()
    place.write("a.txt", "two")

    assert run(service.save("two")).error
    assert run(service.restore(made.id)).error
    assert run(service.rewind()).error
    assert run(service.diff(made.id)).error
    assert run(service.list()) == []
    assert run(service.get(made.id)) is None
    assert run(service.delete(made.id)) is False
    assert run(service.delete_all()) is False
    assert place.read("a.txt") == "two"
