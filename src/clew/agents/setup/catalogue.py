"""The agents that can be enabled: where each keeps its settings, and what it must tell us.

One command serves all events of an agent.  In a project's settings, which are shared, it is silent
where clew is not installed; in a person's own it names this clew by its path.
A hook runs in a directory that somebody else may have filled: a clew that a relative entry of the
PATH leads to is not started, and `PYTHONPATH` is emptied, so that Python imports nothing from there.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

PROJECT = "project"
USER = "user"
SCOPES = (PROJECT, USER)

_SECONDS = 60
_READERS_OF_CLAUDE = "Read|Glob|Grep|LS|NotebookRead|ToolSearch|TodoWrite"
_READERS_OF_GEMINI = "read_file|read_many_files|list_directory|glob|grep_search|search_file_content"
"""What only reads files, and does so all the time: no process is started for it."""


class HookedEvent(NamedTuple):
    """Something that an agent tells its hooks."""

    name: str
    matcher: str | None = None
    """Which tools it is told for; None for all."""
    seconds: int = _SECONDS


class Agent(NamedTuple):
    """One agent: how it is spelled, where its files are, what it takes."""

    name: str
    title: str
    program: str
    settings: tuple[str, str]
    """The file of hooks in a project and below the home directory; a plugin for opencode."""
    events: tuple[HookedEvent, ...] = ()
    """What is subscribed to; empty where a plugin does it."""
    per_second: int = 1
    """How many units of its timeouts are a second."""
    mcp: tuple[str, str] = ("", "")
    """Where an MCP server is registered; empty where no file of ours to edit."""
    mcp_path: tuple[str, ...] = ("mcpServers",)
    """The object in that file that has the servers; empty where it is TOML."""
    skill: tuple[str, str] = (".agents/skills/clew/SKILL.md", ".agents/skills/clew/SKILL.md")
    instructions: tuple[str, str] = ("AGENTS.md", "")
    needs: tuple[tuple[str, str], ...] = ()
    """What else has to be done, each with the scope it holds for, or an empty one for both."""

    def place(self, files: tuple[str, str], scope: str) -> str:
        return files[SCOPES.index(scope)]


def _all_but(readers: str) -> str:
    return f"^(?!(?:{readers})$)"


_CLAUDE_TOOLS = _all_but(_READERS_OF_CLAUDE)
_GEMINI_TOOLS = _all_but(_READERS_OF_GEMINI)

_ALL = (
    Agent(
        "claude-code",
        "Claude Code",
        "claude",
        (".claude/settings.json", ".claude/settings.json"),
        (
            HookedEvent("SessionStart"),
            HookedEvent("UserPromptSubmit"),
            HookedEvent("PreToolUse", _CLAUDE_TOOLS),
            HookedEvent("PostToolUseFailure"),
            HookedEvent("PostToolBatch"),
            HookedEvent("Stop"),
            HookedEvent("SubagentStop"),
            HookedEvent("SessionEnd"),
        ),
        mcp=(".mcp.json", ""),
        skill=(".claude/skills/clew/SKILL.md", ".claude/skills/clew/SKILL.md"),
        instructions=("CLAUDE.md", ".claude/CLAUDE.md"),
        needs=(("", "A session of Claude Code that is running now must be started again"),),
    ),
    Agent(
        "codex",
        "Codex",
        "codex",
        (".codex/hooks.json", ".codex/hooks.json"),
        (  # its matchers know no negation, and it calls hooks for few tools anyway
            HookedEvent("SessionStart"),
            HookedEvent("UserPromptSubmit"),
            HookedEvent("PreToolUse"),
            HookedEvent("PostToolUse"),
            HookedEvent("Stop"),
            HookedEvent("SubagentStop"),
            HookedEvent("SessionEnd", seconds=3),
        ),
        mcp=(".codex/config.toml", ".codex/config.toml"),
        mcp_path=(),
        instructions=("AGENTS.md", ".codex/AGENTS.md"),
        needs=(
            (
                "",
                (
                    "Codex skips hooks that nobody trusts: start it and approve them once with "
                    "/hooks; for `codex exec` in CI add --dangerously-bypass-hook-trust"
                ),
            ),
            (PROJECT, "Codex reads a project's .codex only where the project is trusted"),
        ),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        "gemini",
        (".gemini/settings.json", ".gemini/settings.json"),
        (  # never PreCompress, which comes with every turn, nor AfterModel, with every word
            HookedEvent("SessionStart"),
            HookedEvent("BeforeAgent"),
            HookedEvent("BeforeTool", _GEMINI_TOOLS),
            HookedEvent("AfterTool", _GEMINI_TOOLS),
            HookedEvent("AfterAgent"),
            HookedEvent("SessionEnd"),
        ),
        per_second=1000,
        mcp=(".gemini/settings.json", ".gemini/settings.json"),
        instructions=("GEMINI.md", ".gemini/GEMINI.md"),
        needs=(
            (
                "",
                (
                    "Gemini CLI runs hooks only in folders that are trusted: say so when it asks, "
                    "or set GEMINI_CLI_TRUST_WORKSPACE=true"
                ),
            ),
        ),
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode",
        (".opencode/plugins/clew.js", ".config/opencode/plugins/clew.js"),
        mcp=("opencode.json", ".config/opencode/opencode.json"),
        mcp_path=("mcp",),
        instructions=("AGENTS.md", ".config/opencode/AGENTS.md"),
        needs=(("", "A session of opencode that is running now must be started again"),),
    ),
    Agent(
        "qwen",
        "Qwen Code",
        "qwen",
        (".qwen/settings.json", ".qwen/settings.json"),
        (
            HookedEvent("SessionStart"),
            HookedEvent("UserPromptSubmit"),
            HookedEvent("PreToolUse", _GEMINI_TOOLS),
            HookedEvent("PostToolUse", _GEMINI_TOOLS),
            HookedEvent("PostToolUseFailure"),
            HookedEvent("Stop"),
            HookedEvent("SubagentStop"),
            HookedEvent("SessionEnd"),
        ),
        per_second=1000,
        mcp=(".qwen/settings.json", ".qwen/settings.json"),
        instructions=("AGENTS.md", ".qwen/QWEN.md"),
        needs=((PROJECT, "Qwen Code runs a project's hooks only in folders that are trusted"),),
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _ALL}

_ANY_SHELL = ("exec /bin/sh -c 'case $(command -v clew) in /*) ", ";; esac'")
"""Around a command that may meet a machine without clew; Codex runs it in the user's own shell."""
_START = "PYTHONPATH= exec "

