"""Output of restore, undo, redo and adopt."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.sessions import Effect
from clew.render.shapes.values import Change, Entry, Path, PathAndReason


class PlannedPath(Path):
    size: int
    """the size of the new content, or of the deleted one"""
    was_created_since_target: bool
    """whether it was created after the target was taken; the restore would remove it"""


class UsingProcess(Path):
    pid: int
    command: str
    """its id and its command line"""


class StoppedProgram(TypedDict):
    command: str
    """its command line"""
    directory: str
    """its working directory"""
    ports: list[str]
    """the addresses it listened on"""


class ResumableSession(Path):
    name: str
    """the agent's own name for the session"""
    command: str
    """the command that resumes it"""


class ConcurrentWork(TypedDict):
    session: str | None
    """id of the session, or `null` if none was attached"""
    agent: str
    """the agent"""
    paths: list[Path]
    """the paths it changed, each with `path`"""


class WrittenConversation(Path):
    checkpoint: str
    """id of the checkpoint whose conversation it is"""
    conversation_bytes: int
    """length of the conversation"""


class Conflict(PathAndReason):
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None
    """the entry on each side; `null` if absent"""


class Merge(TypedDict):
    base: str
    theirs: str
    """ids of the common ancestor and of the checkpoint that is merged"""
    fork: str | None
    """name of the adopted fork, or `null`"""
    favour: str | None
    """the side that wins conflicts, `ours` or `theirs`, or `null`"""
    changes: list[Change]
    """what the merge changes in the workspace, in the form of `diff`"""
    merged: list[Path]
    """files that both sides changed in different places, each with `path`"""
    conflicts: list[Conflict]
    """conflicting changes, see below"""


class RestoredParts(TypedDict):
    parts: list[str]
    """the restored parts: `files`, `conversation`, `tasks`"""
    session: str | None
    """id of the session whose conversation and tasks are restored, or `null`"""
    warnings: list[str]
    """parts that will not be from the same checkpoint, one sentence each"""
    resumable_session: ResumableSession | None
    """for agents that keep their own transcripts: the new session that holds the conversation, see below; otherwise `null`"""
    conversation_file: NotRequired[WrittenConversation]
    """with `--conversation OUT`: the file that the conversation was written to, see below; otherwise absent"""


class FailedCall(TypedDict):
    call: str
    """the command line, or the tool and its file; secrets redacted"""
    reason: str
    """why it failed"""
    time: str
    """when it failed"""
    session: str
    """id of the session"""
    checkpoint_count: int
    """how many checkpoints before the current one the restored one is"""


class RestoreFields(RestoredParts):
    skipped: list[PathAndReason]
    """paths that differ and are not restored, each with `path` and `reason`"""
    effects: list[Effect]
    """outstanding effects: recorded after the target and not undone by the restore, as `effect` lists them"""
    concurrent_work: list[ConcurrentWork]
    """changes of other sessions that the restore reverts, see below"""
    merge: NotRequired[Merge]
    """`adopt` and `restore --keep-mine`: the merge, see below; otherwise absent"""
    failed_call: NotRequired[FailedCall]
    """`restore --before-failure`: the call that failed after the target, see below; otherwise absent"""


class Preview(RestoreFields):
    target: str
    """id of the checkpoint to restore; for a merge, of the one whose changes are taken"""
    created: list[PlannedPath]
    replaced: list[PlannedPath]
    deleted: list[PlannedPath]
    metadata: list[PlannedPath]
    """the paths that would change, see below"""
    processes: list[UsingProcess]
    """running processes that use these files, each with `pid`, `command` and `path`"""
    has_unsaved_changes: bool
    """whether the workspace differs from its current checkpoint; a rescue checkpoint would save it"""
    unsaved: list[Path]
    """those of the replaced, deleted and changed paths that the current checkpoint does not hold as they are now, each with `path`"""
    unsaved_parts: list[str]
    """the same of `conversation` and `tasks`"""
    needs_confirmation: bool
    """whether anything would be replaced, deleted or changed"""
    needed_bytes: int
    free_bytes: int
    """disk space that the restore needs, and that is free"""


class PreviewOutput(TypedDict):
    preview: Preview
    """what the restore would do"""


class RestoreOutput(RestoreFields):
    target: str
    """id of the restored checkpoint; for a merge, of the checkpoint that holds its result"""
    rescue: str | None
    """id of the rescue checkpoint, or `null` if another one held everything already"""
    current: str
    """id of the current checkpoint: the target, or one that holds the actual result"""
    created_count: int
    replaced_count: int
    deleted_count: int
    metadata_count: int
    """number of paths created, replaced, deleted, and with changed metadata only"""
    is_verified: bool
    """whether a scan after the restore found the target's state, apart from the skipped paths"""
    is_partial: bool
    """whether something was not restored; the exit code is then 3"""
    changed_after: list[Path]
    """paths that other programs changed after the restore, each with `path`; not a failure"""
    no_longer_running: list[StoppedProgram]
    """programs that ran when the target was taken and do not run now, see below; a restore does not start them"""
    problems: list[PathAndReason]
    """what could not be restored, each with `path` and `reason`"""
    was_aborted: NotRequired[bool]
    """`true` after `--abort`, otherwise absent; `target` is then the state before the interrupted restore"""
