"""One side of a story: a checkpoint, or the workspace as it is now."""

from __future__ import annotations

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.signals import Signals
from clew.operations.save.scan import LiveTrees


class StorySide(NamedTuple):
    """What a story needs of a moment."""

    tree: ObjectId
    signals: Signals | None
    live: LiveTrees | None = None
    """The trees of a live scan, which no store holds."""
