"""The texts that are installed: the skill, the block of instructions, and the plugin for opencode."""

from __future__ import annotations

from importlib.resources import files

from clew.model.setup_results import What

OWNED_MARKS = {What.SKILL: "installed-by: clew", What.HOOKS: "// clew:plugin"}
"""What says, near the top of a file, that the whole of it is ours."""

_COMMAND = '["clew", "hook", "opencode"]'
_COMMAND_FOR_MACHINE = '["clew", "hook", "opencode", "--machine"]'


def skill() -> str:
    """Return SKILL.md: the same that the plugin for Claude Code carries."""
    return (files("clew.agents") / "plugin/skills/clew/SKILL.md").read_text("utf-8")


def instructions() -> str:
    """Return what stands between the marks in AGENTS.md and its like."""
    return (files("clew.agents.setup") / "instructions.md").read_text("utf-8")


def plugin(machine: bool) -> str:
    """Return the plugin for opencode."""
    source = (files("clew.agents.setup") / "opencode.js").read_text("utf-8")
    return source.replace(_COMMAND, _COMMAND_FOR_MACHINE) if machine else source
