"""Output of restore, undo, redo and adopt."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.sessions import Effect
from clew.render.shapes.values import Change, Entry, Path, PathAndReason


class PlannedPath(Path):
    size: int
    """the size of the new content, or of the deleted one"""
    new_work: bool
    """whether it was created after the target and would be removed"""


class Holder(Path):
    pid: int
    command: str
    """the process"""


class StoppedProgram(TypedDict):
    command: str
    """its command line"""
    directory: str
    """its working directory"""
    ports: list[str]
    """the addresses it listened on"""


class Resumable(Path):
    session: str
    """the agent's name for the new session"""
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
    bytes: int
    """its length"""


class Conflict(PathAndReason):
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None
    """the entry on each side; `null` if absent"""


class Merge(TypedDict):
    base: str
    theirs: str
    """ids of the two checkpoints"""
    fork: str | None
    """name of the adopted fork, or `null`"""
    favour: str | None
    """the side that wins conflicts, `ours` or `theirs`, or `null`"""
    taken: list[Change]
    """the changes to the workspace, in the form of `diff`"""
    merged: list[Path]
    """files that both sides changed in different places, each with `path`"""
    conflicts: list[Conflict]
    """changes that exclude each other, see below"""


class RestoredParts(TypedDict):
    parts: list[str]
    """the restored parts: `files`, `conversation`, `tasks`"""
    session: str | None
    """id of the session whose conversation and tasks are restored, or `null`"""
    inconsistent: list[str]
    """sentences about parts that are not from the same checkpoint afterwards"""
    resumable: Resumable | None
    """for agents that keep their own transcripts: the new session that holds the conversation, see below; otherwise `null`"""
    written: NotRequired[WrittenConversation]
    """with `--conversation OUT`: the file that the conversation was written to, see below; otherwise absent"""


class RestoreFields(RestoredParts):
    left_alone: list[PathAndReason]
    """paths that differ and are not touched, each with `path` and `reason`"""
    effects: list[Effect]
    """effects that the target does not know of and that a restore does not undo, as `effect` lists them"""
    others: list[ConcurrentWork]
    """changes of other sessions that the restore reverts, see below"""
    merge: NotRequired[Merge]
    """`adopt` and `restore --keep-mine`: the merge, see below; otherwise absent"""


class Preview(RestoreFields):
    target: str
    """id of the checkpoint to restore; for a merge, of the one whose changes are taken"""
    created: list[PlannedPath]
    replaced: list[PlannedPath]
    deleted: list[PlannedPath]
    metadata: list[PlannedPath]
    """the paths that would change, see below"""
    holders: list[Holder]
    """running processes that use these files, each with `pid`, `command` and `path`"""
    dirty: bool
    """whether there is unsaved work, which a rescue checkpoint would hold"""
    overwrites: bool
    """whether anything would be replaced, deleted or changed"""
    needed_bytes: int
    free_bytes: int
    """disk space"""


class PreviewOutput(TypedDict):
    preview: Preview
    """what the restore would do"""


class RestoreOutput(RestoreFields):
    target: str
    """id of the restored checkpoint; for a merge, of the checkpoint that holds its result"""
    rescue: str | None
    """id of the rescue checkpoint, or `null` if another one held everything already"""
    here: str
    """id of the target, or of the checkpoint of the actual result"""
    created: int
    replaced: int
    deleted: int
    metadata: int
    """number of paths"""
    verified: bool
    """whether a scan after the restore found the target's state, apart from the paths left alone"""
    partial: bool
    """whether something was not restored; the exit code is then 3"""
    moved_on: list[Path]
    """paths that other programs changed after the restore, each with `path`; not a failure"""
    stopped: list[StoppedProgram]
    """programs that ran when the target was taken and do not run now, see below; a restore starts nothing"""
    problems: list[PathAndReason]
    """what could not be restored, each with `path` and `reason`"""
    aborted: NotRequired[bool]
    """`true` after `--abort`, otherwise absent; `target` is then the state before the interrupted restore"""
