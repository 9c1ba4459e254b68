"""Settings in force: what a user has chosen, or the defaults of `model/settings.py`."""

from __future__ import annotations

from clew.errors import BadOption, NoCheckConfigured
from clew.model.quantity import parse_duration, parse_size
from clew.model.settings import SETTINGS
from clew.operations.context import Context

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
UNATTENDED = "restore.unattended"
"""Whether an agent may overwrite files when nobody can be asked: on or off."""
VERIFY = "verify"
"""The workspace's own check: a command or a URL."""
WRITER = "story.writer"
"""A command that may rephrase stories."""

_LONGEST = 366 * 86_400.0

DEFAULTS = {setting.key: setting.default for setting in SETTINGS}


def in_force(context: Context) -> dict[str, str]:
    """Return every setting, defaults included."""
    return {**DEFAULTS, **context.store.settings.all(context.workspace)}


def own_check(context: Context) -> str:
    """Return the workspace's own check."""
    check = in_force(context)[VERIFY]
    if not check:
        raise NoCheckConfigured
    return check


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
