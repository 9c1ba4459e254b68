"""Output of `clew` alone, and of `clew prompt`."""

from __future__ import annotations

from typing_extensions import TypedDict

from clew.render.shapes.history import InterruptedRestore
from clew.render.shapes.values import Checkpoint, Workspace


class OverviewAgent(TypedDict):
    agent: str
    file: str
    """the agent, and the settings file with its hooks"""
    state: str
    """`enabled`, `outdated`, `unreadable`, or `missing` if they were removed since `enable`"""
    last_event_time: str | None
    """when its last hook ran in this workspace, or `null`"""
    is_at_work: bool
    """whether its session is attached and its process runs"""


class OverviewOutput(TypedDict):
    workspace: Workspace | None
    """the workspace, as `init` prints it; `null` outside of one, and then the rest is empty"""
    checkpoint_count: int
    """number of its checkpoints"""
    current: Checkpoint | None
    """the checkpoint last saved or restored, or `null`"""
    good: Checkpoint | None
    """the newest whose check passes, or `null`"""
    newer_than_good_count: int
    """number of checkpoints that are newer than that"""
    interrupted_restore: InterruptedRestore | None
    """as in `status`"""
    agents: list[OverviewAgent]
    """one for each settings file with hooks, see below"""
    has_changes: bool
    """whether the workspace differs from its current checkpoint"""
    change_counts: dict[str, int]
    """number of paths that differ, by kind: `added`, `modified`, `deleted`, `renamed`, `metadata`"""
    headline: str
    """the headline of these changes"""
    next_commands: list[str]
    """commands that fit the situation, the most urgent first"""


class PromptOutput(TypedDict):
    current: str | None
    """id of the checkpoint last saved or restored; `null` outside a workspace and before the first"""
    verdict: str | None
    """the status of its check, see [verdict](#verdict), or `null`"""
    is_changed: bool | None
    """with `--scan`, whether the workspace differs from it; `null` without, or if 100 ms were not enough"""
    agent: str | None
    """the agent at work, or `null`"""
    last_event_time: str | None
    """with `--status-line`, when the last hook of its session ran, or `null`"""
