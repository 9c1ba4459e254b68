"""Start-up of a hook, which runs at every tool call: it imports no more than it needs."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.agents_hooks.hooking import LONGEST, Hook

SLOW = {
    "argparse", "asyncio", "click", "concurrent.futures", "dataclasses", "datetime", "email",
    "hashlib", "http", "inspect", "logging", "mcp", "multiprocessing", "pathlib", "pydantic", "random",
    "rich", "shutil", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "tomllib",
    "urllib.parse", "urllib.request", "uuid",
}  # fmt: skip
OURS = ("clew.cli", "clew.mcp", "clew.render", "clew.detectors", "clew.agents.setup")
EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "PostToolBatch", "Stop")


def imported(hook: Hook, name: str) -> set[str]:
    """Return the modules that a hook imports when it is told of an event."""
    command = hook.clew.command("hook", "claude-code")
    command[1:1] = ["-X", "importtime"]
    done = subprocess.run(
        command,
        cwd=hook.clew.workspace,
        env=hook.environment,
        input=json.dumps(hook.payload(name)).encode(),
        capture_output=True,
        timeout=LONGEST,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}


def test_where_nothing_changed_nothing_slow_is_imported(hook: Hook) -> None:
    hook.tell("SessionStart")
    found = {name: imported(hook, name) for name in EVENTS}
    bare = _imported_by_python(hook)

    assert hook.log == []
    for name, modules in found.items():
        assert "clew.agents.watch" in modules
        assert modules & SLOW - bare == set(), name
        assert [one for one in modules if one.startswith(OURS)] == [], name


def test_an_event_that_is_nothing_to_us_does_not_even_open_the_store(hook: Hook) -> None:
    found = imported(hook, "PostToolUse")

    assert "clew.agents.hooks.entry" in found
    assert not found & {"clew.store.store", "clew.agents.watch", "apsw"}


def test_outside_a_workspace_the_command_line_is_not_imported_either(hook: Hook) -> None:
    hook.clew.extra["CLEW_HOME"] = str(hook.clew.store.parent / "elsewhere")
    found = imported(hook, "PostToolBatch")

    assert [one for one in found if one.startswith(OURS)] == []


def _imported_by_python(hook: Hook) -> set[str]:
    """Return what is imported before anything of ours is, by this very interpreter."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"],
        env=hook.environment,
        capture_output=True,
        check=True,
        timeout=LONGEST,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
