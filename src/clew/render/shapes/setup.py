"""Output of enable, disable and doctor."""

from __future__ import annotations

from typing_extensions import TypedDict

from clew.render.shapes.values import Checkpoint, Workspace


class EditedFile(TypedDict):
    file: str
    """its path"""
    features: list[str]
    """what clew writes to it: `hooks`, `mcp`, `skill`, `instructions`"""
    change: str
    """`created`, `changed`, `unchanged` or `removed`"""
    agent: str
    scope: str
    """the agent and the scope"""


class EnableOutput(TypedDict):
    agent: str
    scope: str
    """the agent, and whose settings: `project` or `user`"""
    is_machine: bool
    """whether the workspace is the whole machine"""
    was_gate_enabled: bool
    """whether this enabled the approval gate"""
    workspace: Workspace | None
    """the workspace, as `init` prints it; `null` for user settings outside any workspace"""
    store: str
    """where its history is stored"""
    checkpoint: Checkpoint | None
    """the first checkpoint, or the current one if nothing changed since; `null` without a workspace"""
    was_created: bool
    """whether that checkpoint is new"""
    files: list[EditedFile]
    """the files that were written, see below"""
    manual_steps: list[str]
    """remaining manual steps, one sentence each"""


class SkippedFile(TypedDict):
    file: str
    """its path"""
    reason: str
    """why, in one phrase"""
    is_in_use: bool
    """whether another agent still uses it; with any other reason the exit code is 3"""


class DisableOutput(TypedDict):
    files: list[EditedFile]
    """the files that were changed or removed, as `enable` prints them"""
    skipped: list[SkippedFile]
    """the files that were not changed, see below"""


class AgentStatus(TypedDict):
    agent: str
    scope: str
    file: str
    """the agent, the scope, and the settings file"""
    state: str
    """`enabled`, `outdated`, `unreadable`, or `missing` if they were removed since `enable`"""
    is_machine: bool
    """whether the workspace is the whole machine"""


class AgentProgram(TypedDict):
    agent: str
    """an agent that can be enabled"""
    program: str | None
    """path of its program; `null` if it is not on the PATH"""


class HookFailure(TypedDict):
    time: str
    """when it failed"""
    agent: str
    event: str
    directory: str
    """the agent, the hook event, and the working directory"""
    message: str
    """the error"""


class Problem(TypedDict):
    message: str
    """one sentence"""
    hint: str
    """the next step"""


class Check(TypedDict):
    name: str
    """what was checked, with the agent after a `/`, see below"""
    outcome: str
    """`passed`, `warning`, `failed` or `skipped`"""
    detail: str
    """what was found, in one sentence"""
    remedy: str
    """the next step; empty if there is none"""


class DoctorOutput(TypedDict):
    agents: list[AgentStatus]
    """where clew's hooks are installed"""
    programs: list[AgentProgram]
    """the agents that can be enabled"""
    clew_program: str | None
    """path of clew on the PATH, or `null`"""
    workspace: Workspace | None
    store: str | None
    """the workspace and its store, or `null`"""
    free_bytes: int | None
    """free space on the store's disk, or `null`"""
    last_active_time: str | None
    """when an agent was last active in this workspace, or `null`"""
    hook_failures: list[HookFailure]
    """the newest hook failures"""
    problems: list[Problem]
    """the failed checks; the exit code is then 1"""
    checks: list[Check]
    """every check, in the order in which they were run"""
