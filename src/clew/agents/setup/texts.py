"""Installed texts: the skill, the instructions block, and the plugin for opencode."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from clew.model.setup_results import Feature

OWNED_MARKS = {Feature.SKILL: "installed-by: clew", Feature.HOOKS: "// clew:plugin"}
"""Marks near the top of a file that is entirely ours."""

_WORDS = ("hook", "opencode")
_COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)


def skill() -> str:
    """Return SKILL.md, which the plugin for Claude Code contains too."""
    return (files("clew.agents") / "plugin/skills/clew/SKILL.md").read_text("utf-8")


def instructions() -> str:
    """Return the text between the markers in AGENTS.md and similar files."""
    return (files("clew.agents.setup") / "instructions.md").read_text("utf-8")


def plugin(machine: bool, program: Sequence[str] = ("clew",)) -> str:
    """Return the plugin for opencode, which starts `program`."""
    source = (files("clew.agents.setup") / "opencode.js").read_text("utf-8")
    words = json.dumps([*program, *_WORDS, *(["--machine"] if machine else [])])
    return _COMMAND.sub(lambda _: f"const COMMAND = {words}", source)


def program_in(text: str) -> tuple[str, ...]:
    """Return the program that a plugin for opencode starts."""
    found = _COMMAND.search(text)
    try:
        words = json.loads(found[1]) if found else []
    except ValueError:
        words = []
    names = [word for word in words if isinstance(word, str)]
    return tuple(names[: names.index(_WORDS[0])]) if _WORDS[0] in names else ("clew",)
