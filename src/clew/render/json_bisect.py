"""JSON of a bisect."""

# Shapes are merged into each other, and none has fields that it does not declare:
# mypy: no-extra-checks

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import checkpoint_value, story_value

if TYPE_CHECKING:
    from clew.model.bisect_search import BisectResult
    from clew.model.checkpoint import Checkpoint
    from clew.render.shapes import sandbox, values


def ended(found: BisectResult) -> sandbox.BisectOutput:
    bad = found.details.checkpoint if found.details is not None else found.first_bad
    value: sandbox.BisectOutput = {
        "outcome": found.outcome,
        "command": found.command,
        "first_bad": _checkpoint(bad),
        "last_good": _checkpoint(found.last_good),
        "suspects": [one.id.hex() for one in found.suspects],
        "skipped": [one.id.hex() for one in found.skipped],
        "flaky": [one.id.hex() for one in found.flaky],
        "oldest": found.oldest.id.hex(),
        "newest": found.newest.id.hex(),
        "candidate_count": found.candidates,
        "known_count": found.known,
        "deleted_count": found.deleted,
        "run_count": found.runs,
        "reason": found.reason or None,
    }
    if found.details is not None:
        value |= story_value(found.details.story)
        value["unmentioned"] = list(found.details.unmentioned)
    return value


def _checkpoint(found: Checkpoint | None) -> values.Checkpoint | None:
    return checkpoint_value(found) if found is not None else None
