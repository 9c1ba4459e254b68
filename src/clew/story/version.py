"""Story version: the detectors and words of a story; with another version it is derived again.

`DETECTORS` is a constant because a timeline needs the version and must not load every detector for
it; a test compares it with the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from blake3 import blake3

PLUGINS = "story.detectors"
"""The setting that names third-party detectors."""

DETECTORS = "4e13205c"
"""The `fingerprint` of the registry."""

_CUT = "+cut"
_WORDS = 4
"""Increased when the wording for the same facts changes."""


def story_version(settings: Mapping[str, str]) -> str:
    """Return a short text that changes with any detector."""
    return f"{_WORDS}.{DETECTORS}.{_digest(settings.get(PLUGINS, ''))}"


def cut_version(version: str) -> str:
    """Return the version of a story that was cut short: shown, and derived again in the background."""
    return version + _CUT


def is_current_version(stored: str, version: str) -> bool:
    """Return whether a stored story may be shown: it is of this version, cut short or not."""
    return stored.removesuffix(_CUT) == version


def fingerprint(versions: Iterable[tuple[str, int]]) -> str:
    """Return a digest of the names and versions of all detectors."""
    return _digest("\n".join(f"{name} {version}" for name, version in versions))


def _digest(text: str) -> str:
    return blake3(text.encode("utf-8", "surrogateescape")).hexdigest(4) if text else ""
