"""Output of fork, forks and discard."""

from __future__ import annotations

from typing_extensions import TypedDict

from clew.render.shapes.restore import ResumableSession
from clew.render.shapes.values import (
    Checkpoint,
    LinkTarget,
    OriginalPath,
    Path,
    PathAndReason,
    Workspace,
)


class Fork(TypedDict):
    name: str
    """its name"""
    base: str
    """id of the checkpoint that it started from"""
    is_in_store: bool
    """whether its files are in the store"""
    created_time: str
    """when it was created"""
    workspace: Workspace
    """its workspace, as `init` prints it; `path` is `""` if it has no directory"""


class ReferenceGroup(Path):
    file_count: int
    """number of files and symlinks below `path`, the top directory; it is `""` for those in none"""
    paths: list[Path]
    """the first of them, each with `path`"""


class GitLink(Path, LinkTarget):
    pass


class PathReferences(OriginalPath):
    groups: list[ReferenceGroup]
    """the files that name this path, by top directory, see below; a program that follows it works on the original, except in `clew enter`"""
    git_links: list[GitLink]
    """files of git that name a repository or worktree outside the workspace, each with `path` and `target`; git in the fork changes that too"""


class ForkOutput(TypedDict):
    fork: Fork
    """the fork, see below"""
    checkpoint: Checkpoint
    """its first checkpoint, whose parent is the base"""
    problems: list[PathAndReason]
    """paths that could not be written exactly, each with `path` and `reason`; the exit code is then 3"""
    duration_ms: int
    """how long writing and reading back took"""
    session: str | None
    """with `--conversation`: id of its session, which continues that of the base; otherwise `null`"""
    resumable_session: ResumableSession | None
    """with `--conversation`, for an agent that keeps its own transcripts: the new session, as `restore` prints it; otherwise `null`"""
    path_references: PathReferences
    """what leads programs in the fork to files outside it, see below"""


class ListedFork(Fork):
    directory: str
    """state of its directory: `present`, `missing`, or `none` if it never had one"""
    is_changed: bool
    """whether its state differs from the one it started with"""
    checkpoint: Checkpoint | None
    """its current checkpoint; `headline` describes all changes since the base"""


class ForksOutput(TypedDict):
    forks: list[ListedFork]
    """the forks of this workspace, newest first, see below"""


class UnsavedFiles(TypedDict):
    file_count: int
    """number of files"""
    total_bytes: int
    """their total size"""
    paths: list[Path]
    """the first of them, each with `path`"""


class DiscardOutput(TypedDict):
    fork: Fork
    """the discarded fork"""
    checkpoint_count: int
    """number of its checkpoints"""
    was_removed: bool
    """whether its directory was removed"""
    kept_reason: str | None
    """why the directory was not, or not completely, removed, and the exit code is then 3; otherwise `null`"""
    unsaved_files: UnsavedFiles
    """removed files that were in no checkpoint, see below"""
