"""Restore with `--keep-mine`: keep the edits made since the last checkpoint.

This is a three-way merge whose base is *here*, and whose other side is the target: changes between
the target and *here* are taken back, edits after *here* are kept.

A rescue, or the result of an earlier merge of this kind, holds such edits too, and was not saved by
a person.  If that is *here*, the base is the checkpoint that those edits were made to.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, short
from clew.operations.context import Context
from clew.operations.forks.merge_draft import MergeRequest, require_side
from clew.operations.restore.path_selection import require_paths
from clew.operations.restore.restore import Confirm
from clew.policy.labels import KEPT_SINCE


def keeping_mine(
    context: Context,
    target: Checkpoint,
    chosen: Sequence[bytes],
    favour: str | None,
    confirm: Confirm | None = None,
) -> MergeRequest:
    """Return the merge that restores everything but the edits since *here* to `target`."""
    require_side(favour)
    base = _last_asked_for(context)
    if base is None:
        raise BadOption("--keep-mine", "no checkpoint to compare the edits with")
    require_paths(context, target, chosen)
    within = () if b"" in chosen else tuple(chosen)
    edited = base if within else target
    return MergeRequest(
        base=base,
        theirs=target,
        meta=((KEPT_SINCE, edited.id.hex()),),
        intent=f"restored {short(target.id)}, keeping later edits",
        rescue_intent=f"before restoring {short(target.id)}, keeping later edits",
        within=within,
        favour=favour,
        confirm=confirm,
    )


def _last_asked_for(context: Context) -> Checkpoint | None:
    """Return the checkpoint that edits are compared with; each step leads to an older one."""
    found = context.here
    while found is not None:
        edited = _edited_since(found)
        if edited is None and not found.is_rescue:
            return found
        identifier, _ = context.store.checkpoints.surviving(edited or found.record.parent)
        older = context.find(identifier) if identifier is not None else None
        is_older = older is not None and older.record.sequence < found.record.sequence
        found = older if is_older else None
    return None


def _edited_since(checkpoint: Checkpoint) -> CheckpointId | None:
    """Return the base of the edits in a merge of this kind; None for any other checkpoint."""
    said = dict(checkpoint.labels.meta).get(KEPT_SINCE, "")
    try:
        return CheckpointId(bytes.fromhex(said)) or None
    except ValueError:  # metadata can be written by anyone
        return None
