"""Constructors for the tables of acts: three kinds of act, two kinds of pair."""

from __future__ import annotations

from typing import NamedTuple

from clew.model.effect import Act


class Pair(NamedTuple):
    """Two acts, and whether the second repeats the first."""

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
"""A sentence or a command line; the code must recognize which."""


def call(tool: str, **arguments: object) -> Act:
    return Act(tool, tool, arguments)
