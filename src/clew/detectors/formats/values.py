"""Values of structured files: what all readers return.

A scalar that is not quoted stays as it is written (`Plain`): `1.10` is not 1.1, and `0644` not 420.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Value: TypeAlias = "dict[str, Value] | list[Value] | str | bool | None"

MAX_DEPTH = 64
"""Collections in each other; deeper files cannot be read."""
MAX_NODES = 100_000
"""Scalars and collections of a file, those that aliases repeat included."""

_NOT_A_WORD = re.compile(
    r"(?:|~|null|true|false|yes|no|on|off|y|n"
    r"|[-+]?(?:\d[\d_]*+(?:\.[\d_]*+)?|\.\d[\d_]*+)(?:e[-+]?\d++)?|[-+]?0(?:x[\da-f_]++|[ob][0-7_]++)"
    r"|[-+]?\d[\d_]*+(?::[0-5]?\d)++(?:\.\d*+)?"  # 22:22 is a number to the base of 60
    r"|\d{4}-\d{1,2}-\d{1,2}(?:[Tt \t]++[\d:.]++[ \t]*+(?:Z|[-+][\d:]++)?)?|[-+]?\.(?:inf|nan))",
    re.I,
)
"""Without quotes, YAML reads these as numbers, dates, booleans or nothing."""


class Unreadable(ValueError):
    """A file is not in its format, or beyond what its reader supports."""


class Plain(str):
    """A scalar without quotes: a number, a boolean, null or a word."""

    __slots__ = ()


class Shown(Plain):
    """A scalar that its reader made fit to be shown: the name of an image, a port."""

    __slots__ = ()


class Hidden(Plain):
    """A scalar that may be secret whatever its name: a variable of an environment, a command."""

    __slots__ = ()


def is_word(text: str) -> bool:
    """Return whether a plain scalar is text, with or without quotes."""
    return _NOT_A_WORD.fullmatch(text) is None


def is_same(one: Value, other: Value) -> bool:
    """Return whether two scalars mean the same; `80` and `"80"` do not, `on` and `"on"` neither."""
    if one != other or isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, str) and isinstance(other, str) and not is_word(one):
        return isinstance(one, Plain) is isinstance(other, Plain)
    return True


def is_equal(one: Value, other: Value) -> bool:
    """Return whether two values mean the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    is_scalar = not isinstance(one, dict | list) and not isinstance(other, dict | list)
    return is_scalar and is_same(one, other)


class NodeCounter:
    """Counts what a reader has made, so that no file becomes larger than it may."""

    def __init__(self, most: int = MAX_NODES) -> None:
        self.nodes = 0
        self._most = most

    def count(self, number: int = 1) -> None:
        """Add to the number of nodes; raises `Unreadable` if there are too many."""
        self.nodes += number
        if self.nodes > self._most:
            raise Unreadable("too many values")


def words_of(value: Value) -> list[str]:
    """Return the texts of a list, or the text."""
    items = value if isinstance(value, list) else [value]
    return [one for one in items if isinstance(one, str)]


def text_of(value: Value) -> str:
    """Return a text; empty if it is something else."""
    return value if isinstance(value, str) else ""
