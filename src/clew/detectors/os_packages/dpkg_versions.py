"""Debian version order: epoch, then upstream version, then revision.

As in deb-version(7): `~` sorts before everything, even before the end; letters sort before other
characters; runs of digits compare as numbers.

    1.0~rc1  <  1.0  <  1.0-1  <  1.0+b1  <  1:0.1
"""

from __future__ import annotations

import re

_RUN = re.compile(r"([^0-9]*)([0-9]*)")


def is_older(version: str, than: str) -> bool:
    """Return whether a version is lower."""
    return compare(version, than) < 0


def compare(left: str, right: str) -> int:
    """Return a number below, at or above zero if `left` is older, equal or newer."""
    for mine, theirs in zip(_parts(left), _parts(right), strict=True):
        found = _compare_part(mine, theirs)
        if found:
            return found
    return 0


def _parts(version: str) -> tuple[str, str, str]:
    """Return epoch, upstream version and revision."""
    epoch, colon, rest = version.strip().partition(":")
    if not colon:
        epoch, rest = "0", epoch
    upstream, dash, revision = rest.rpartition("-")
    return (epoch, upstream, revision) if dash else (epoch, rest, "0")


def _compare_part(left: str, right: str) -> int:
    mine, theirs = _RUN.findall(left), _RUN.findall(right)
    for index in range(max(len(mine), len(theirs))):
        text, number = mine[index] if index < len(mine) else ("", "")
        other_text, other_number = theirs[index] if index < len(theirs) else ("", "")
        found = _compare_text(text, other_text) or _compare_number(number, other_number)
        if found:
            return found
    return 0


def _compare_text(left: str, right: str) -> int:
    mine, theirs = [*map(_rank, left), 0], [*map(_rank, right), 0]
    return (mine > theirs) - (mine < theirs)


def _rank(character: str) -> int:
    """Return the rank of a character; the end of the text is 0."""
    if character == "~":
        return -1
    return ord(character) if character.isascii() and character.isalpha() else ord(character) + 256


def _compare_number(left: str, right: str) -> int:
    """Compare digits without conversion to int: a hostile version may have millions."""
    mine, theirs = left.lstrip("0"), right.lstrip("0")
    if len(mine) != len(theirs):
        return 1 if len(mine) > len(theirs) else -1
    return (mine > theirs) - (mine < theirs)
