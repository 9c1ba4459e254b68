"""Unsaved work: what a restore would overwrite that *here* does not hold as it is now.

*Here* is on the trail, so it is not pruned, and `clew undo` restores it.  What it holds is therefore
safe without a rescue; everything else exists only in the workspace until the rescue is taken.
"""

from __future__ import annotations

from collections.abc import Callable

from clew.diff.trees import diff_trees
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.ids import ObjectId
from clew.model.restore_results import RestorePreview

Get = Callable[[ObjectId], bytes]


def unsaved_paths(
    here: Checkpoint | None, live: ObjectId, preview: RestorePreview, get: Get
) -> tuple[bytes, ...]:
    """Return the paths that would be overwritten and differ between *here* and the tree `live`.

    What *here* does not cover counts as different: nobody knows whether it had the same content.
    """
    touched = [one.path for one in (*preview.replaced, *preview.deleted, *preview.metadata)]
    if here is None:
        return tuple(touched)
    if not (touched and preview.dirty):
        return ()
    differing: set[bytes] = set()
    unknown: set[bytes] = set()
    for change in diff_trees(here.record.tree, live, get, mtimes=False, uncovered=True):
        differing.add(change.path)
        if change.old is not None and not change.old.is_covered:
            unknown.add(change.path)  # entries below it are not listed
    return tuple(
        path
        for path in touched
        if path in differing or (unknown and any(paths.is_within(path, one) for one in unknown))
    )
