"""Settings: what a user can choose, each with a default and a check."""

from __future__ import annotations

import os

from clew.errors import BadOption, NoCheckConfigured
from clew.model.pattern import check_pattern
from clew.model.quantity import parse_duration, parse_size
from clew.operations.context import EXCLUDE, EXCLUDE_LARGER_THAN, Context
from clew.operations.history.background_stories import BACKGROUND
from clew.operations.history.database_looks import LIVE_DATABASES
from clew.operations.sandbox.background_drills import EVERY, OFF
from clew.policy.labels import shorten_intent
from clew.policy.redaction.redact import redact_words
from clew.story.version import PLUGINS

GATE = "gate"
"""Whether calls that match a rule need approval: on or off."""
GATE_RULES = "gate.rules"
"""The approval rules, one per line; empty for the default rules."""
KEEP_LAST = "keep-last"
KEEP_WITHIN = "keep-within"
"""Retention limits; if both are empty, automatic checkpoints are thinned out by age."""
MAX_BYTES = "max-bytes"
"""The byte budget of the store; a save over it warns."""
MIN_FREE = "min-free"
"""Free disk space below which a save frees space or is refused: a size, or `auto`."""
AUTO = "auto"
ASK = "restore.ask"
"""When a restore asks a person at a terminal: one of `ASK_WHEN`."""
ASK_UNSAVED = "unsaved"
ASK_WHEN = (ASK_UNSAVED, "always", "never")
UNATTENDED = "restore.unattended"
"""Whether an agent may overwrite files when nobody can be asked: on or off."""
VERIFY = "verify"
"""The workspace's own check: a command or a URL."""
WRITER = "story.writer"
"""A command that may rephrase stories."""

_COMMANDS = (GATE_RULES, VERIFY, WRITER)
"""Settings that must not hold a secret; exclude patterns are needed as they are."""

_LONGEST = 366 * 86_400.0

DEFAULTS = {
    EVERY: OFF,
    EXCLUDE: "",
    EXCLUDE_LARGER_THAN: "",
    GATE: "off",
    GATE_RULES: "",
    KEEP_LAST: "",
    KEEP_WITHIN: "",
    MAX_BYTES: "20GB",
    MIN_FREE: AUTO,
    ASK: ASK_UNSAVED,
    UNATTENDED: "off",
    BACKGROUND: "on",
    LIVE_DATABASES: "off",
    PLUGINS: "",
    WRITER: "",
    VERIFY: "",
}


def in_force(context: Context) -> dict[str, str]:
    """Return every setting, defaults included."""
    return {**DEFAULTS, **context.store.settings.all(context.workspace)}


def own_check(context: Context) -> str:
    """Return the workspace's own check."""
    check = in_force(context)[VERIFY]
    if not check:
        raise NoCheckConfigured
    return check


def change(context: Context, key: str, value: str | None) -> None:
    """Change a setting of the workspace; None resets it to its default."""
    if key not in DEFAULTS:
        raise BadOption(key, f"no such setting; there are {', '.join(sorted(DEFAULTS))}")
    context.store.require_writable()
    if value is None:
        context.store.settings.unset(context.workspace, key)
        return
    _check(key, value)
    context.store.settings.set(context.workspace, key, value)


def as_bytes(option: str, value: str | int) -> int:
    """Return a size given as text or number."""
    if isinstance(value, int):
        return value
    try:
        return parse_size(value)
    except ValueError as error:
        raise BadOption(option, str(error)) from error


def as_duration(option: str, value: str) -> int:
    """Return a duration in nanoseconds."""
    try:
        return parse_duration(value)
    except ValueError as error:
        raise BadOption(option, str(error)) from error


def as_seconds(option: str, value: str | float) -> float:
    """Return a duration in seconds, given as text or number."""
    seconds = as_duration(option, value) / 1e9 if isinstance(value, str) else float(value)
    if not 0 < seconds < _LONGEST:
        raise BadOption(option, "must be more than 0 and less than a year")
    return seconds


def require_check(option: str, command: str) -> None:
    """Refuse a check that cannot be run."""
    if not command.strip():
        raise BadOption(option, "must not be empty")
    if "\0" in command:
        raise BadOption(option, "must not contain a NUL character")
    from clew.worktree.http_probe import is_address, require_address  # noqa: PLC0415  no hook needs it

    if is_address(command):
        try:
            require_address(command)
        except ValueError as error:
            raise BadOption(option, str(error)) from error


def _check(key: str, value: str) -> None:
    if key in _COMMANDS and redact_words(value) != value:
        raise BadOption(key, "contains what looks like a secret; put it in a script")
    if key == EXCLUDE:
        for line in value.split("\n"):
            if line:
                _check_pattern(key, line)
    elif key == EXCLUDE_LARGER_THAN:
        if value and as_bytes(key, value) == 0:
            raise BadOption(key, "must be more than 0")
    elif key == MAX_BYTES or (key == MIN_FREE and value != AUTO):
        as_bytes(key, value)
    elif key == KEEP_WITHIN or (key == EVERY and value != OFF):
        as_duration(key, value)
    elif key == PLUGINS:
        _check_plugins(value)
    elif key == VERIFY:
        _check_own_check(value)
    elif key == GATE_RULES:
        _check_rules(value)
    elif key in (BACKGROUND, GATE, LIVE_DATABASES, UNATTENDED) and value not in ("on", "off"):
        raise BadOption(key, "must be on or off")
    elif key == ASK and value not in ASK_WHEN:
        raise BadOption(key, f"must be one of {', '.join(ASK_WHEN)}")
    elif key == KEEP_LAST and not (value.isascii() and value.isdigit()):
        raise BadOption(key, "must be a whole number")


def _check_own_check(value: str) -> None:
    """Refuse a check whose stored name would differ: its verdicts could never be found."""
    require_check(VERIFY, value)
    if shorten_intent(value)[0] != value:
        raise BadOption(VERIFY, "not valid text, or too long; put it in a script")


def _check_rules(value: str) -> None:
    from clew.policy.approval.rules import parse_rules  # noqa: PLC0415  only where rules are set

    try:
        parse_rules(value)
    except ValueError as error:
        raise BadOption(GATE_RULES, str(error)) from error


def _check_plugins(value: str) -> None:
    from clew.story.plugins import check_plugins  # noqa: PLC0415  it loads what it checks

    try:
        check_plugins(value)
    except ValueError as error:
        raise BadOption(PLUGINS, str(error)) from error


def _check_pattern(key: str, line: str) -> None:
    try:
        check_pattern(os.fsencode(line))
    except ValueError as error:
        raise BadOption(key, str(error)) from error
