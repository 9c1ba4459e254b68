"""Effect redaction: an act as it may be kept, its secrets blanked and nothing else.

`redact` reads the output of commands, where `TOKEN=abc def` is one value to the end of the line.
In a command line the value ends with the word, and what follows is the act itself:
`TOKEN=abc deploy prod` must not become the same as `TOKEN=abc deploy staging`.
So assignments are blanked first, word by word; `redact` leaves alone what is blank already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from clew.model.effect import Act
from clew.model.effect_keys import Role, is_ticker, role_of
from clew.model.effect_spelling import digest_of
from clew.model.effect_values import DEEPEST
from clew.model.redact import MARK, redact


def redacted(act: Act) -> Act:
    """Return `act` without its secrets, as plain JSON of bounded depth; its meaning is the same."""
    return Act(redacted_line(act.what), act.tool, _redacted_value(act.arguments, 0))


def redacted_line(text: str) -> str:
    """Return a sentence or a command line without its secrets."""

    def blanked(found: re.Match[str]) -> str:
        return found[1] + MARK if role_of(found[2]) == Role.SECRET else found[0]

    return redact(_assignment().sub(blanked, text))


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
    return _redacted_value(value, depth) if is_open or role_of(key) != Role.SECRET else MARK


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(
        r"((?<![\w-])([A-Za-z_]\w{0,100})=)"
        r"(?!\[redacted\])(?:\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|[^\s;&|\"'()<>]++)"
    )
