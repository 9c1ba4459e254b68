"""Output of a command that fails."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.maintenance import PruneOutput
from clew.render.shapes.restore import Conflict, Preview


class CheckpointRemovedDetails(TypedDict):
    checkpoint: NotRequired[str]
    """`checkpoint-removed`: id of the checkpoint"""
    removed_time: NotRequired[str]
    """`checkpoint-removed`: when it was removed"""
    rule: NotRequired[str | None]
    """`checkpoint-removed`: by which rule, see `prune`; `null` if an older clew removed it"""
    nearest: NotRequired[str | None]
    """`checkpoint-removed`: id of the nearest remaining checkpoint, or `null`"""


class NoSpaceForSaveDetails(TypedDict):
    free_bytes: NotRequired[int]
    """`no-space-for-save`: free space on the store's disk"""
    min_free_bytes: NotRequired[int]
    """`no-space-for-save`: the required free space, the setting `min-free`"""
    prunable_checkpoint_count: NotRequired[int]
    """`no-space-for-save`: number of checkpoints that `clew prune --keep-last 10` would remove"""
    prunable_bytes: NotRequired[int]
    """`no-space-for-save`: estimate of the space that this would free"""


class ErrorDetails(CheckpointRemovedDetails, NoSpaceForSaveDetails):
    pass


class ErrorText(TypedDict):
    kind: str
    """a stable word from the list below"""
    message: str
    """one sentence"""
    hint: str | None
    """the next step"""


class Error(ErrorText, ErrorDetails):
    pass


class ErrorOutput(TypedDict):
    error: Error
    """the error, see below"""
    preview: NotRequired[Preview]
    """`needs-confirmation`: what would be overwritten"""
    conflicts: NotRequired[list[Conflict]]
    """`merge-conflicts`: the conflicts of the merge"""
    prune: NotRequired[PruneOutput]
    """`prune-needs-confirmation`: what `prune --dry-run` prints"""
