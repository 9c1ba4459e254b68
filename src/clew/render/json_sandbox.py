"""JSON of commands run in copies, and of compared states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json import difference
from clew.render.json_values import (
    checkpoint_value,
    counts_value,
    drill_value,
    path_value,
    reason_value,
    story_value,
    verdict_value,
)

if TYPE_CHECKING:
    from clew.model.sandbox_results import (
        AttemptResult,
        ComparedPath,
        ComparedState,
        Comparison,
        DrillResult,
        Executed,
        RunOutcome,
        TryResult,
        VerifyResult,
    )
    from clew.render.shapes import sandbox


def judged(result: VerifyResult) -> sandbox.VerifyOutput:
    return {
        "checkpoint": checkpoint_value(result.checkpoint),
        "verdict": verdict_value(result.verdict),
    }


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


def executed(result: Executed) -> sandbox.ExecOutput:
    found = result.difference
    return {
        **_outcome_value(result.outcome),
        "difference": None if found is None else difference(found),
    }


def board(found: TryResult) -> sandbox.TryOutput:
    return {
        "base": checkpoint_value(found.base),
        "check": found.check or None,
        "attempts": [_attempt_value(one) for one in found.attempts],
    }


def compared(found: Comparison) -> sandbox.CompareOutput:
    names = [state.name for state in found.states]
    return {
        "ancestor": checkpoint_value(found.ancestor),
        "states": [_state_value(state) for state in found.states],
        "paths": [_path_value(one, names) for one in found.paths],
    }


def _outcome_value(outcome: RunOutcome) -> sandbox.RunOutcome:
    return {
        "command": outcome.command,
        "end_reason": outcome.end_reason,
        "exit_code": outcome.exit_code,
        "duration_ms": outcome.duration_ns // 1_000_000,
        "output": outcome.output,
        "ran_in": outcome.ran_in,
        "network": outcome.network,
        "notes": list(outcome.notes),
    }


def _attempt_value(tried: AttemptResult) -> sandbox.Attempt:
    return {
        "name": tried.name,
        **_outcome_value(tried.outcome),
        "fork": tried.fork or None,
        "checkpoint": None if tried.checkpoint is None else checkpoint_value(tried.checkpoint),
        "verdict": None if tried.verdict is None else verdict_value(tried.verdict),
        "check_status": "not run" if tried.verdict is None else tried.verdict.status,
        "check_exit_code": None if tried.verdict is None else tried.verdict.exit_code,
        "difference": None if tried.difference is None else difference(tried.difference),
    }


def _state_value(state: ComparedState) -> sandbox.ComparedState:
    return {
        "name": state.name,
        "fork": state.fork or None,
        "checkpoint": checkpoint_value(state.checkpoint),
        "change_counts": counts_value(state.changes),
        **story_value(state.story),
    }


def _path_value(one: ComparedPath, names: list[str]) -> sandbox.ComparedPath:
    return {
        **path_value(one.path),
        "changed_by": [names[number] for number in one.changed_by],
        "kinds": [one.kinds[number] for number in one.changed_by],
        "is_same": one.is_same,
    }
