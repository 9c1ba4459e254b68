"""Files of agents: which control an agent, and which only hold its state.

Four roles: `SETTINGS` are compared key by key; `PROGRAMS` are files that the agent runs;
`INSTRUCTIONS` are texts that a model reads; `STATE` is sessions and caches, which change whenever
an agent is used and raise no warning.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

SETTINGS = "settings"
PROGRAMS = "runs"
INSTRUCTIONS = "words"
STATE = "memory"


class AgentPath(NamedTuple):
    """The significant names in one agent's directory."""

    settings: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    state: tuple[str, ...] = ()


_MARKDOWN = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "AGENTS.override.md", "CLAUDE.local.md")

DIRECTORIES: dict[str, AgentPath] = {
    ".claude": AgentPath(
        ("settings.json", "settings.local.json", "managed-settings.json", ".mcp.json", ".claude.json"),
        ("hooks",),
        ("commands", "agents", "skills", "rules", "output-styles", "workflows", *_MARKDOWN),
        (
            "projects", "todos", "statsig", "shell-snapshots", "history.jsonl", "logs", "ide",
            "file-history", "debug", "cache", "downloads", ".credentials.json", "__store.db",
            "paste-cache", "session-env", "sessions", "tasks", "plans", "telemetry", "usage-data",
            "stats-cache.json", "backups", "plugins", "jobs", "local", "statsig-cache.json",
            "policy-limits.json", "remote-settings.json", "mcp-needs-auth-cache.json",
            "image-cache", "chrome", "teams",
        ),
    ),
    ".cursor": AgentPath(
        ("mcp.json", "hooks.json", "cli.json", "cli-config.json", "permissions.json",
         "sandbox.json", "environment.json", "worktrees.json"),
        ("hooks",),
        ("rules", "commands", "agents", "skills", *_MARKDOWN),
        ("chats", "projects", "logs", "argv.json", "ide_state.json", "unified_repo_list.json",
         "plans", "prompt_history.json", "blocklist", "browser-logs", "debug.log", "ai-tracking"),
    ),
    ".codex": AgentPath(
        ("config.toml", "hooks.json", "requirements.toml", "managed_config.toml"),
        ("hooks", "rules"),
        ("prompts", "skills", "agents", "instructions.md", *_MARKDOWN),
        ("sessions", "archived_sessions", "history.jsonl", "log", "logs", "auth.json", "tmp",
         "version.json", "models_cache.json", "internal_storage.json", "shell_snapshots",
         "memories", "state.sqlite", "sqlite", "cache", ".codex-global-state.json"),
    ),
    ".gemini": AgentPath(
        ("settings.json", "trustedFolders.json"),
        ("hooks", "policies"),
        ("commands", "extensions", "skills", "agents", "system.md", *_MARKDOWN),
        ("tmp", "history", "oauth_creds.json", "google_accounts.json", "installation_id",
         "user_id", "logs", "state.json", "antigravity", "memory", "projects.json"),
    ),
    ".windsurf": AgentPath(
        ("mcp_config.json", "hooks.json"), ("hooks",), ("rules", "workflows", "skills", *_MARKDOWN),
        ("logs",),
    ),
    ".codeium": AgentPath(("mcp_config.json",), (), ("memories", "global_workflows"), ("cascade", "implicit", "bin", "logs")),
    ".continue": AgentPath(
        ("config.json", "config.yaml", "config.yml"), ("config.ts", "mcpServers"),
        ("rules", "prompts", "assistants", "agents", ".continuerules"),
        ("sessions", "index", "dev_data", "logs", "types", ".utils", "out", ".diffs", ".migrations"),
    ),
    ".roo": AgentPath(("mcp.json",), (), ("rules", "commands", "skills"), ()),
    ".kiro": AgentPath(("mcp.json",), ("hooks",), ("steering", "specs", "agents"), ("logs",)),
    ".qwen": AgentPath(("settings.json",), ("hooks",), ("commands", "agents", "skills", "QWEN.md"), ("tmp", "history", "logs")),
    ".opencode": AgentPath(
        ("opencode.json", "opencode.jsonc"), ("plugin", "plugins", "tool", "tools"),
        ("command", "commands", "agent", "agents", "skill", "skills", *_MARKDOWN), ("node_modules",),
    ),
    ".clinerules": AgentPath((), ("hooks",), ("",), ()),
    ".junie": AgentPath(("mcp.json",), (), ("guidelines.md", *_MARKDOWN), ()),
    ".amp": AgentPath(("settings.json",), (), ("commands", *_MARKDOWN), ()),
}  # fmt: skip

FILES: dict[str, str] = {
    ".mcp.json": SETTINGS, ".claude.json": SETTINGS, "opencode.json": SETTINGS,
    "opencode.jsonc": SETTINGS, "managed-settings.json": SETTINGS, ".aider.conf.yml": SETTINGS,
    "managed-mcp.json": SETTINGS,
    "copilot-instructions.md": INSTRUCTIONS, ".cursorrules": INSTRUCTIONS, ".windsurfrules": INSTRUCTIONS,
    ".clinerules": INSTRUCTIONS, ".roorules": INSTRUCTIONS, ".roomodes": INSTRUCTIONS, ".goosehints": INSTRUCTIONS,
    **dict.fromkeys(_MARKDOWN, INSTRUCTIONS),
    ".aider.chat.history.md": STATE, ".aider.input.history": STATE, ".aider.llm.history": STATE,
}  # fmt: skip

_PLUGIN_LISTS = ("installed_plugins.json", "known_marketplaces.json", "config.json")
_SUBDIRECTORIES = {".codeium": "windsurf", ".kiro": "settings"}
"""Agents with their settings one level deeper."""


def role_of(path: str) -> str | None:
    """Return the role of a path, or None."""
    names = path.split("/")
    at = _directory(names)
    if at is None:
        if names[-2:-1] == [".vscode"] and names[-1] == "mcp.json":
            return SETTINGS
        if ".github" in names[:-1] and names[-2] in (
            "instructions",
            "prompts",
            "chatmodes",
            "agents",
        ):
            return INSTRUCTIONS
        if any(name.startswith(".aider.tags.cache") for name in names):
            return STATE
        return FILES.get(names[-1])
    return _role_in(names[at], names[at + 1 :])


def _directory(names: list[str]) -> int | None:
    """Return the position of the agent's directory in a path; `worktrees` holds project copies."""
    for at, name in enumerate(names[:-1]):
        if name in DIRECTORIES and names[at + 1] != "worktrees":
            return at
    return None


def _role_in(directory: str, names: list[str]) -> str | None:
    place = DIRECTORIES[directory]
    if len(names) > 1 and names[0] == _SUBDIRECTORIES.get(directory):
        names = names[1:]
    first, is_file = names[0], len(names) == 1
    if is_file and first in place.settings:
        return SETTINGS
    if first in place.programs:
        return PROGRAMS
    if first in place.instructions or "" in place.instructions or first.startswith("rules-"):
        return INSTRUCTIONS
    if first == "plugins" and names[-1] in _PLUGIN_LISTS:
        return INSTRUCTIONS
    return STATE if first in place.state else None
