"""Redaction of actions before they are stored.

Texts are redacted with `redact_words`: in a command line a value ends with its word, and what follows
is part of the action, so `TOKEN=abc deploy prod` and `TOKEN=abc deploy staging` remain different.
Arguments are also redacted by name.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.model.effect import Act
from clew.policy.effects.keys import KeyRole, is_ticker, role_of
from clew.policy.effects.spelling import digest_of
from clew.policy.effects.values import DEEPEST
from clew.policy.redaction.redact import MARK, redact_words


def redacted(act: Act) -> Act:
    """Return `act` without secrets, as plain JSON of bounded depth; its meaning is the same."""
    return Act(redacted_line(act.what), act.tool, _redacted_value(act.arguments, 0))


def redacted_line(text: str) -> str:
    """Return a sentence or a command line without secrets."""
    return redact_words(text)


def _redacted_value(value: object, depth: int) -> object:
    if depth > DEEPEST and isinstance(value, (Mapping, list, tuple)):
        return f"<{digest_of(value)}>"
    if isinstance(value, Mapping):
        return {str(key): _redacted_item(str(key), item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted_value(item, depth + 1) for item in value]
    if isinstance(value, str):
        return redacted_line(value)
    return value


def _redacted_item(key: str, value: object, depth: int) -> object:
    is_count = isinstance(value, int) and key.lower().endswith("tokens")
    is_open = value is None or isinstance(value, bool) or is_count or is_ticker(value)
    return _redacted_value(value, depth) if is_open or role_of(key) != KeyRole.SECRET else MARK
