"""What comes of private copies, as JSON; docs/json.md describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json import difference
from clew.render.json_values import (
    Json,
    checkpoint_value,
    counts_value,
    path_value,
    story_value,
    verdict_value,
)

if TYPE_CHECKING:
    from clew.model.sandbox_results import (
        Board,
        ComparedPath,
        ComparedState,
        Comparison,
        Executed,
        Judged,
        RunOutcome,
        Tried,
    )


def judged(result: Judged) -> Json:
    return {
        "checkpoint": checkpoint_value(result.checkpoint),
        "verdict": verdict_value(result.verdict),
    }


def executed(result: Executed) -> Json:
    found = result.difference
    return {
        **_outcome_value(result.outcome),
        "difference": None if found is None else difference(found),
    }


def board(found: Board) -> Json:
    return {
        "base": checkpoint_value(found.base),
        "check": found.check or None,
        "ways": [_way_value(way) for way in found.ways],
    }


def compared(found: Comparison) -> Json:
    names = [side.name for side in found.sides]
    return {
        "ancestor": checkpoint_value(found.ancestor),
        "sides": [_side_value(side) for side in found.sides],
        "paths": [_touched_value(one, names) for one in found.paths],
    }


def _outcome_value(outcome: RunOutcome) -> Json:
    return {
        "command": outcome.command,
        "ended": outcome.ended,
        "exit_code": outcome.exit_code,
        "duration_ms": outcome.duration_ns // 1_000_000,
        "output": outcome.output,
        "where": outcome.where,
        "net": outcome.net,
        "notes": list(outcome.notes),
    }


def _way_value(way: Tried) -> Json:
    return {
        "name": way.name,
        **_outcome_value(way.outcome),
        "fork": way.fork or None,
        "checkpoint": None if way.checkpoint is None else checkpoint_value(way.checkpoint),
        "verdict": None if way.verdict is None else verdict_value(way.verdict),
        "difference": None if way.difference is None else difference(way.difference),
    }


def _side_value(side: ComparedState) -> Json:
    return {
        "name": side.name,
        "fork": side.fork or None,
        "checkpoint": checkpoint_value(side.checkpoint),
        "changes": counts_value(side.changes),
        **story_value(side.story),
    }


def _touched_value(one: ComparedPath, names: list[str]) -> Json:
    return {
        **path_value(one.path),
        "changed_by": [names[number] for number in one.changed_by],
        "kinds": [one.kinds[number] for number in one.changed_by],
        "agreed": one.agreed,
    }
