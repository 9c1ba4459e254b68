"""What enabling an agent, disabling it, and looking whether all is well give back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    from clew.model.checkpoint import WorkspaceInfo
    from clew.model.save_result import SaveResult


class What:
    """What of ours stands in a file."""

    HOOKS = "hooks"
    MCP = "mcp"
    SKILL = "skill"
    INSTRUCTIONS = "instructions"


class SettingsChange:
    """What became of a file."""

    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"


class EditedFile(NamedTuple):
    """A file, what of ours is or was in it, and what became of it."""

    path: str
    things: tuple[str, ...]
    change: str
    agent: str = ""
    scope: str = ""


class Enabled(NamedTuple):
    """An agent whose work is kept from now on."""

    agent: str
    title: str
    scope: str
    machine: bool
    gate: bool
    """Whether acts outside now need a yes."""
    workspace: WorkspaceInfo | None
    """What will be kept; None where a person's settings were changed outside of any workspace."""
    store: str
    saved: SaveResult | None
    """The first checkpoint, or the last one if nothing had changed since."""
    files: tuple[EditedFile, ...]
    needs: tuple[str, ...] = ()
    """What somebody still has to do."""


class Left(NamedTuple):
    """A file that was not touched although something of ours may be in it."""

    path: str
    why: str
    needed: bool = False
    """Whether it stays because another agent uses it; else it could not be edited."""


class Disabled(NamedTuple):
    """What was taken out."""

    files: tuple[EditedFile, ...]
    left: tuple[Left, ...] = ()


class SetupState:
    """How an agent's hooks stand in one place."""

    ENABLED = "enabled"
    OUTDATED = "outdated"
    """They are there, and not what this clew would write."""
    UNREADABLE = "unreadable"
    OFF = "off"


class Standing(NamedTuple):
    """One agent in one place."""

    agent: str
    title: str
    scope: str
    path: str
    state: str
    machine: bool = False


class Problem(NamedTuple):
    """Something that needs a person, and the next step."""

    what: str
    hint: str


class HookFailure(NamedTuple):
    """A hook that could not do its work; the agent went on."""

    time_ns: int
    agent: str
    event: str
    directory: str
    message: str


class Checkup(NamedTuple):
    """How everything stands."""

    agents: tuple[Standing, ...]
    """Where hooks of ours are, or could not be looked for."""
    programs: tuple[tuple[str, str | None], ...]
    """Every agent that can be enabled, and where its program is; None if it is not on the PATH."""
    clew: str | None
    """Where clew is on the PATH."""
    workspace: WorkspaceInfo | None
    store: str | None
    free_bytes: int | None
    """Room on the store's disk."""
    heard_ns: int | None
    """When an agent was last heard of in this workspace."""
    failures: tuple[HookFailure, ...]
    problems: tuple[Problem, ...]
