"""Overly broad permissions of agents.

Users allow narrow commands every day: `Bash(npm run test:*)`.
A warning is due for a rule that lets the agent run anything, become root, or write the files that
control it; the syntax is that of Claude Code, which others follow.
"""

from __future__ import annotations

_SHELL_TOOLS = ("Bash", "Shell", "PowerShell", "run_shell_command", "shell", "terminal", "execute")
_WRITING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "write_file", "replace")
_ROOT = frozenset(("sudo", "su", "doas", "pkexec", "run0"))
_RUNS_ANYTHING = frozenset((
    "sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "python", "python2", "python3", "node",
    "deno", "bun", "perl", "ruby", "php", "lua", "env", "xargs", "eval", "exec", "npx", "uvx",
    "bunx", "osascript", "busybox", "ssh",
))  # fmt: skip
_CODE_OPTIONS = ("-c", "-e", "-lc", "-ic", "-p", "--eval", "-r")
_CONTROL_FILES = (".claude", ".mcp.json", ".git/", ".husky", ".ssh", ".bashrc", ".profile", ".zshrc",
             ".codex", ".cursor", ".vscode", "//etc", ".config/", ".local/bin")  # fmt: skip
_WIDE = frozenset(("//", "~", "~/", "//root", "//home"))
_WIDE_DIRECTORIES = frozenset(("/", "~", "/home", "/root", "/etc", "/usr", "$HOME", ".."))


def is_broad(rule: object) -> bool:
    """Return whether an allow rule covers nearly everything."""
    if not isinstance(rule, str):
        return True  # its effect is unknown
    text = rule.rpartition("\0")[2].strip()
    tool, has_detail, rest = text.partition("(")
    detail = rest.removesuffix(")").strip()
    if tool == "*":
        return True
    if tool in _SHELL_TOOLS:
        return not has_detail or _runs_anything(detail)
    return tool in _WRITING_TOOLS and bool(has_detail) and _writes_controls(detail)


def is_wide(directory: object) -> bool:
    """Return whether an allowed directory is world-writable or contains everything."""
    if not isinstance(directory, str):
        return True
    return (directory.rstrip("/") or "/") in _WIDE_DIRECTORIES or ".ssh" in directory


def _runs_anything(command: str) -> bool:
    words = command.rstrip(":* ").split()
    while words and "=" in words[0]:
        words = words[1:]
    if not words:
        return True
    program = words[0].rpartition("/")[2]
    if program in _ROOT or program.startswith("*"):
        return True
    if program not in _RUNS_ANYTHING or not command.endswith("*"):
        return False
    return len(words) == 1 or words[1] in _CODE_OPTIONS


def _writes_controls(pattern: str) -> bool:
    return pattern.rstrip("*") in _WIDE or any(sign in pattern for sign in _CONTROL_FILES)
