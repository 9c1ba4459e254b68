"""Results of enabling and disabling agents, and of the health check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    from clew.model.checkpoint import WorkspaceInfo
    from clew.model.save_result import SaveResult


class Feature:
    """An entry that clew writes into a settings file; values of the JSON."""

    HOOKS = "hooks"
    MCP = "mcp"
    SKILL = "skill"
    INSTRUCTIONS = "instructions"


class SettingsChange:
    """How a file was changed."""

    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"


class EditedFile(NamedTuple):
    """A file, clew's entries in it, and how it was changed."""

    path: str
    features: tuple[str, ...]
    change: str
    agent: str = ""
    scope: str = ""


class Enabled(NamedTuple):
    """An agent whose work is checkpointed from now on."""

    agent: str
    title: str
    scope: str
    machine: bool
    gate: bool
    """Whether external actions now require approval."""
    workspace: WorkspaceInfo | None
    """Its workspace; None if user settings were changed outside of any workspace."""
    store: str
    saved: SaveResult | None
    """The first checkpoint, or the last one if nothing had changed since."""
    files: tuple[EditedFile, ...]
    needs: tuple[str, ...] = ()
    """Steps that the user still has to do."""


class Left(NamedTuple):
    """A file that was not changed although it may contain entries of clew."""

    path: str
    why: str
    needed: bool = False
    """Whether another agent uses it; otherwise it could not be edited."""


class Disabled(NamedTuple):
    """The result of disabling agents."""

    files: tuple[EditedFile, ...]
    left: tuple[Left, ...] = ()


class SetupState:
    """The state of an agent's hooks in one settings file."""

    ENABLED = "enabled"
    OUTDATED = "outdated"
    """They exist, but differ from what this version writes."""
    UNREADABLE = "unreadable"
    MISSING = "missing"
    """`enable` wrote them, and the file no longer contains them."""
    OFF = "off"


class HookStatus(NamedTuple):
    """The hooks of one agent in one settings file."""

    agent: str
    title: str
    scope: str
    path: str
    state: str
    machine: bool = False
    commands: tuple[str, ...] = ()
    """The commands that they run."""


class CheckOutcome:
    """How a check of `doctor` ended; values of the JSON."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It could not be run; the check that failed because of the same cause has the remedy."""


class Check(NamedTuple):
    """One check of `doctor`."""

    name: str
    """A word, followed by `/` and the agent if it concerns one."""
    outcome: str
    detail: str
    """What was found, in one sentence."""
    remedy: str = ""
    """The next step; empty if it passed."""


class Problem(NamedTuple):
    """A problem for the user, and the next step."""

    what: str
    hint: str


class HookFailure(NamedTuple):
    """A failed hook; the agent was not interrupted."""

    time_ns: int
    agent: str
    event: str
    directory: str
    message: str


class Checkup(NamedTuple):
    """The result of the health check."""

    agents: tuple[HookStatus, ...]
    """Settings files with hooks of clew, or that could not be read."""
    programs: tuple[tuple[str, str | None], ...]
    """Every agent that can be enabled, and the path of its program; None if not on the PATH."""
    clew: str | None
    """The path of clew on the PATH."""
    workspace: WorkspaceInfo | None
    store: str | None
    free_bytes: int | None
    """Free space on the store's disk."""
    heard_ns: int | None
    """The time of the last agent event in this workspace."""
    failures: tuple[HookFailure, ...]
    checks: tuple[Check, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The failed checks."""
        failed = (one for one in self.checks if one.outcome == CheckOutcome.FAILED)
        return tuple(Problem(one.detail, one.remedy) for one in failed)
