"""`clew doctor`: no problem in a healthy setup, and a next step for every problem."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import clew
from clew.agents import setup
from clew.agents.hooks import log
from clew.agents.setup.catalogue import AGENTS
from clew.model.drill import Drill, DrillDifference, DrillOutcome
from clew.model.setup_results import Checkup, SetupState
from tests.agents_setup.conftest import Place
from tests.kit.fake_host import FakeHost


def hints(found: Checkup) -> list[str]:
    return [problem.hint for problem in found.problems]


def test_nothing_enabled_needs_nobody(place: Place) -> None:
    found = setup.doctor()

    assert found.agents == ()
    assert found.problems == ()
    assert found.workspace is None
    assert found.clew == str(place.bin / "clew")


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_just_enabled_is_well(place: Place, agent: str, scope: str) -> None:
    result = setup.enable(agent, scope=scope)
    if scope == "user":
        clew.open(place.project, create=True).save()
    found = setup.doctor()

    assert found.problems == ()
    assert [(one.agent, one.scope, one.state) for one in found.agents] == [
        (agent, scope, SetupState.ENABLED)
    ]
    assert found.agents[0].path == result.files[0].path
    assert found.free_bytes is not None
    (hook,) = [one for one in found.checks if one.name == f"hook/{agent}"]
    assert "took a checkpoint" in hook.detail


def test_programs_on_the_path_are_found(place: Place) -> None:
    shutil.copy(place.bin / "clew", place.bin / "codex")

    assert dict(setup.doctor().programs)["codex"] == str(place.bin / "codex")


def test_entries_that_are_missing_or_old_are_told(place: Place) -> None:
    setup.enable("gemini")
    settings = place.project / ".gemini/settings.json"
    whole = settings.read_text()
    for text in (whole.replace("60000", "5000", 1), whole.replace('"AfterTool"', '"PreCompress"')):
        settings.write_text(text)
        found = setup.doctor()

        assert found.agents[0].state == SetupState.OUTDATED
        assert hints(found) == ["Run `clew enable gemini` again"]
    setup.enable("gemini")
    assert setup.doctor().problems == ()


def test_a_plugin_of_another_clew_is_told(place: Place) -> None:
    setup.enable("opencode", scope="user")
    plugin = place.home / ".config/opencode/plugins/clew.js"
    plugin.write_text(plugin.read_text() + "// more\n")
    found = setup.doctor()

    assert found.agents[0].state == SetupState.OUTDATED
    assert "Run `clew enable opencode --user` again" in hints(found)


def test_a_clew_that_is_gone_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = place.home / "old" / "clew"
    gone.parent.mkdir()
    shutil.copy(place.bin / "clew", gone)
    monkeypatch.setattr("sys.argv", [str(gone)])
    setup.enable("qwen", scope="user")
    clew.open(place.project, create=True).save()
    assert setup.doctor().problems == ()
    gone.unlink()
    found = setup.doctor()

    assert found.problems[0].what.endswith(f"start a clew that does not exist: {gone}")
    assert hints(found) == ["Run `clew enable qwen --user` again"]


def test_settings_that_cannot_be_read_are_told(place: Place) -> None:
    setup.enable("claude-code")
    (place.project / ".claude/settings.local.json").write_text("{ // mine\n}")
    found = setup.doctor()

    assert found.agents[0].state == SetupState.UNREADABLE
    assert "comment at line 1, column 3" in found.problems[0].what


def test_settings_that_never_were_our_business_are_none_of_it(place: Place) -> None:
    (place.home / ".gemini").mkdir()
    (place.home / ".gemini/settings.json").write_text("{ // comments are fine here\n}")
    (place.home / ".qwen").mkdir()
    os.mkfifo(place.home / ".qwen/settings.json")

    found = setup.doctor()

    assert (found.agents, found.problems) == ((), ())


def test_a_plugin_is_seen_and_not_wanted_twice(place: Place) -> None:
    settings = place.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"clew@clew": true, "other@x": true}}')
    clew.open(place.project, create=True).save()
    found = setup.doctor()
    assert found.problems == ()
    assert [one.title for one in found.agents] == ["Claude Code's plugin"]
    setup.enable("claude-code")

    assert hints(setup.doctor()) == ["Run `clew disable claude-code`, or remove the plugin"]


def test_a_project_without_clew_on_the_path_is_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.enable("codex")
    monkeypatch.setenv("PATH", "/nonexistent")
    found = setup.doctor()

    assert found.clew is None
    assert "to the PATH that agents start with" in hints(found)[0]


def test_a_workspace_without_a_checkpoint_is_told(place: Place) -> None:
    setup.enable("codex", scope="user")
    assert hints(setup.doctor()) == ["Run `clew save`"]
    clew.init(place.project)[0].close()
    found = setup.doctor()

    assert found.problems[0].what.startswith("The workspace has no checkpoint yet")
    assert hints(found) == ["Run `clew save`"]


def test_a_store_that_is_gone_or_damaged_is_told(place: Place, tmp_path: Path) -> None:
    setup.enable("codex")
    catalogue = next((tmp_path / "store").glob("*.db"), None) or next(
        path for path in (tmp_path / "store").iterdir() if path.suffix in (".sqlite", ".sqlite3")
    )
    catalogue.write_bytes(b"garbage" * 1000)
    assert hints(setup.doctor()) != []
    shutil.rmtree(tmp_path / "store")
    found = setup.doctor()

    assert hints(found) == ["Run `clew save`"]


def test_a_disk_with_little_room_is_told(place: Place) -> None:
    setup.enable("codex")
    with clew.open(place.project) as workspace:
        workspace.settings.set("min-free", "0")
    host = FakeHost()
    host.free[Path("/")] = 400_000_000

    assert hints(setup.doctor(host=host)) == [
        "Free disk space, or shrink the store with `clew prune` and `clew gc`"
    ]


def test_hooks_that_failed_are_told_until_they_are_forgotten(place: Place) -> None:
    setup.enable("codex")
    journal = log.log_path(os.environ)
    for number in range(7):
        log.write(journal, "codex", "Stop", "/p", f"failure {number}")
    found = setup.doctor()
    assert [one.message for one in found.failures] == [f"failure {n}" for n in (6, 5, 4, 3, 2)]
    assert found.problems[0].what == "5 hooks failed, the last in /p: failure 6"
    forgotten = setup.doctor(forget=True)
    assert forgotten.failures == found.failures
    assert forgotten.problems == ()

    assert setup.doctor().failures == ()


def test_an_agent_that_was_heard_is_told(place: Place) -> None:
    setup.enable("codex")
    assert setup.doctor().heard_ns is None
    with clew.open(place.project) as workspace:
        workspace.sessions.open(agent="codex")

    assert setup.doctor().heard_ns is not None


def test_a_restore_drill_that_failed_is_a_problem_until_one_passes(place: Place) -> None:
    with clew.open(place.project, create=True) as workspace:
        saved = workspace.save("first").checkpoint
        failed = Drill(1, DrillOutcome.FAILED, 1, (DrillDifference(b"a", "is missing"),))
        with workspace.writing_context() as context:
            context.store.drills.put(saved.id, failed)
        problem = next(one for one in setup.doctor().problems if "drill" in one.what)
        workspace.drill(saved.id.hex())

    assert f"clew show {saved.id.hex()[:8]}" in problem.hint
    assert not any("drill" in one.what for one in setup.doctor().problems)
