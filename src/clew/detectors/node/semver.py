"""Semantic version order, as in npm, Cargo and Composer.

`1.2.3-rc.1+build`: numbers first, then the pre-release; the build is ignored.
A leading `v` and one or four numbers are accepted as well, because registries contain such
versions.
Other text has no order: a downgrade is never reported on a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAX_LENGTH = 256
_VERSION = re.compile(
    r"v?([0-9]{1,32}(?:\.[0-9]{1,32}){0,3})(?:-([0-9A-Za-z.-]{1,200}))?(?:\+[0-9A-Za-z.-]{0,200})?"
)

_Identifier = tuple[int, int, str]
Order = tuple[tuple[int, ...], bool, tuple[_Identifier, ...]]


def order(version: str) -> Order | None:
    """Return the sort key of a version, or None if it is not a version."""
    match = _VERSION.fullmatch(version) if len(version) <= _MAX_LENGTH else None
    if match is None:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    numbers += [0] * (4 - len(numbers))
    return tuple(numbers), match[2] is None, tuple(_identifiers(match[2]))


def is_lower(after: str | None, before: str | None) -> bool:
    """Return whether `after` is certainly lower."""
    if not after or not before:
        return False
    old, new = order(before), order(after)
    return old is not None and new is not None and new < old


def in_order(versions: Iterable[str]) -> list[str]:
    """Return distinct versions, lowest first; non-versions last."""
    return sorted({*versions}, key=_sorting)


def _identifiers(prerelease: str | None) -> list[_Identifier]:
    """Return the sort key of `rc.1`: numbers before words, each in its own order."""
    if prerelease is None:
        return []
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in prerelease.split(".")
    ]


def _sorting(version: str) -> tuple[bool, Order, str]:
    found = order(version)
    return found is None, found or ((), False, ()), version
