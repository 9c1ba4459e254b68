"""`clew` alone: where the workspace is, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from clew.cli.overview import commands_for
from clew.errors import WorkspaceMissing
from clew.model.overview import Overview
from clew.model.setup_results import HookStatus, SetupState
from clew.model.shorten import width_of
from tests.cli import samples, samples_setup
from tests.cli.fakes import FakeClew
from tests.kit.running import Clew

WHOLE = """\
workspace  /home/me/project, 4 checkpoints
here       04040404  11:00  try the new login
           ✘ npm test: failing
good       02020202  Sun 10:07  2 checkpoints ago: before-auth · before the aut…
agents     Claude Code: at work, last event 11:07
changed    src/new.py added
           1 added, 1 modified

  clew diff                       list what changed
  clew save "TEXT"                keep it
  clew undo                       take it back
  clew restore good --dry-run     see what going back would change
  clew bisect                     find the checkpoint that broke it
"""


def test_it_fits_a_small_terminal(fake: FakeClew) -> None:
    fake.environ["COLUMNS"] = "80"
    ran = fake.run()

    assert (ran.code, ran.out) == (ExitCode.DONE, WHOLE)
    assert fake.library.opened == [(".", None, False)]
    assert len(WHOLE.splitlines()) <= 15


def test_common_options_are_taken(fake: FakeClew) -> None:
    fake.run("-C", "there", "--store=s")

    assert fake.library.opened == [("there", "s", False)]


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
def test_no_line_of_a_long_history_is_wider_than_the_terminal(clew: Clew, columns: int) -> None:
    (clew.workspace / ("長い名前" * 15)).write_text("x")
    clew.ok("save", "a long intent, 長い説明, " * 8)
    (clew.workspace / ("wide-" * 20)).write_text("x")
    clew.extra["COLUMNS"] = str(columns)
    lines = [line for line in clew.ok().out.splitlines() if not line.startswith(("workspace", " "))]
    assert len(lines) >= 3
    assert max(map(width_of, lines)) <= columns


def test_what_is_known_is_shown_before_a_scan_that_may_take_long(fake: FakeClew) -> None:
    class Missing(type(fake.workspace)):  # type: ignore[misc]
        def status(self, *, monitor: object = None) -> None:
            raise WorkspaceMissing("/home/me/project")

    fake.library.workspace = Missing()
    ran = fake.run()

    assert ran.code != ExitCode.DONE
    assert ran.out.startswith("workspace  /home/me/project")
    assert "changed" not in ran.out
    assert "/home/me/project" in ran.err


def test_an_agent_whose_hooks_are_broken_says_so(fake: FakeClew) -> None:
    broken = HookStatus("codex", "Codex", "user", "/x", SetupState.OUTDATED)
    silent = HookStatus("qwen", "Qwen Code", "user", "/y", SetupState.ENABLED)
    fake.setup.checkup = samples_setup.CHECKUP._replace(agents=(broken, silent))

    assert "Codex: outdated, see `clew doctor`; Qwen Code: no event yet" in fake.run().out


def test_outside_a_workspace_it_says_how_to_start(clew: Clew) -> None:
    ran = clew.run()

    assert (ran.code, ran.err) == (ExitCode.DONE, "")
    assert ran.out.startswith("Not in a workspace. Start with:\n\n  clew save")
    assert "clew help" in ran.out
    assert json.loads(clew.run("--json").out)["workspace"] is None
    assert not clew.store.exists()


def test_a_clean_a_changed_and_a_failing_workspace(clew: Clew) -> None:
    (clew.workspace / "app").write_text("1")
    clew.ok("save", "works", "--verify", "grep -q 1 app")
    clean = clew.ok().out
    (clew.workspace / "app").write_text("2")
    changed = clew.json()
    clew.run("save", "broken", "--verify", "grep -q 1 app")
    failing = clew.json()

    assert "good       here\n" in clean
    assert "changed    nothing since here" in clean
    assert (changed["has_changes"], changed["headline"]) == (True, "app changed")
    assert changed["change_counts"]["modified"] == 1
    assert changed["next_commands"][:2] == ["clew diff", 'clew save "TEXT"']
    assert failing["has_changes"] is False
    assert failing["good"]["intent"] == "works"
    assert failing["newer_than_good_count"] == 1
    assert failing["next_commands"][:2] == ["clew restore good --dry-run", "clew bisect"]


def test_hooks_are_read_and_their_agent_is_named(clew: Clew, tmp_path: Path) -> None:
    (clew.workspace / "app").write_text("1")
    clew.ok("enable", "claude-code", "--shared")

    assert "agents     Claude Code: no event yet" in clew.ok().out
    (found,) = clew.json()["agents"]
    assert (found["agent"], found["state"]) == ("claude-code", "enabled")
    assert found["file"].endswith("/.claude/settings.json")


def test_each_situation_has_its_commands() -> None:
    failing = samples.OVERVIEW
    plain = failing._replace(here=samples.FIRST)

    def first(found: Overview, *, has_check: bool = False, is_dirty: bool = False) -> str:
        return commands_for(found, is_dirty, has_check)[0][0]

    assert first(failing._replace(is_restore_unfinished=True)) == "clew restore --continue"
    assert first(failing._replace(here=None)) == 'clew save "TEXT"'
    assert first(failing, is_dirty=True) == "clew diff"
    assert first(failing) == "clew restore good --dry-run"
    assert first(failing._replace(good=None)) == "clew log"
    assert first(plain, has_check=True) == "clew verify @"
    assert first(plain) == "clew log"
