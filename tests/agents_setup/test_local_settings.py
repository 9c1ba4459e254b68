"""Hooks of Claude Code in a project: in the local file, or in the shared one, and never in both."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from clew.agents import setup
from clew.agents.setup import hook_entries, receipts
from clew.agents.setup.catalogue import AGENTS, LOCAL, PROJECT, hook_command
from clew.errors import BadOption
from clew.model.setup_results import CheckOutcome, Checkup, Enabled, SettingsChange
from tests.agents_setup.conftest import Place

CLAUDE = AGENTS["claude-code"]
LOCAL_FILE = ".claude/settings.local.json"
SHARED_FILE = ".claude/settings.json"


def has_hooks(path: Path) -> bool:
    return path.exists() and bool(hook_entries.find(path.read_text(), CLAUDE, "").events)


def write_hooks(path: Path, command: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(hook_entries.add("{}\n", CLAUDE, command).text)


def git(place: Place, *words: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(["git", *identity, *words], cwd=place.project, check=True, capture_output=True)


def needs(result: Enabled, word: str) -> list[str]:
    return [need for need in result.needs if word in need]


def outcomes(found: Checkup) -> dict[str, str]:
    return {one.name: one.outcome for one in found.checks}


def test_hooks_are_written_to_the_local_file(place: Place) -> None:
    shared = place.project / SHARED_FILE
    shared.parent.mkdir()
    shared.write_text('{"model": "opus"}')
    result = setup.enable("claude-code")

    assert [one.path for one in result.files] == [str(place.project / LOCAL_FILE)]
    assert has_hooks(place.project / LOCAL_FILE)
    assert shared.read_text() == '{"model": "opus"}'


def test_a_local_hook_needs_no_path(place: Place) -> None:
    setup.enable("claude-code")
    hooks = json.loads((place.project / LOCAL_FILE).read_text())["hooks"]

    assert f"exec {place.bin / 'clew'} hook" in hooks["Stop"][0]["hooks"][0]["command"]


def test_hooks_are_shared_on_request(place: Place) -> None:
    result = setup.enable("claude-code", shared=True)

    assert [one.path for one in result.files] == [str(place.project / SHARED_FILE)]
    assert not (place.project / LOCAL_FILE).exists()
    assert needs(result, "--local") == []


def test_hooks_in_the_shared_file_stay_there_until_asked(place: Place) -> None:
    write_hooks(place.project / SHARED_FILE, "clew hook claude-code")
    stayed = setup.enable("claude-code")
    is_doubled = (place.project / LOCAL_FILE).exists()
    moved = setup.enable("claude-code", shared=False)

    assert not is_doubled
    assert needs(stayed, "clew enable claude-code --local") != []
    assert [(one.path, one.change) for one in moved.files] == [
        (str(place.project / LOCAL_FILE), SettingsChange.CREATED),
        (str(place.project / SHARED_FILE), SettingsChange.CHANGED),
    ]
    assert has_hooks(place.project / LOCAL_FILE)
    assert not has_hooks(place.project / SHARED_FILE)


def test_hooks_go_to_the_shared_file_and_back_without_a_trace(place: Place) -> None:
    before = place.everything()
    setup.enable("claude-code")
    local = place.everything()
    setup.enable("claude-code", shared=True)
    assert not (place.project / LOCAL_FILE).exists()
    setup.enable("claude-code", shared=False)

    assert place.everything() == local
    setup.disable()
    assert place.everything() == before


def test_hooks_in_both_files_are_told_and_end_up_in_one(place: Place) -> None:
    setup.enable("claude-code")
    write_hooks(place.project / SHARED_FILE, hook_command(CLAUDE, PROJECT, (), False))
    found = setup.doctor()
    setup.enable("claude-code")

    assert outcomes(found)["duplicates/claude-code"] == CheckOutcome.FAILED
    assert not (place.project / LOCAL_FILE).exists()
    assert has_hooks(place.project / SHARED_FILE)
    assert setup.doctor().problems == ()


def test_hooks_of_the_user_and_of_the_project_are_told(place: Place) -> None:
    setup.enable("claude-code")
    setup.enable("claude-code", scope="user")
    problems = setup.doctor().problems

    assert [one.hint for one in problems] == [
        "Run `clew disable claude-code --project` or `clew disable claude-code --user`"
    ]
    assert str(place.home / SHARED_FILE) in problems[0].what


def test_disable_removes_hooks_from_both_files(place: Place) -> None:
    command = hook_command(CLAUDE, LOCAL, (str(place.bin / "clew"),), False)
    for name in (LOCAL_FILE, SHARED_FILE):
        write_hooks(place.project / name, command)
    result = setup.disable("claude-code")

    assert {one.path for one in result.files} == {
        str(place.project / LOCAL_FILE),
        str(place.project / SHARED_FILE),
    }


@pytest.mark.parametrize(
    ("agent", "scope", "shared", "why"),
    [
        ("codex", "project", False, "reads no local settings file"),
        ("claude-code", "user", False, "--user"),
        ("claude-code", "user", True, "--user"),
    ],
)
def test_a_file_that_there_is_not_is_refused(
    place: Place, agent: str, scope: str, shared: bool, why: str
) -> None:
    before = place.everything()
    with pytest.raises(BadOption, match=why):
        setup.enable(agent, scope=scope, shared=shared)

    assert place.everything() == before


def test_other_agents_have_one_file(place: Place) -> None:
    result = setup.enable("gemini", shared=True)

    assert [one.path for one in result.files] == [str(place.project / ".gemini/settings.json")]


def test_a_local_file_that_git_would_commit_is_told(place: Place) -> None:
    outside = setup.enable("claude-code")
    git(place, "init")
    inside = setup.enable("claude-code")
    warned = setup.doctor()
    (place.project / ".gitignore").write_text(f"{LOCAL_FILE}\n")

    assert needs(outside, "git") == []
    assert needs(inside, f"echo {LOCAL_FILE} >> .gitignore") != []
    assert outcomes(warned)["gitignore/claude-code"] == CheckOutcome.WARNING
    assert warned.problems == ()
    assert needs(setup.enable("claude-code"), "git does not ignore") == []
    assert "gitignore/claude-code" not in outcomes(setup.doctor())


def test_a_repository_cannot_have_git_start_its_programs(place: Place) -> None:
    git(place, "init")
    trap = place.project / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {place.home}/sprung\n")
    trap.chmod(0o755)
    git(place, "config", "core.fsmonitor", str(trap))
    setup.enable("claude-code")
    setup.doctor()

    assert not (place.home / "sprung").exists()


@pytest.mark.parametrize("words", [("reset", "--hard"), ("checkout", "--", "."), ("stash",)])
def test_hooks_that_git_took_away_are_missed(place: Place, words: tuple[str, ...]) -> None:
    shared = place.project / SHARED_FILE
    shared.parent.mkdir()
    shared.write_text('{"model": "opus"}\n')
    git(place, "init")
    git(place, "add", "-A")
    git(place, "commit", "-m", "first")
    setup.enable("claude-code", shared=True)
    git(place, *words)
    found = setup.doctor()

    assert not has_hooks(shared)
    assert [(one.state, one.path) for one in found.agents] == [("missing", str(shared))]
    assert found.problems[0].what == f"The hooks of Claude Code were removed from {shared}"
    assert found.problems[0].hint.startswith("Run `clew enable claude-code --shared` again")


def test_hooks_that_git_clean_deleted_are_missed_until_disabled(place: Place) -> None:
    git(place, "init")
    setup.enable("claude-code", mcp=True)
    git(place, "clean", "-fd")
    problems = setup.doctor().problems
    setup.disable("claude-code")

    assert [one.hint.partition("`")[2].partition("`")[0] for one in problems] == [
        "clew enable claude-code",
        "clew enable claude-code --mcp",
    ]
    assert setup.doctor().problems == ()


def test_a_receipt_of_an_older_clew_is_a_promise_of_hooks(place: Place) -> None:
    setup.enable("codex", skill=True)
    settings = place.project / ".codex/hooks.json"
    receipt = receipts.find(str(settings))
    assert receipt is not None
    receipts.write(str(settings), receipt._replace(features=()))
    settings.unlink()

    assert [one.state for one in setup.doctor().agents] == ["missing"]
