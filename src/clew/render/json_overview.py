"""JSON of `clew` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json import interrupted_value
from clew.render.json_values import checkpoint_value, counts_value, workspace_value
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.change import ChangeCounts
    from clew.model.overview import Overview
    from clew.model.restore_results import InterruptedRestore
    from clew.model.results import Difference
    from clew.model.setup_results import HookStatus
    from clew.render.shapes import overview as shapes


def overview_value(
    found: Overview,
    hooks: Sequence[HookStatus],
    difference: Difference,
    counts: ChangeCounts,
    interrupted: InterruptedRestore | None,
    commands: Sequence[tuple[str, str]],
) -> shapes.OverviewOutput:
    heard = {one.agent: one for one in reversed(found.agents)}
    return {
        "workspace": workspace_value(found.info),
        "checkpoint_count": found.checkpoints,
        "current": checkpoint_value(found.here) if found.here is not None else None,
        "good": checkpoint_value(found.good) if found.good is not None else None,
        "newer_than_good_count": found.newer_than_good,
        "interrupted_restore": interrupted and interrupted_value(interrupted),
        "agents": [
            {
                "agent": hook.agent,
                "file": hook.path,
                "state": hook.state,
                "last_event_time": rfc3339(seen.heard_ns) if seen and seen.heard_ns else None,
                "is_at_work": bool(seen and seen.is_at_work),
            }
            for hook in hooks
            for seen in (heard.get(hook.agent),)
        ],
        "has_changes": bool(difference.changes),
        "change_counts": counts_value(counts),
        "headline": difference.story.headline if difference.story is not None else "",
        "next_commands": [command for command, _ in commands],
    }


def no_workspace(commands: Sequence[tuple[str, str]]) -> shapes.OverviewOutput:
    return {
        "workspace": None,
        "checkpoint_count": 0,
        "current": None,
        "good": None,
        "newer_than_good_count": 0,
        "interrupted_restore": None,
        "agents": [],
        "has_changes": False,
        "change_counts": {},
        "headline": "",
        "next_commands": [command for command, _ in commands],
    }
