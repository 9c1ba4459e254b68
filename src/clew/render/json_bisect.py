"""The JSON of a bisect; docs/json.md describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import Json, checkpoint_value, identifier, story_value

if TYPE_CHECKING:
    from clew.model.bisect_search import BisectResult
    from clew.model.checkpoint import Checkpoint
    from clew.model.results import Told


def ended(found: BisectResult) -> Json:
    bad = found.told.checkpoint if found.told is not None else found.first_bad
    return {
        "outcome": found.outcome,
        "command": found.command,
        "first_bad": _checkpoint(bad),
        "last_good": _checkpoint(found.last_good),
        "suspects": [identifier(one.id) for one in found.suspects],
        "skipped": [identifier(one.id) for one in found.skipped],
        "flaky": [identifier(one.id) for one in found.flaky],
        "oldest": identifier(found.oldest.id),
        "newest": identifier(found.newest.id),
        "candidates": found.candidates,
        "known": found.known,
        "deleted": found.deleted,
        "runs": found.runs,
        **(_story(found.told) if found.told is not None else {}),
    }


def _story(told: Told) -> Json:
    return {**story_value(told.story), "unmentioned": list(told.unmentioned)}


def _checkpoint(found: Checkpoint | None) -> Json | None:
    return checkpoint_value(found) if found is not None else None
