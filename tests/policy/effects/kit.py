"""How the tables of acts are written: three ways to act, two ways to compare."""

from __future__ import annotations

from typing import NamedTuple

from clew.model.effect import Act


class Pair(NamedTuple):
    """Two acts, and whether whoever did the first would regret the second."""

    first: Act
    second: Act
    is_same: bool
    why: str


def same(first: Act, second: Act, why: str) -> Pair:
    return Pair(first, second, True, why)


def different(first: Act, second: Act, why: str) -> Pair:
    return Pair(first, second, False, why)


def run(line: str) -> Act:
    return Act(line)


say = run
"""A sentence and a command line come the same way; which one it is must be seen."""


def call(tool: str, **arguments: object) -> Act:
    return Act(tool, tool, arguments)
