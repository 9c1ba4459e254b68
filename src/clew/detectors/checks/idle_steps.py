"""Idle steps: scripts and targets that are there and do nothing, such as `exit 0`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NOTHING = re.compile(
    r"(?:@|-)?(?:true|:|exit(?:\s++0)?|(?:node|python3?)\s++-[ec]\s++[\"']{2}|(?:echo|printf)\b[^;&|]*+)"
)
_AND = re.compile(r"&&|;|\n")
_LENGTH = 24


def idle_scripts(scripts: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the scripts of `package.json` that do nothing: the name, and what is there instead."""
    for name, value in list(scripts.items())[:500]:
        texts = value if isinstance(value, list) else [value]
        commands = [text for text in texts if isinstance(text, str)]
        if commands and (said := _idle(commands)):
            yield name, said


def idle_targets(lines: Iterable[str], target: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the targets of a makefile whose recipes do nothing."""
    recipes: dict[str, list[str]] = {}
    label = ""
    for line in lines:
        if line[:1] in ("\t", " ") and line.strip():
            recipes.setdefault(label, []).append(line.strip())
        elif found := target.match(line):
            label = found["name"].strip()
    for name, commands in recipes.items():
        if said := _idle(commands):
            yield name, said


def _idle(commands: list[str]) -> str:
    """Return what commands do if that is nothing; else an empty text."""
    steps = [step.strip() for command in commands for step in _AND.split(command[:400])]
    steps = [step for step in steps if step]
    if not steps or not all(_NOTHING.fullmatch(step) for step in steps):
        return ""
    first = next((step for step in steps if not step.lstrip("@-").startswith(("echo", "printf"))), "")  # fmt: skip
    return first.lstrip("@-")[:_LENGTH] or "only a message"
