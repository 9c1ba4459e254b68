"""Change a setting of a workspace, after a check of the value."""

from __future__ import annotations

import os

from clew.errors import BadOption
from clew.model.settings import SETTINGS, Kind, Setting
from clew.operations.context import Context
from clew.operations.maintenance.settings import as_bytes, as_duration, require_check
from clew.policy.exclude_rules import refused
from clew.policy.labels import shorten_intent
from clew.policy.redaction.redact import redact_words

_BY_KEY = {setting.key: setting for setting in SETTINGS}


def change_setting(context: Context, key: str, value: str | None) -> None:
    """Change a setting of the workspace; None resets it to its default."""
    setting = _BY_KEY.get(key)
    if setting is None:
        raise BadOption(key, f"no such setting; there are {', '.join(sorted(_BY_KEY))}")
    context.store.require_writable()
    if value is None:
        context.store.settings.unset(context.workspace, key)
        return
    check_value(setting, value)
    context.store.settings.set(context.workspace, key, value)


def own_settings(context: Context) -> frozenset[str]:
    """Return the keys whose value was chosen for this workspace or its store."""
    return frozenset(context.store.settings.all(context.workspace))


def check_value(setting: Setting, value: str) -> None:
    """Raise `BadOption` unless a setting may have this value."""
    key = setting.key
    if value in setting.words:
        return
    match setting.kind:
        case Kind.CHECK:
            _require_no_secret(key, value)
            _require_own_check(key, value)
        case Kind.COMMAND:
            _require_no_secret(key, value)
        case Kind.COUNT:
            if not (value.isascii() and value.isdigit()):
                raise BadOption(key, "must be a whole number")
        case Kind.DETECTORS:
            _require_detectors(key, value)
        case Kind.DURATION:
            as_duration(key, value)
        case Kind.LIMIT:
            if value and as_bytes(key, value) == 0:
                raise BadOption(key, "must be more than 0")
        case Kind.PATTERNS:
            _require_patterns(key, value)
        case Kind.RULES:
            _require_no_secret(key, value)
            _require_rules(key, value)
        case Kind.SIZE:
            as_bytes(key, value)
        case _:
            *others, last = setting.words
            raise BadOption(key, f"must be {', '.join(others)} or {last}")


def _require_no_secret(key: str, value: str) -> None:
    if redact_words(value) != value:
        raise BadOption(key, "contains what looks like a secret; put it in a script")


def _require_own_check(key: str, value: str) -> None:
    """Refuse a check whose stored name would differ: its verdicts could never be found."""
    require_check(key, value)
    if shorten_intent(value)[0] != value:
        raise BadOption(key, "not valid text, or too long; put it in a script")


def _require_rules(key: str, value: str) -> None:
    from clew.policy.approval.rules import parse_rules  # noqa: PLC0415  only where rules are set

    try:
        parse_rules(value)
    except ValueError as error:
        raise BadOption(key, str(error)) from error


def _require_detectors(key: str, value: str) -> None:
    from clew.story.plugins import check_plugins  # noqa: PLC0415  it loads what it checks

    try:
        check_plugins(value)
    except ValueError as error:
        raise BadOption(key, str(error)) from error


def _require_patterns(key: str, value: str) -> None:
    lines = value.split("\n")
    for number, line in enumerate(lines, 1):
        reason = refused(os.fsencode(line)) if line else ""
        if reason:
            where = f"line {number}: " if len(lines) > 1 else ""
            raise BadOption(key, f"{where}{reason}: {line!r}")
