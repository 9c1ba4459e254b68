"""Which file of an agent's holds what of ours, in a project and in a home directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

from clew.agents.setup.catalogue import PROJECT, Agent
from clew.model.setup_results import What
from clew.worktree.interpreter import find_program, own_command

_MOVED_HOMES = {
    "claude-code": (".claude/", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex/", "CODEX_HOME"),
    "opencode": (".config/", "XDG_CONFIG_HOME"),
}
"""Directories that a person may have put elsewhere, and the variable that says so."""


class SetupPart(NamedTuple):
    """One thing of ours, and the file it belongs in."""

    what: str
    path: str


def parts_of(agent: Agent, scope: str, root: str) -> Iterator[SetupPart]:
    """Yield every place that `enable` may write; `root` is the project's."""
    for what, files in (
        (What.HOOKS, agent.settings),
        (What.MCP, agent.mcp),
        (What.SKILL, agent.skill),
        (What.INSTRUCTIONS, agent.instructions),
    ):
        name = agent.place(files, scope)
        if name:
            yield SetupPart(what, _full(agent, scope, root, name))


def bounds(scope: str, root: str) -> str | None:
    """Return the directory that no link may lead out of: a project's; a person's own has none."""
    return root if scope == PROJECT else None


def this_clew() -> tuple[str, ...]:
    """Return the words that start the clew that runs now, by its path."""
    started = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    if os.path.basename(started) == "clew" and os.access(started, os.X_OK):
        return (started,)
    beside = os.path.join(os.path.dirname(sys.executable), "clew")
    if os.access(beside, os.X_OK):
        return (beside,)
    return own_command()


def clew_on_path() -> str | None:
    """Return the clew that a hook starts by its name."""
    return find_program("clew")


def _full(agent: Agent, scope: str, root: str, name: str) -> str:
    if scope == PROJECT:
        return os.path.join(root, name)
    prefix, variable = _MOVED_HOMES.get(agent.name, ("", ""))
    elsewhere = os.environ.get(variable, "") if prefix else ""
    if elsewhere.startswith("/") and name.startswith(prefix):
        return os.path.join(elsewhere, name.removeprefix(prefix))
    return os.path.join(os.path.expanduser("~"), name)
