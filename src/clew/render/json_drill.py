"""JSON of a restore drill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import (
    checkpoint_value,
    drill_value,
    path_value,
    reason_value,
    verdict_value,
)

if TYPE_CHECKING:
    from clew.model.drill import DrillResult
    from clew.render.shapes import sandbox


def drilled(result: DrillResult) -> sandbox.DrillOutput:
    return {
        "checkpoint": checkpoint_value(result.checkpoint),
        "drill": {
            **drill_value(result.drill),
            "differing_paths": [
                {**path_value(one.path), "reason": one.description} for one in result.differences
            ],
        },
        "not_compared": [reason_value(item) for item in result.limits],
        "verdict": None if result.verdict is None else verdict_value(result.verdict),
        "duration_ms": result.duration_ns // 1_000_000,
        "notices": list(result.notices),
    }
