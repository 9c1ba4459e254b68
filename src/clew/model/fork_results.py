"""What becomes of forks: grown, listed, discarded."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint, ForkInfo, WorkspaceInfo
from clew.model.named_tuple import NamedTuple
from clew.model.parts import Resumable
from clew.model.restore_results import LeftAlone
from clew.model.session import SessionInfo


class ForkResult(NamedTuple):
    """A workspace that grew from a checkpoint."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    base: Checkpoint
    """What it grew from."""
    checkpoint: Checkpoint
    """Its own first."""
    problems: tuple[LeftAlone, ...] = ()
    """What could not be given back in its directory: owners, devices, some times."""
    duration_ns: int = 0
    session: SessionInfo | None = None
    """Its own session, that goes on from the one of the base."""
    resumable: Resumable | None = None
    """How that session's agent goes on there."""


class ForkStanding(NamedTuple):
    """One fork, and how far it is from where it came."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    base: Checkpoint | None
    """What it grew from; None where that was deleted."""
    here: Checkpoint | None
    """Where it is now, with what happened since the base as its headline."""
    is_changed: bool
    """Whether that is another state than the one it began with."""
    directory: str
    """One of `Directory`."""


class Directory:
    """What there is of a fork's directory; the words of the JSON."""

    THERE = "there"
    GONE = "gone"
    NONE = "none"
    """It never had one."""


class Unheld(NamedTuple):
    """Files of a directory that no checkpoint holds."""

    files: int = 0
    total_bytes: int = 0
    paths: tuple[bytes, ...] = ()
    """The first of them."""


class DiscardResult(NamedTuple):
    """A fork that is no more."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    checkpoints: int
    """How many it had."""
    removed: bool
    """Whether its directory was removed."""
    kept_because: str = ""
    """Why a directory that was to be removed was not."""
    lost: Unheld = Unheld()
    """What went with the directory and was in no checkpoint."""
