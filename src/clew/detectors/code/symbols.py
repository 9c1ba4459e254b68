"""Definitions of a source file: functions, classes, methods and constants."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.named_tuple import NamedTuple

FUNCTION, CLASS, CONSTANT = "function", "class", "constant"

_MAX_NAME = 60
_MAX_MERGED = 64 << 10
"""Text of definitions with one name that is compared; the rest of very many is not."""


class Symbol(NamedTuple):
    """One definition."""

    name: str
    """Qualified by its class: `Session.close`."""
    kind: str
    raw: str
    """Its text."""
    normal: Callable[[], object]
    """Returns its own part of `meaning`."""
    anonymous: Callable[[], object]
    """Returns its text without its own name: equal for a definition that was renamed."""
    parameters: tuple[str, ...] | None = None
    """The names of its parameters; None if they were not read."""
    more: tuple[Callable[[], object], ...] = ()
    """`normal` of other definitions with its name."""

    @property
    def meaning(self) -> tuple[object, ...]:
        """What is equal for two definitions that differ in layout and comments only."""
        return self.normal(), *(one() for one in self.more)

    @property
    def shown(self) -> str:
        """Its name, with `()` for a function."""
        name = self.name if len(self.name) <= _MAX_NAME else f"{self.name[: _MAX_NAME - 1]}…"
        return f"{name}()" if self.kind == FUNCTION else name

    @property
    def owner(self) -> str:
        """The class it is in; empty at the top."""
        return self.name.rpartition(".")[0]


Symbols = dict[str, Symbol]
"""The definitions of a file by name, in the order of the file."""


def merged(first: Symbol, second: Symbol) -> Symbol:
    """Return two definitions of one name as one: overloads, or a class in several parts."""
    if len(first.raw) + len(second.raw) > _MAX_MERGED:
        return first
    return first._replace(
        raw=f"{first.raw}\n{second.raw}", more=(*first.more, second.normal, *second.more)
    )
