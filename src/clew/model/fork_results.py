"""Results of fork operations: create, list, discard."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint, ForkInfo, WorkspaceInfo
from clew.model.named_tuple import NamedTuple
from clew.model.parts import Resumable
from clew.model.restore_results import SkippedPath
from clew.model.session import SessionInfo


class ReferenceGroup(NamedTuple):
    """Files of a fork, in one of its top directories, that name the path of its original."""

    directory: bytes
    """The top directory; empty for files outside any."""
    files: int
    """Number of files and symlinks."""
    paths: tuple[bytes, ...]
    """The first of them."""


class GitLink(NamedTuple):
    """A file of git that names a repository or a worktree outside the workspace."""

    path: bytes
    target: bytes


class PathReferences(NamedTuple):
    """What leads programs in a fork to files outside it."""

    original: bytes = b""
    """The path of the workspace that was forked."""
    groups: tuple[ReferenceGroup, ...] = ()
    """The files that name it, the largest group first."""
    git_links: tuple[GitLink, ...] = ()


class ForkResult(NamedTuple):
    """A new fork."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    base: Checkpoint
    """The checkpoint it was forked from."""
    checkpoint: Checkpoint
    """Its first own checkpoint."""
    problems: tuple[SkippedPath, ...] = ()
    """What could not be restored in its directory: owners, devices, some times."""
    duration_ns: int = 0
    session: SessionInfo | None = None
    """Its own session, which continues that of the base."""
    resumable: Resumable | None = None
    """How to resume that session's agent there."""
    references: PathReferences = PathReferences()


class ForkStatus(NamedTuple):
    """One fork, compared with its base."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    base: Checkpoint | None
    """The checkpoint it was forked from; None if deleted."""
    here: Checkpoint | None
    """Its current checkpoint, with the changes since the base as headline."""
    is_changed: bool
    """Whether its state differs from the initial one."""
    directory: str
    """One of `Directory`."""


class Directory:
    """Status of a fork's directory; values of the JSON."""

    PRESENT = "present"
    MISSING = "missing"
    NONE = "none"
    """It never had one."""


class Unheld(NamedTuple):
    """Files of a directory that are in no checkpoint."""

    files: int = 0
    total_bytes: int = 0
    paths: tuple[bytes, ...] = ()
    """The first of them."""


class DiscardResult(NamedTuple):
    """A discarded fork."""

    fork: ForkInfo
    workspace: WorkspaceInfo
    checkpoints: int
    """Number of its checkpoints."""
    removed: bool
    """Whether its directory was removed."""
    kept_because: str = ""
    """Why the directory was not removed."""
    lost: Unheld = Unheld()
    """Files removed with the directory that were in no checkpoint."""
