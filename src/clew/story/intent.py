"""Intent check: important facts of a story that the intent does not mention.

The intent is the author's description of a checkpoint, and is never trusted as fact.
Only important facts are searched for in it: "fix typo" need not mention the edited file, but should
mention a database server that was installed as well.
"""

from __future__ import annotations

import re

from clew.model.fact import Fact, Severity
from clew.model.story import Story
from clew.model.vocabulary import KINDS, family_of
from clew.story.words import phrase

_WORD = re.compile(r"[\w.+-]{2,}")

_MENTIONS: dict[str, tuple[str, ...]] = {
    "package": (
        "install", "package", "dependenc", "deps", "upgrade", "update", "bump", "downgrade", "apt",
        "pip", "npm", "uv", "poetry", "conda", "cargo", "yarn", "pnpm", "remove", "uninstall",
        "setup", "set up", "bootstrap", "lock", "require", "venv", "environment", "node_modules",
    ),
    "source": ("source", "repositor", "apt", "key"),
    "service": ("service", "systemd", "daemon", "enable", "disable", "start", "unit", "timer", "boot"),
    "cron": ("cron", "schedule", "timer", "nightly", "daily", "job"),
    "user": ("user", "account", "login"),
    "group": ("user", "account", "group", "sudo"),
    "table": ("migrat", "schema", "table", "database", "db", "seed", "data", "column", "sql"),
    "executable": ("install", "tool", "download", "script", "bin"),
    "toolchain": ("install", "upgrade", "switch", "version", "toolchain", "node", "python", "rust", "go"),
}  # fmt: skip
"""Families worth mentioning, and the words that count as a mention."""

_ACTION = re.compile(
    r"\b(?:fix|typo|refactor|renam|doc|comment|format|lint|style|styling|test|tweak|clean|tidy|edit"
    r"|chang|add|remov|improv|implement|feature|wording|copy|reword|polish|adjust|mov|extract|split"
    r"|rewrit|simplif|optimi[sz]|handle|support|correct|delet|drop|replac|bug|patch|minor|small)"
)
"""Matches an intent that describes an action; "working version" describes a state."""

_STATE = re.compile(r"^(?:before|after|pre-|prior|working|good|clean|known|baseline|checkpoint)\b")

_MOST = 3


def left_unsaid(intent: str, story: Story) -> tuple[str, ...]:
    """Return phrases for the important facts of a story that the intent does not mention."""
    lowered = intent.lower()
    if not _WORD.search(lowered):
        return ()  # there is no intent to compare
    is_action = _ACTION.search(lowered) is not None and _STATE.match(lowered) is None
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in story.facts:
        if not is_action and fact.severity != Severity.HIGH:
            continue  # the intent describes a state, not an action
        if fact.direct and _is_important(fact) and not _is_mentioned(fact, lowered):
            groups.setdefault((family_of(fact.kind).name, fact.scope), []).append(fact)
    return tuple(phrase(family, facts).short for (family, _), facts in groups.items())[:_MOST]


def _is_important(fact: Fact) -> bool:
    if fact.kind not in KINDS:  # from a story of another version
        return False
    return family_of(fact.kind).name in _MENTIONS or fact.severity == Severity.HIGH


def _is_mentioned(fact: Fact, lowered: str) -> bool:
    family = family_of(fact.kind).name
    subject = fact.subject.rpartition("/")[2].lower()
    return subject in lowered or any(word in lowered for word in _MENTIONS.get(family, ()))
