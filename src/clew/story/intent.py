"""Intent check: important facts of a story that the intent does not mention.

The intent is the author's description of a checkpoint, and is never trusted as fact.
Only important facts are searched for in it: "fix typo" need not mention the edited file, but should
mention a database server that was installed as well.
"""

from __future__ import annotations

import re

from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple
from clew.model.story import Story
from clew.model.vocabulary import KINDS, family_of
from clew.story.command_effects import accounts_for
from clew.story.intended_commands import intended_effects
from clew.story.words import phrase

_WORD = re.compile(r"[\w.+-]{2,}")

_REMOVAL = (
    "delet", "remov", "drop", "clean", "purg", "wipe", "prun", "truncat", "clear", "empt", "discard",
    "reset", "eras", "get rid", "throw away", "uninstall", "archiv", "rotat", "trim", "dedup",
)  # fmt: skip
_INSTALL = (
    "install", "package", "dependenc", "deps", "upgrade", "update", "bump", "downgrade", "apt", "pip",
    "npm", "uv", "poetry", "conda", "cargo", "yarn", "pnpm", "remove", "uninstall", "setup", "set up",
    "bootstrap", "lock", "require", "venv", "environment", "node_modules",
)  # fmt: skip

_MENTIONS: dict[str, tuple[str, ...]] = {
    "package": _INSTALL,
    "lock": _INSTALL,
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


class _Mention(NamedTuple):
    """What an intent must say to mention a fact of high severity."""

    actions: tuple[str, ...]
    objects: tuple[str, ...] = ()
    """One of these as well, or the name of the subject; nothing if empty."""


_DATA_WORDS = (
    "table", "database", "db", "schema", "data", "row", "record", "column", "sql", "seed", "file",
    "upload", "log", "backup", "dump", "artifact", "everything", "old ", "unused", "stale", "temp",
    "image", "director", "folder", "media", "cache", "history",
)  # fmt: skip

_WARNINGS: dict[str, _Mention] = {
    "loss": _Mention(_REMOVAL, _DATA_WORDS[5:]),
    "table": _Mention((*_REMOVAL, "migrat", "rebuild", "recreat", "renam", "rollback"), _DATA_WORDS[:10]),
    "data": _Mention((*_REMOVAL, "replac", "retrain", "overwrit", "restor", "regenerat"), _DATA_WORDS),
    "container": _Mention((*_REMOVAL, "down", "stop"), ("docker", "volume", "container", "compose")),
    "broken": _Mention(
        ("conflict", "unfinished", "incomplete", "broken", "wip", "in progress", "half", "interrupt",
         "partial", "abort", "stopped", "crash", "fail", "killed"),
    ),
    "test": _Mention(
        (*_REMOVAL, "skip", "disab", "xfail", "ignor", "quarantin", "flaky", "comment out", "weaken",
         "relax", "stop running", "loosen", "mute", "deselect"),
        ("test", "spec", "check", "assert", "suite"),
    ),
    "check": _Mention(
        (*_REMOVAL, "skip", "disab", "ignor", "relax", "lower", "loosen", "allow", "turn off", "switch off",
         "silenc", "weaken", "suppress", "exclud", "mute"),
        ("check", "lint", "rule", "coverage", "test", "ci", "warning", "type", "limit", "threshold"),
    ),
    "git": _Mention(
        ("reset", "force", "rewrit", "rebase", "squash", "amend", "revert", "undo", "rollback",
         "roll back", "stash", "filter", "checkout", "switch", "abandon", "lfs", "branch", "history",
         "commit", "discard", "throw away"),
    ),
    "package": _Mention((*_INSTALL, *_REMOVAL)),
}  # fmt: skip

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
    intended = intended_effects(intent)
    is_action = _ACTION.search(lowered) is not None and _STATE.match(lowered) is None
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in story.facts:
        is_warning = _is_warning(fact)
        if not is_action and not intended.commands and fact.severity != Severity.HIGH:
            continue  # the intent describes a state, not an action
        if not fact.direct or not _is_important(fact):
            continue
        has_words = not (intended.is_whole and is_warning)
        if has_words and _is_mentioned(fact, lowered):
            continue
        if not any(accounts_for(command, fact) for command in intended.commands):
            groups.setdefault((family_of(fact.kind).name, fact.scope), []).append(fact)
    return tuple(phrase(family, facts).short for (family, _), facts in groups.items())[:_MOST]


def _is_important(fact: Fact) -> bool:
    if fact.kind not in KINDS:  # from a story of another version
        return False
    return family_of(fact.kind).name in _MENTIONS or _is_warning(fact)


def _is_warning(fact: Fact) -> bool:
    """Return whether a fact must be mentioned by what happened; fewer tests also if only noted."""
    if fact.severity == Severity.HIGH:
        return True
    is_noted = fact.severity == Severity.NOTE
    return is_noted and fact.kind.startswith(("loss.", "test.", "check."))


def _is_mentioned(fact: Fact, lowered: str) -> bool:
    family = family_of(fact.kind).name
    if not _is_warning(fact):
        return _is_named(fact, lowered) or any(word in lowered for word in _MENTIONS[family])
    wanted = _WARNINGS.get(family)
    if wanted is None:
        return _is_named(fact, lowered)
    if not any(word in lowered for word in wanted.actions):
        return False
    is_about = not wanted.objects or any(word in lowered for word in wanted.objects)
    return is_about or _is_named(fact, lowered)


def _is_named(fact: Fact, lowered: str) -> bool:
    """Return whether an intent has the name of a subject, as a word of its own."""
    name = fact.subject.rstrip("/").rpartition("/")[2].lower()
    if not name:
        return False
    at = lowered.find(name)
    while at >= 0:
        before, after = lowered[:at][-1:], lowered[at + len(name) :][:1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = lowered.find(name, at + 1)
    return False
