"""Which detectors and words a story was told with; another version tells it again.

`DETECTORS` stands here as a constant because a timeline asks for the version and must not load
every detector for it; a test compares it with the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from blake3 import blake3

PLUGINS = "story.detectors"
"""The setting that names detectors of other people."""

DETECTORS = "855be911"
"""What `fingerprint` says of the registry."""

_WORDS = 2
"""Counted up when the same facts would be told in other words."""


def story_version(settings: Mapping[str, str]) -> str:
    """Return a short text that changes with any detector."""
    return f"{_WORDS}.{DETECTORS}.{_digest(settings.get(PLUGINS, ''))}"


def fingerprint(versions: Iterable[tuple[str, int]]) -> str:
    """Return what stands for the names and versions of all detectors."""
    return _digest("\n".join(f"{name} {version}" for name, version in versions))


def _digest(text: str) -> str:
    return blake3(text.encode("utf-8", "surrogateescape")).hexdigest(4) if text else ""
