"""The plugin for Claude Code, the skill and the instructions: valid, correct, and consistent."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import clew
from clew.agents.hooks import entry
from clew.agents.hooks.events import EventKind
from clew.agents.setup import catalogue, server_entry, texts
from clew.agents.setup.catalogue import AGENTS
from clew.cli.commands import VERBS, module_name
from clew.cli.parse import parse
from tests.kit.running import Clew

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "src/clew/agents/plugin"
_SDK = importlib.util.find_spec("claude_agent_sdk")  # found, not imported: that takes a second
_CLAUDE = Path((_SDK and _SDK.origin) or "none").parent / "_bundled" / "claude"

SCRIPTS = re.findall(r"```sh\n(.*?)```", texts.skill(), re.DOTALL)
LINES = [line.partition("  #")[0].strip() for script in SCRIPTS for line in script.splitlines()]
INLINE = re.findall(r"`(clew [^`]*)`", texts.skill() + texts.instructions())
COMMANDS = sorted({line for line in (*LINES, *INLINE) if line.startswith("clew ")})


@pytest.mark.parametrize("directory", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_claude_code_finds_it_valid(tmp_path: Path, directory: Path) -> None:
    if not _CLAUDE.exists():
        pytest.skip("There is no wheel of claude-agent-sdk here with a Claude Code in it")
    ran = subprocess.run(
        [str(_CLAUDE), "plugin", "validate", str(directory)],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Validation passed" in ran.stdout


def test_its_hooks_are_those_that_enable_writes() -> None:
    agent = AGENTS["claude-code"]
    command = catalogue.hook_command(agent, catalogue.PROJECT, (), False)
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text())

    assert hooks["hooks"] == catalogue.hooks_of(agent, command)


@pytest.mark.parametrize(
    "agent", [one for one in AGENTS.values() if one.events], ids=lambda a: a.name
)
def test_every_event_that_is_asked_for_is_understood(agent: catalogue.Agent) -> None:
    translator = importlib.import_module(f"clew.agents.hooks.{entry.AGENTS[agent.name]}")
    said = {"session_id": "s", "cwd": "/", "prompt": "build it", "submitted_prompt": "build it"}
    kinds = {
        event.name: translator.read({"hook_event_name": event.name, "tool_name": "t", **said}).kind
        for event in agent.events
    }

    assert [name for name, kind in kinds.items() if kind == EventKind.OTHER] == []


def test_every_agent_that_can_be_enabled_has_its_hook() -> None:
    assert set(AGENTS) == set(entry.AGENTS)


def test_its_server_is_the_one_that_enable_registers() -> None:
    servers = json.loads((PLUGIN / ".mcp.json").read_text())

    assert servers == {"mcpServers": {"clew": server_entry.entry(AGENTS["claude-code"])}}


def test_its_version_is_that_of_the_package() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
    marketplace = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())

    assert manifest["version"] == clew.__version__
    assert ROOT / marketplace["plugins"][0]["source"] == PLUGIN


def test_the_skill_is_short_and_says_when_it_is_meant() -> None:
    text = texts.skill()
    name = re.search(r"^name: (.*)$", text, re.MULTILINE)
    description = re.search(r"^description: (.*)$", text, re.MULTILINE)

    assert len(text.splitlines()) < 100
    assert name is not None
    assert name[1] == "clew"
    assert description is not None
    assert len(description[1]) <= 1024


def test_there_are_commands_in_it() -> None:
    assert len(COMMANDS) > 15


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_in_it_is_one(line: str) -> None:
    _, verb, *words = shlex.split(line)
    assert verb in VERBS
    module = importlib.import_module(module_name(verb) or "")

    parse(module.COMMAND, words)  # raises if it is no command


def test_the_way_of_the_skill_leads_back(clew: Clew) -> None:
    (clew.workspace / "app.py").write_text("print('works')\n")
    clew.ok("save", "it works", "--verify", "python3 app.py")
    (clew.workspace / "app.py").write_text("print('broken'\n")
    clew.ok("save", "before the upgrade", "--name", "before-upgrade")
    clew.ok("diff", "good", "--stat")
    clew.ok("restore", "good", "--dry-run")
    clew.ok("restore", "good", "--yes")
    assert (clew.workspace / "app.py").read_text() == "print('works')\n"
    clew.ok("undo", "--yes")
    assert (clew.workspace / "app.py").read_text() == "print('broken'\n"
    clew.ok("effect", "record", "deploy web v3")
    clew.ok("effect", "settle", "1", "done")

    assert clew.run("bisect", "good", "latest", "--", "python3", "app.py").code == 0
