"""No interpreter of ours imports from the workspace, whatever is planted there."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from clew.agents.setup import catalogue, server_entry
from clew.agents.setup.catalogue import AGENTS
from clew.cli.commands import VERBS
from tests.agents_hooks.recorded import TESTDATA
from tests.hostile_workspace.planting import (
    console_script,
    early_names,
    every_name,
    marks_in,
    plant,
)
from tests.kit import background
from tests.kit.killing import ALL
from tests.mcp_server.talking import ok, until

SCENARIO: dict[str, Sequence[Sequence[str]]] = {
    "init": [["init", "{workspace}"]],
    "config": [["config"], ["config", "set", "verify", "true"], ["config", "get", "verify"]],
    "save": [
        ["save", "one", "--name", "one", "--verify", "true"],
        ["save", "two", "--name", "two", "--check"],
        ["save", "--skip-unchanged"],
    ],
    "edit": [["edit", "two", "--intent", "second"]],
    "verdict": [["verdict", "two", "passing"]],
    "log": [["log"], ["--json", "log", "--path", "{workspace}/file"]],
    "status": [["status"], ["--json", "status"]],
    "show": [["show", "@"]],
    "good": [["good"]],
    "diff": [["diff", "one", "two", "--patch"], ["diff", "one", "two", "--facts"]],
    "blame": [["blame", "{workspace}/file"]],
    "search": [["search", "file"], ["search", "one", "--all-workspaces"]],
    "grep": [["grep", "save"], ["--json", "grep", "(a+)+b"]],
    "workspaces": [["workspaces"]],
    "ls": [["ls", "one"]],
    "cat": [["cat", "one", "{workspace}/file"]],
    "verify": [["verify", "one", "--", "true"]],
    "drill": [["drill", "one"], ["drill", "--random", "--no-check"]],
    "exec": [["exec", "one", "--", "true"]],
    "fork": [["fork", "one", "{outside}/fork", "--name", "grown"]],
    "enter": [["enter", "grown", "--", "true"]],
    "forks": [["forks"]],
    "try": [["try", "two", "--attempt", "a=true", "--attempt", "b=echo b > other"]],
    "compare": [["compare", "a", "b"]],
    "adopt": [["adopt", "b", "--yes"]],
    "discard": [["discard", "a", "--yes"]],
    "bisect": [["bisect", "one", "@", "--", "true"]],
    "restore": [["restore", "one", "--dry-run"], ["restore", "one", "--yes"]],
    "undo": [["undo", "--yes"]],
    "redo": [["redo", "--yes"]],
    "enable": [
        ["enable", agent, "--mcp", "--skill", "--instructions", scope]
        for agent, scope in zip(AGENTS, ("--project", "--user") * len(AGENTS), strict=False)
    ],
    "doctor": [["doctor"]],
    "disable": [["disable"]],
    "session": [["session", "attach", "--agent", "bot"], ["session", "list"]],
    "task": [["task", "add", "write"], ["task", "list"]],
    "resume": [["resume"]],
    "effect": [["effect", "record", "deploy"], ["effect", "list"]],
    "brief": [["brief"]],
    "repl": [["repl"]],
    "mcp": [["mcp"]],
    "hook": [["hook", agent] for agent in AGENTS],
    "stats": [["stats"]],
    "fsck": [["fsck", "--read-data"]],
    "delete": [["delete", "two", "--yes"]],
    "prune": [["prune", "--keep-last", "1"]],
    "gc": [["gc"]],
    "completion": [["completion", "bash"]],
    "prompt": [["prompt", "--scan"]],
}
"""Lines for every command, in an order in which each has something to do."""

MAY_FAIL = ("hook", "doctor", "bisect", "delete", "mcp", "compare")
"""Commands that answer with another exit code than 0 here; they run all the same."""

Way = tuple[Sequence[str], Path, dict[str, str]]
"""How a command is started: its first words, a directory, and variables."""

TURNS = (0, 1) if ALL else (0,)
"""With which way a play begins; when thorough, each line is started in each way."""


class Trap:
    """A workspace full of planted modules, and a clew to be run in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.outside = tmp_path
        self.workspace = tmp_path / "project"
        self.below = self.workspace / "docs"
        self.marks = tmp_path / "marks"
        self.home = tmp_path / "home"
        self.home.mkdir()
        self.script = console_script(tmp_path / "bin")
        self.below.mkdir(parents=True)
        (self.workspace / "file").write_text("1\n")

    def plant(self, names: frozenset[str]) -> None:
        for directory in (self.workspace, self.below, self.workspace / "src"):
            plant(directory, self.marks, names)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {"PATH": f"{self.script.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        return {
            **kept, "HOME": str(self.home), "CLEW_HOME": str(self.outside / "store"),
            "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC", **background.OFF, **more,
        }  # fmt: skip

    def run(
        self, command: Sequence[str], cwd: Path, given: str = "", **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=cwd, env=self.environment(**more), input=given, capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip

    def is_at_work(self) -> bool:
        """Tell whether a process is there whose arguments name this store."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if os.fsencode(self.outside / "store") in path.read_bytes().split(b"\0"):
                    return True
        return False

    def play(self, ways: Sequence[Way], turn: int) -> None:
        """Run every command there is, in each of the ways by turns; look for marks after each."""
        assert set(SCENARIO) == set(VERBS), "a command is missing from the scenario"
        for verb, lines in SCENARIO.items():
            for line in lines:
                start, cwd, more = ways[turn % len(ways)]
                turn += 1
                words = [
                    word.format(outside=self.outside, workspace=self.workspace) for word in line
                ]
                if verb == "save":
                    (self.workspace / "file").write_text(f"{line}\n")
                ran = self.run([*start, *words], cwd, "/checkpoint list\n", **more)
                assert marks_in(self.marks) == "", words
                if verb not in MAY_FAIL:
                    assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
                assert "Traceback" not in ran.stderr, (words, ran.stderr)


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("turn", TURNS)
def test_no_command_imports_from_the_current_directory(trap: Trap, turn: int) -> None:
    trap.plant(every_name())
    ways: list[Way] = [
        ([str(trap.script)], trap.workspace, {}),
        ([sys.executable, "-P", "-m", "clew"], trap.below, {}),
    ]

    trap.play(ways, turn)


@pytest.mark.slow
@pytest.mark.parametrize("turn", TURNS)
def test_no_command_imports_more_from_pythonpath_or_after_dash_m(trap: Trap, turn: int) -> None:
    """What Python imports before our first line is out of reach; whatever comes later is not."""
    trap.plant(every_name() - early_names())
    below = trap.workspace / "m"
    plant(below, trap.marks, every_name() - early_names("runpy"))
    path = f".:docs::{trap.workspace}/src:{trap.workspace}"
    ways: list[Way] = [
        ([str(trap.script)], trap.workspace, {"PYTHONPATH": path}),
        ([sys.executable, "-m", "clew"], below, {}),
    ]

    trap.play(ways, turn)


PATHS = ["", ".", ":src", "{workspace}/src"]
START = [sys.executable, "-I", "-m", "clew"]
"""Itself deaf to the variables that its children must not hear."""


@pytest.mark.parametrize("entry", PATHS)
def test_a_prune_in_the_background_imports_nothing_from_the_workspace(
    trap: Trap, entry: str
) -> None:
    trap.plant(every_name())
    trap.run([*START, "save"], trap.workspace)
    code = (
        "import clew; from clew.operations.maintenance.auto_prune import prune_in_background\n"
        "with clew.open('.').reading_context() as context: prune_in_background(context)"
    )
    path = entry.format(workspace=trap.workspace)
    given = {"PYTHONPATH": path, **background.ON}
    ran = trap.run([sys.executable, "-I", "-c", code], trap.workspace, **given)
    assert ran.returncode == 0, ran.stderr
    until(lambda: not trap.is_at_work())

    assert marks_in(trap.marks) == ""


@pytest.mark.parametrize("entry", PATHS)
def test_a_clew_in_the_background_does_its_work(trap: Trap, entry: str) -> None:
    trap.plant(every_name())
    trap.run([*START, "init"], trap.workspace)
    words = ("-C", str(trap.workspace), "--store", str(trap.outside / "store"), "save", "here")
    code = (
        "from clew.worktree.interpreter import own_command, start_detached\n"
        f"start_detached((*own_command(), *{words!r}), {bytes(trap.workspace)!r})\n"
    )
    path = entry.format(workspace=trap.workspace)
    given = {"PYTHONPATH": path, **background.ON}
    ran = trap.run([sys.executable, "-I", "-c", code], trap.workspace, **given)
    assert ran.returncode == 0, ran.stderr
    until(lambda: not trap.is_at_work())
    log = json.loads(trap.run([*START, "--json", "log"], trap.workspace).stdout)

    assert marks_in(trap.marks) == ""
    assert [one["intent"] for one in log["checkpoints"]] == ["here"]


def events(agent: str) -> Iterator[dict[str, Any]]:
    """Yield one recorded event of each kind that an agent tells its hooks."""
    seen = set()
    for file in sorted(TESTDATA.glob(f"{agent}-[0-9]*.jsonl")):
        for line in file.read_text().splitlines():
            event = json.loads(line)
            name = event.get("hook_event_name")
            if name and name not in seen:
                seen.add(name)
                yield event


@pytest.mark.parametrize("scope", catalogue.SCOPES)
@pytest.mark.parametrize("agent", AGENTS)
def test_no_hook_imports_from_the_workspace(trap: Trap, agent: str, scope: str) -> None:
    trap.plant(every_name())
    trap.run([str(trap.script), "save", "first"], trap.workspace)
    command = catalogue.hook_command(AGENTS[agent], scope, (str(trap.script),), False)
    path = f".:src::{trap.workspace}"
    told = 0
    for event in events(agent):
        (trap.workspace / "file").write_text(str(told))
        said = {**event, "cwd": str(trap.workspace), "transcript_path": str(trap.home / "t")}
        given = {"PYTHONPATH": path, **background.ON}
        ran = trap.run(["/bin/sh", "-c", command], trap.workspace, json.dumps(said), **given)
        until(lambda: not trap.is_at_work())
        assert marks_in(trap.marks) == "", event["hook_event_name"]
        assert (ran.returncode, ran.stderr) == (0, "")
        told += 1

    assert told >= 4
    log = trap.run([str(trap.script), "--json", "log"], trap.workspace)
    assert len(json.loads(log.stdout)["checkpoints"]) > 1, "no hook did anything"


@pytest.mark.parametrize("path", [".:", ":", "bin:", "./bin:"])
@pytest.mark.parametrize("agent", [name for name, agent in AGENTS.items() if agent.events])
def test_a_hook_starts_no_clew_of_the_project(trap: Trap, agent: str, path: str) -> None:
    """A relative entry of the PATH leads into whatever directory the agent works in."""
    for place in (trap.workspace, trap.workspace / "bin"):
        place.mkdir(exist_ok=True)
        (place / "clew").write_text(f"#!/bin/sh\necho {place} >> {trap.marks}\n")
        (place / "clew").chmod(0o755)
    command = catalogue.hook_command(AGENTS[agent], catalogue.PROJECT, (), False)
    ran = trap.run(["/bin/sh", "-c", command], trap.workspace, "{}", PATH=f"{path}/usr/bin:/bin")

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert marks_in(trap.marks) == ""


def test_the_server_imports_nothing_from_the_workspace(trap: Trap) -> None:
    """Started as its entry in an agent's settings says, and asked to save, to look and to check."""
    trap.plant(every_name())
    trap.run([str(trap.script), "save", "first"], trap.workspace)
    trap.run([str(trap.script), "config", "set", "verify", "true"], trap.workspace)
    entry: Any = server_entry.entry(AGENTS["claude-code"])
    environment = {"PYTHONPATH": f".:src::{trap.workspace}", **entry["env"]}
    server = StdioServerParameters(
        command=str(trap.script), args=entry["args"], cwd=trap.workspace,
        env=trap.environment(**environment),
    )  # fmt: skip
    calls: list[tuple[str, dict[str, Any]]] = [
        ("save", {}), ("status", {}), ("save_and_verify", {}), ("verify", {"ref": "@"})
    ]  # fmt: skip

    async def run() -> None:
        async with Client(server) as client:
            for tool, given in calls:
                ok(await client.call_tool(tool, given))

    asyncio.run(run())

    assert entry["command"] == "clew"
    assert marks_in(trap.marks) == ""
