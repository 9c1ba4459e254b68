"""`clew enable`, `clew disable`, `clew doctor`: what they ask for, and what they answer."""

from __future__ import annotations

import errno

from clew.cli.exits import ExitCode
from clew.errors import Locked, StoreDamaged, StoreTooNew
from clew.model.setup_results import Disabled, Left, SettingsChange, SetupState
from tests.cli import samples_setup
from tests.cli.fakes import FakeClew


def test_enable_passes_on_all_that_it_is_told(fake: FakeClew) -> None:
    fake.run("enable", "codex", "--user", "--machine", "--gate", "--mcp", "--skill", "-C", "there")
    fake.run("enable", "qwen", "--instructions", "--project", "--store", "s")

    assert fake.setup.asked == [
        (
            "enable",
            "codex",
            "there",
            {"scope": "user", "machine": True, "gate": True, "mcp": True, "skill": True},
        ),
        ("enable", "qwen", ".", {"scope": "project", "instructions": True, "store": "s"}),
    ]


def test_enable_asks_for_the_file_that_it_is_told(fake: FakeClew) -> None:
    fake.run("enable", "claude-code", "--shared")
    fake.run("enable", "claude-code", "--local")
    ran = fake.run("enable", "claude-code", "--local", "--shared")

    assert [asked[3] for asked in fake.setup.asked] == [
        {"scope": "project", "shared": True},
        {"scope": "project", "shared": False},
    ]
    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith("Error: --shared: cannot be combined with --local\n")


def test_hooks_that_were_moved_are_cleaned_from_the_other_file(fake: FakeClew) -> None:
    shared = "/home/me/project/.claude/settings.json"
    other = samples_setup.ENABLED.files[0]._replace(path=shared, change=SettingsChange.CHANGED)
    fake.setup.enabled = samples_setup.ENABLED._replace(files=(*samples_setup.ENABLED.files, other))

    assert f"  cleaned    {shared} (hooks)" in fake.run("enable", "claude-code").out.splitlines()


def test_doctor_has_a_remedy_for_each_error(fake: FakeClew) -> None:
    fake.run("doctor")
    explain = fake.setup.explain
    assert explain is not None

    assert explain(StoreTooNew("/s", "9")).startswith("Upgrade clew")
    assert explain(StoreDamaged("off")).startswith("Find the damage with `clew fsck")
    assert explain(Locked("/s")).startswith("Wait for that process")
    assert explain(OSError(errno.ENOSPC, "full")).startswith("Free disk space")


def test_enable_says_what_is_kept_what_was_written_and_what_is_left_to_do(fake: FakeClew) -> None:
    assert fake.run("enable", "claude-code").out.splitlines() == [
        "Claude Code is enabled for /home/me/project",
        "  saved      as checkpoint-4: 1,234 entries, 5.6 MB",
        "  history    /home/me/.local/share/clew",
        "  gate       on: actions outside the workspace need approval",
        "  created    /home/me/project/.claude/settings.local.json (hooks)",
        "  to do      A session that is running now must be started again",
        "`clew disable claude-code` removes it, `clew doctor` checks it",
    ]


def test_two_scopes_at_once_make_no_sense(fake: FakeClew) -> None:
    for verb in ("enable", "disable"):
        ran = fake.run(verb, "codex", "--user", "--project")

        assert ran.code == ExitCode.USAGE
        assert ran.err.startswith("Error: --user: cannot be combined with --project\n")
    assert fake.setup.asked == []


def test_disable_says_what_went_and_what_stays(fake: FakeClew) -> None:
    ran = fake.run("disable", "claude-code", "--project")

    assert fake.setup.asked == [("disable", "claude-code", ".", "project", None)]
    assert ran.code == ExitCode.DONE
    assert ran.out.splitlines() == [
        "  removed    /home/me/project/.claude/settings.local.json (hooks)",
        "  kept       /home/me/project/AGENTS.md: needed by codex",
        "The history is kept; `clew log` shows it",
    ]


def test_disable_with_nothing_there_says_so_and_is_done(fake: FakeClew) -> None:
    fake.setup.disabled = Disabled(())
    ran = fake.run("disable")

    assert ran.code == ExitCode.DONE
    assert ran.out == "Nothing to remove: no entries of clew found\n"


def test_disable_is_partial_where_a_file_could_not_be_edited(fake: FakeClew) -> None:
    fake.setup.disabled = Disabled((), (Left("/x/\x1b[31m", "a comment\n(line 1)"),))
    ran = fake.run("disable")

    assert ran.code == ExitCode.PARTIAL
    assert ran.out == "  LEFT       /x/\\x1b[31m: a comment…\n"


def test_doctor_lists_problems_with_the_next_step_and_fails(fake: FakeClew) -> None:
    ran = fake.run("doctor", "--forget")

    assert fake.setup.asked == [("doctor", ".", None, True)]
    assert ran.code == ExitCode.FAILED
    assert ran.out.splitlines() == [
        "Claude Code  enabled: /home/me/project/.claude/settings.local.json",
        "Workspace    /home/me/project",
        "Store        /home/me/.local/share/clew, 80.0 GB free",
        "Last active  11:07",
        "  11:07  claude-code Stop in /home/me/project: No space left",
        "✔ A restore gave back every byte and attribute",
        "✘ A hook failed",
        "  Fix the cause, then run `clew doctor --forget`",
    ]


def test_doctor_is_content_where_nothing_needs_anybody(fake: FakeClew) -> None:
    fake.setup.checkup = samples_setup.CHECKUP._replace(
        agents=(), failures=(), checks=(), workspace=None
    )
    ran = fake.run("doctor")

    assert ran.code == ExitCode.DONE
    assert ran.out.splitlines() == [
        "No agent is enabled; enable one with `clew enable AGENT`",
        "  on the PATH: claude-code",
        "No problems found",
    ]


def test_doctor_shows_hostile_names_as_they_are_spelled(fake: FakeClew) -> None:
    standing = samples_setup.CHECKUP.agents[0]._replace(
        path="/a\x1b[2J", state=SetupState.UNREADABLE
    )
    fake.setup.checkup = samples_setup.CHECKUP._replace(agents=(standing,))

    assert "Claude Code  UNREADABLE: /a\\x1b[2J\n" in fake.run("doctor").out
