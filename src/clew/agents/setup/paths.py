"""Setup paths: which file of an agent contains which part, in a project and in a home directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

from clew.agents.setup.catalogue import LOCAL, PROJECT, Agent
from clew.model.setup_results import Feature
from clew.worktree.interpreter import find_program, own_command

_MOVED_HOMES = {
    "claude-code": (".claude/", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex/", "CODEX_HOME"),
    "opencode": (".config/", "XDG_CONFIG_HOME"),
}
"""Directories that can be moved, and the variable with their location."""


class SetupPart(NamedTuple):
    """One part, and the file that contains it."""

    what: str
    path: str
    scope: str
    """Whose settings the file contains: LOCAL, PROJECT or USER."""


def parts_of(agent: Agent, scope: str, root: str) -> Iterator[SetupPart]:
    """Yield every file that `enable` may write; `root` is the project's.

    Where an agent reads local settings, there are two files for hooks, the local one first.
    """
    if scope == PROJECT and agent.local:
        yield SetupPart(Feature.HOOKS, os.path.join(root, agent.local), LOCAL)
    for what, files in (
        (Feature.HOOKS, agent.settings),
        (Feature.MCP, agent.mcp),
        (Feature.SKILL, agent.skill),
        (Feature.INSTRUCTIONS, agent.instructions),
    ):
        name = agent.place(files, scope)
        if name:
            yield SetupPart(what, _full_path(agent, scope, root, name), scope)


def hook_parts(agent: Agent, scope: str, root: str) -> list[SetupPart]:
    """Return the files that may contain an agent's hooks."""
    return [part for part in parts_of(agent, scope, root) if part.what == Feature.HOOKS]


def bounds(scope: str, root: str) -> str | None:
    """Return the directory that links must not leave: the project's; None for user settings."""
    return root if scope == PROJECT else None


def this_clew() -> tuple[str, ...]:
    """Return the command that starts the running clew, by its path."""
    started = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    if os.path.basename(started) == "clew" and os.access(started, os.X_OK):
        return (started,)
    beside = os.path.join(os.path.dirname(sys.executable), "clew")
    if os.access(beside, os.X_OK):
        return (beside,)
    return own_command()


def clew_on_path() -> str | None:
    """Return the path of the clew that a hook starts by name."""
    return find_program("clew")


def own_programs() -> set[tuple[str, ...]]:
    """Return the programs that `doctor` starts if a project's settings name them.

    A project's files are untrusted: they may name a program inside the project.
    """
    found = clew_on_path()
    return {("clew",), this_clew(), *(((found,),) if found else ())}


def _full_path(agent: Agent, scope: str, root: str, name: str) -> str:
    if scope == PROJECT:
        return os.path.join(root, name)
    prefix, variable = _MOVED_HOMES.get(agent.name, ("", ""))
    elsewhere = os.environ.get(variable, "") if prefix else ""
    if elsewhere.startswith("/") and name.startswith(prefix):
        return os.path.join(elsewhere, name.removeprefix(prefix))
    return os.path.join(os.path.expanduser("~"), name)
