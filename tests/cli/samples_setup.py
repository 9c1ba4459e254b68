"""Results of setting agents up, for commands that only show them."""

from __future__ import annotations

from clew.model.setup_results import (
    Check,
    CheckOutcome,
    Checkup,
    Disabled,
    EditedFile,
    Enabled,
    Feature,
    HookFailure,
    HookStatus,
    Left,
    SettingsChange,
    SetupState,
)
from tests.cli import samples

SETTINGS = "/home/me/project/.claude/settings.local.json"

ENABLED = Enabled(
    "claude-code",
    "Claude Code",
    "project",
    machine=False,
    gate=True,
    workspace=samples.INFO,
    store=samples.STORE,
    saved=samples.SAVED,
    files=(
        EditedFile(SETTINGS, (Feature.HOOKS,), SettingsChange.CREATED, "claude-code", "project"),
    ),
    needs=("A session that is running now must be started again",),
)
DISABLED = Disabled(
    (EditedFile(SETTINGS, (Feature.HOOKS,), SettingsChange.REMOVED, "claude-code", "project"),),
    (Left("/home/me/project/AGENTS.md", "needed by codex", needed=True),),
)
CHECKUP = Checkup(
    agents=(HookStatus("claude-code", "Claude Code", "project", SETTINGS, SetupState.ENABLED),),
    programs=(("claude-code", "/usr/bin/claude"), ("codex", None)),
    clew="/usr/bin/clew",
    workspace=samples.INFO,
    store=samples.STORE,
    free_bytes=80_000_000_000,
    heard_ns=samples.NOW,
    failures=(
        HookFailure(samples.NOW, "claude-code", "Stop", "/home/me/project", "No space left"),
    ),
    checks=(
        Check("restore", CheckOutcome.PASSED, "A restore gave back every byte and attribute"),
        Check(
            "hook-log",
            CheckOutcome.FAILED,
            "A hook failed",
            "Fix the cause, then run `clew doctor --forget`",
        ),
    ),
)
