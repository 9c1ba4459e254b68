"""Thrift: history is kept within its limits by whoever adds to it, and never at the cost of a save."""

from __future__ import annotations

from clew.errors import ClewError
from clew.model.save_result import SaveResult
from clew.verbs.base import WorkspaceBase

_NOW_AND_THEN = 20
"""Saves between two looks at the size of the store, which cost a little each."""


class Thrift(WorkspaceBase):
    """What saves that nobody watches do about the room they take."""

    def is_prune_due(self) -> bool:
        """Tell whether the store has outgrown its rules; a save never prunes by itself."""
        from clew.operations.maintenance.prune import is_due

        return is_due(self._context)

    def prune_now_and_then(self, saved: SaveResult) -> None:
        """Start a prune if it is due; looked at after some saves only, and never spoils one."""
        if saved.checkpoint.record.sequence % _NOW_AND_THEN:
            return
        try:
            if self.is_prune_due():
                self.prune_in_background()
        except (ClewError, OSError):
            return  # the next look comes soon

    def prune_in_background(self) -> None:
        """Start a prune by the rules in force, in a process that nobody waits for."""
        from clew.worktree.interpreter import start_in_background

        start_in_background(["prune"], self.info.path, self.store_path)
