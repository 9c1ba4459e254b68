"""Arguments of directives: hidden if one of them says that another is a secret."""

from __future__ import annotations

from collections.abc import Sequence

from clew.detectors.formats.values import Hidden, Plain, Unreadable, Value
from clew.policy.redaction.assignments import sounds_secret
from clew.policy.redaction.names import assigns_secret

_TELLING = ("auth", "user", "key", "cookie", "login", "credential", "psk", "authorization", "set")
_MAX_EQUAL = 200


def arguments(name: str, words: Sequence[str]) -> Value:
    """Return the arguments of a directive: one word, or a list."""
    if any(map(_is_telling, (name, *words))):
        return Hidden(" ".join(words))
    if len(words) == 1:
        return Plain(words[0])
    return [Plain(word) for word in words]


def _is_telling(word: str) -> bool:
    lower = word.lower().strip("$-<>:")
    return (
        sounds_secret(word)
        or assigns_secret(word)
        or lower in _TELLING
        or lower.endswith(("pass", "pwd", "-key", "_key", "auth", "-token"))
    )


def add_setting(found: dict[str, Value], key: str, value: Value) -> None:
    """Add a directive; arguments of a repeated one become items of a list, blocks are numbered."""
    if key not in found:
        found[key] = value
        return
    before = found[key]
    if not isinstance(before, dict) and not isinstance(value, dict):
        found[key] = [*_items(before), *_items(value)]
        return
    for number in range(2, _MAX_EQUAL):
        if f"{key} {number}" not in found:
            found[f"{key} {number}"] = value
            return
    raise Unreadable("too many equal blocks")


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [value]
