"""A directory that an unprivileged user may enter; pytest's own is accessible to its owner only."""

from __future__ import annotations

from tests.operations.places import open_place

__all__ = ["open_place"]
