"""A directory that an ordinary user may walk to; pytest's own is for its owner only."""

from __future__ import annotations

from tests.operations.places import open_place

__all__ = ["open_place"]
