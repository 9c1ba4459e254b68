"""JSON of a search in contents."""

# mypy: no-extra-checks

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.path import as_text
from clew.render.json_values import path_value
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from clew.model.checkpoint import Checkpoint
    from clew.model.grep_results import GrepHit, GrepResult
    from clew.render.shapes import history


def found(result: GrepResult) -> history.GrepOutput:
    return {
        "hits": [_hit_value(hit) for hit in result.hits],
        "more_count": result.more,
        "searched_checkpoint_count": result.checkpoints,
        "searched_content_count": result.contents,
        "read_bytes": result.read_bytes,
        "skipped_directories": [path_value(path) for path in result.skipped],
        "notes": list(result.notes),
    }


def _hit_value(hit: GrepHit) -> history.GrepHit:
    lifetime = hit.lifetime
    return {
        **path_value(hit.path),
        "number": hit.number or None,
        "text": as_text(hit.line.text.encode("utf-8", "surrogateescape")) if hit.number else None,
        "spans": [list(span) for span in hit.line.spans],
        "is_binary": hit.is_binary,
        "is_redacted": hit.is_redacted,
        "first": _held_value(lifetime.first),
        "last": _held_value(lifetime.last),
        "checkpoint_count": lifetime.held,
        "is_current": lifetime.is_current,
    }


def _held_value(checkpoint: Checkpoint) -> history.HoldingMoment:
    return {"checkpoint": checkpoint.id.hex(), "time": rfc3339(checkpoint.record.time_ns)}
