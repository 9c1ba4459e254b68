"""One side of a story: a checkpoint, or the live workspace."""

from __future__ import annotations

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.signals import Signals
from clew.operations.save.scan import LiveTrees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.database_look import DatabaseLook


class StorySide(NamedTuple):
    """The tree and signals of one side."""

    tree: ObjectId
    signals: Signals | None
    live: LiveTrees | None = None
    """The trees of a live scan, which are not in the store."""
    look: DatabaseLook | None = None
    """What database servers said after the checkpoint."""