_WORD = r"""(?:'[^']*'|"'"|[^\s;&|'"])+"""
_OURS = re.compile(
    rf"(?:command -v clew [^;]*; |\[ -x {_WORD} \] \|\| exit 0; |{re.escape(_ANY_SHELL[0])})?"
    rf"(?:PYTHONPATH= )?(?:exec )?(?P<program>{_WORD}(?:(?: -P)? -m clew)?)"
    rf" hook (?P<agent>[a-z-]+)(?: [\w=./-]+)*(?:{re.escape(_ANY_SHELL[1])})?"
)


def hook_command(agent: Agent, scope: str, program: tuple[str, ...], machine: bool) -> str:
    """Return the shell command of all hooks of an agent; `program` is this clew."""
    words = f"hook {agent.name}" + (" --machine" if machine else "")
    if scope == USER:
        path, *more = map(shlex.quote, program)
        return f"[ -x {path} ] || exit 0; {_START}{' '.join([path, *more])} {words}"
    return f"{_START}clew {words}".join(_ANY_SHELL)


def is_ours(command: object, agent: Agent) -> bool:
    """Tell whether a command in an agent's settings is a hook of ours, of whatever version."""
    if not isinstance(command, str):
        return False
    found = _OURS.fullmatch(command)
    if found is None or found["agent"] != agent.name:
        return False
    last = shlex.split(found["program"])[-1]
    return last == "clew" or last.endswith("/clew")


def program_of(command: str) -> tuple[str, ...]:
    """Return the clew that a command of ours starts."""
    found = _OURS.fullmatch(command)
    return tuple(shlex.split(found["program"])) if found else ("clew",)


def is_of_machine(command: str) -> bool:
    return command.removesuffix(_ANY_SHELL[1]).endswith(" --machine")


def group(event: HookedEvent, agent: Agent, command: str) -> dict[str, object]:
    """Return what stands in an agent's settings for one event."""
    handler = {
        "type": "command",
        "command": command,
        "timeout": event.seconds * agent.per_second,
    }
    matcher = {} if event.matcher is None else {"matcher": event.matcher}
    return {**matcher, "hooks": [handler]}


def hooks_of(agent: Agent, command: str) -> dict[str, list[object]]:
    """Return the `hooks` object of settings in which there is nothing but ours."""
    return {event.name: [group(event, agent, command)] for event in agent.events}
