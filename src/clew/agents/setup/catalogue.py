"""Agent catalogue: where each supported agent has its settings, and which events clew subscribes to.

One command handles all events of an agent.  In a project's shared settings it does nothing where
clew is not installed; in local and user settings, which are not shared, it contains the path of
this clew.
A hook runs in a directory with possibly untrusted files: it does not start a clew found through a
relative PATH entry, and empties `PYTHONPATH`, so that Python imports nothing from there.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

PROJECT = "project"
USER = "user"
SCOPES = (PROJECT, USER)
LOCAL = "local"
"""Part of the project scope: settings of one user in one project, which git should ignore."""

_SECONDS = 60
_READERS_OF_CLAUDE = "Read|Glob|Grep|LS|NotebookRead|ToolSearch|TodoWrite"
_READERS_OF_GEMINI = "read_file|read_many_files|list_directory|glob|grep_search|search_file_content"
"""Frequent tools that only read files: no hook process is started for them."""


class HookedEvent(NamedTuple):
    """An event for which an agent runs a hook."""

    name: str
    matcher: str | None = None
    """Pattern of the tools that it is sent for; None for all."""
    seconds: int = _SECONDS


class Agent(NamedTuple):
    """One supported agent: its names, files and events."""

    name: str
    title: str
    program: str
    settings: tuple[str, str]
    """The hooks file in a project and below the home directory; a plugin for opencode."""
    local: str = ""
    """The hooks file in a project that is not shared; empty if the agent reads none."""
    events: tuple[HookedEvent, ...] = ()
    """The events to subscribe to; empty if a plugin does that."""
    per_second: int = 1
    """Units of its timeouts per second."""
    mcp: tuple[str, str] = ("", "")
    """The file in which MCP servers are registered; empty if clew cannot edit it."""
    mcp_path: tuple[str, ...] = ("mcpServers",)
    """Path of the object with the servers in that file; empty for TOML."""
    skill: tuple[str, str] = (".agents/skills/clew/SKILL.md", ".agents/skills/clew/SKILL.md")
    instructions: tuple[str, str] = ("AGENTS.md", "")
    needs: tuple[tuple[str, str], ...] = ()
    """Steps for the user, each with its scope; an empty scope means both."""
    hook_shell: tuple[str, ...] = ("/bin/sh", "-c")
    """What runs its hook commands; an empty program is the user's shell."""
    variables: tuple[str, ...] = ()
    """Environment variables that tell its hooks the project's directory."""
    stop_event: str = "Stop"
    """The event that ends a turn."""
    if_silent: str = ""
    """The next step if it works and runs no hooks."""

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
        ".claude/settings.local.json",
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
        needs=(("", "Restart Claude Code sessions that are running"),),
        variables=("CLAUDE_PROJECT_DIR",),
        if_silent="Restart Claude Code, and see with /hooks whether it has loaded the hooks",
    ),
    Agent(
        "codex",
        "Codex",
        "codex",
        (".codex/hooks.json", ".codex/hooks.json"),
        events=(  # its matchers do not support negation, and it runs hooks for few tools anyway
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
                    "Codex skips untrusted hooks: start it and approve them once with /hooks; "
                    "for `codex exec` in CI add --dangerously-bypass-hook-trust"
                ),
            ),
            (PROJECT, "Codex reads .codex only in trusted projects: trust this one"),
        ),
        hook_shell=("", "-c"),
        if_silent="Start Codex in this project, trust it, and approve the hooks with /hooks",
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        "gemini",
        (".gemini/settings.json", ".gemini/settings.json"),
        events=(  # not PreCompress, sent with every turn, nor AfterModel, sent with every chunk
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
                    "Gemini CLI runs hooks only in trusted folders: trust this one when it asks, "
                    "or set GEMINI_CLI_TRUST_WORKSPACE=true"
                ),
            ),
        ),
        hook_shell=("bash", "-c"),
        variables=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
        stop_event="AfterAgent",
        if_silent="Restart Gemini CLI, trust this folder with /permissions, and see /hooks panel",
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode",
        (".opencode/plugins/clew.js", ".config/opencode/plugins/clew.js"),
        mcp=("opencode.json", ".config/opencode/opencode.json"),
        mcp_path=("mcp",),
        instructions=("AGENTS.md", ".config/opencode/AGENTS.md"),
        needs=(("", "Restart opencode sessions that are running"),),
        hook_shell=(),
        stop_event="session.idle",
    ),
    Agent(
        "qwen",
        "Qwen Code",
        "qwen",
        (".qwen/settings.json", ".qwen/settings.json"),
        events=(
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
        needs=(
            (PROJECT, "Qwen Code runs a project's hooks only in trusted folders: trust this one"),
        ),
        hook_shell=("bash", "-c"),
        variables=("QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
        if_silent="Restart Qwen Code and trust this folder with /permissions",
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _ALL}

_ANY_SHELL = ("exec /bin/sh -c 'case $(command -v clew) in /*) ", ";; esac'")
"""Wraps a command for machines without clew; Codex runs it in the user's own shell."""
_START = "PYTHONPATH= exec "

_WORD = r"""(?:'[^']*'|"'"|[^\s;&|'"])+"""
_OURS = re.compile(
    rf"(?:command -v clew [^;]*; |\[ -x {_WORD} \] \|\| exit 0; |{re.escape(_ANY_SHELL[0])})?"
    rf"(?:PYTHONPATH= )?(?:exec )?(?P<program>{_WORD}(?:(?: -P)? -m clew)?)"
    rf" hook (?P<agent>[a-z-]+)(?: [\w=./-]+)*(?:{re.escape(_ANY_SHELL[1])})?"
)


def hook_command(agent: Agent, scope: str, program: tuple[str, ...], machine: bool) -> str:
    """Return the shell command of all hooks of an agent; `program` starts this clew.

    `scope` may be LOCAL.
    """
    words = f"hook {agent.name}" + (" --machine" if machine else "")
    if scope != PROJECT:
        path, *more = map(shlex.quote, program)
        return f"[ -x {path} ] || exit 0; {_START}{' '.join([path, *more])} {words}"
    return f"{_START}clew {words}".join(_ANY_SHELL)


def is_ours(command: object, agent: Agent) -> bool:
    """Return whether a command in an agent's settings is a clew hook of any version."""
    if not isinstance(command, str):
        return False
    found = _OURS.fullmatch(command)
    if found is None or found["agent"] != agent.name:
        return False
    last = shlex.split(found["program"])[-1]
    return last == "clew" or last.endswith("/clew")


def program_of(command: str) -> tuple[str, ...]:
    """Return the program that a hook command starts."""
    found = _OURS.fullmatch(command)
    return tuple(shlex.split(found["program"])) if found else ("clew",)


def is_of_machine(command: str) -> bool:
    return command.removesuffix(_ANY_SHELL[1]).endswith(" --machine")


def group(event: HookedEvent, agent: Agent, command: str) -> dict[str, object]:
    """Return the settings entry for one event."""
    handler = {
        "type": "command",
        "command": command,
        "timeout": event.seconds * agent.per_second,
    }
    matcher = {} if event.matcher is None else {"matcher": event.matcher}
    return {**matcher, "hooks": [handler]}


def hooks_of(agent: Agent, command: str) -> dict[str, list[object]]:
    """Return a `hooks` object with only our entries."""
    return {event.name: [group(event, agent, command)] for event in agent.events}
