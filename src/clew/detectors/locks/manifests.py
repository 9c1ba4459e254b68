"""Manifests: what a project wants, by package, in the words of its file.

A reader returns the requirements, and the rest of what the file states: if the rest is equal, the
requirements explain the change of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from clew.detectors.locks.requirements import Requirement
from clew.model.named_tuple import NamedTuple

_MAX_SPECIFIER = 60
_SHOWN = re.compile(r"[\w.*+!~^<>=|,@ /:-]{1,60}")


class ManifestContent(NamedTuple):
    """What a manifest states."""

    requirements: Mapping[str, Requirement] = {}
    rest: object = None
    """What it states besides, in a form that can be compared."""
    indirect: frozenset[str] = frozenset()
    """Requirements that only others need."""


ManifestReader = Callable[[bytes], ManifestContent]


def shown_specifier(text: str) -> str:
    """Return a version specifier, or "" if it may be more than that."""
    text = " ".join(text.split())
    if len(text) > _MAX_SPECIFIER or "://" in text or not _SHOWN.fullmatch(text):
        return ""
    return text


def shown_reference(text: str) -> str:
    """Return a branch, tag or commit, or "" if it may be more than that."""
    return text if re.fullmatch(r"[\w./:^~-]{1,60}", text) else ""
