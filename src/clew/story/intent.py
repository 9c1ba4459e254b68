"""Where the intent and the story disagree: what happened and was not mentioned.

The intent is what somebody said a checkpoint is, and is never trusted as fact.
Only what is loud is looked for in it: "fix typo" need not mention the file that was edited, but
should mention a database server that was installed along the way.
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
"""Families worth mentioning, and the words by which an intent does."""

_DOING = re.compile(
    r"\b(?:fix|typo|refactor|renam|doc|comment|format|lint|style|styling|test|tweak|clean|tidy|edit"
    r"|chang|add|remov|improv|implement|feature|wording|copy|reword|polish|adjust|mov|extract|split"
    r"|rewrit|simplif|optimi[sz]|handle|support|correct|delet|drop|replac|bug|patch|minor|small)"
)
"""By which an intent says that something was done; "working version" says how things stand."""

_STANDING = re.compile(
    r"^(?:before|after|pre-|prior|working|good|clean|known|baseline|checkpoint)\b"
)

_MOST = 3


def left_unsaid(intent: str, story: Story) -> tuple[str, ...]:
    """Return what a story says out loud and the intent does not mention, in words."""
    said = intent.lower()
    if not _WORD.search(said):
        return ()  # nothing was said, so nothing disagrees
    tells = _DOING.search(said) is not None and _STANDING.match(said) is None
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in story.facts:
        if not tells and fact.severity != Severity.HIGH:
            continue  # it says how things stand, not what was done
        if fact.direct and _is_loud(fact) and not _is_mentioned(fact, said):
            groups.setdefault((family_of(fact.kind).name, fact.scope), []).append(fact)
    return tuple(phrase(family, facts).short for (family, _), facts in groups.items())[:_MOST]


def _is_loud(fact: Fact) -> bool:
    if fact.kind not in KINDS:  # of a story that another version told
        return False
    return family_of(fact.kind).name in _MENTIONS or fact.severity == Severity.HIGH


def _is_mentioned(fact: Fact, said: str) -> bool:
    family = family_of(fact.kind).name
    subject = fact.subject.rpartition("/")[2].lower()
    return subject in said or any(word in said for word in _MENTIONS.get(family, ()))
