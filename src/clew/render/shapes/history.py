"""Output of the commands that save and read history."""

from __future__ import annotations

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.values import (
    Change,
    Checkpoint,
    Coverage,
    DatabaseLook,
    Drill,
    Entry,
    EntryName,
    Fact,
    FileContent,
    Path,
    Story,
    Verdict,
    Workspace,
)


class InitOutput(TypedDict):
    workspace: Workspace
    """the workspace, see below"""
    store: str
    """where its history is stored"""
    was_created: bool
    """false if it was a workspace already"""


class SaveOutput(Story):
    checkpoint: Checkpoint
    """the checkpoint"""
    was_created: bool
    """false if nothing had changed and `--skip-unchanged` was given; `checkpoint` is then the current one"""
    new_bytes: int
    """by how much the store grew"""
    is_new_workspace: bool
    """whether the save turned the directory into a workspace"""
    duration_ms: int
    """how long the capture took"""
    notices: list[str]
    """problems that did not affect the checkpoint, one sentence each"""
    verdict: Verdict | None
    """the result of the check that ran after it, see above, or `null` without one"""


class LogOutput(TypedDict):
    current: str | None
    """id of the current checkpoint, the one last saved or restored, or `null`"""
    checkpoints: list[Checkpoint]
    """newest first"""


class ShowOutput(Story):
    checkpoint: Checkpoint
    """the checkpoint"""
    unmentioned: list[str]
    """notable changes that the intent does not mention, one phrase each"""
    verdicts: list[Verdict]
    """every run of every check on its state, newest first"""
    databases: DatabaseLook | None
    """what running database servers said after it was taken, if `story.live-databases` is on; otherwise `null`"""


class GoodOutput(TypedDict):
    checkpoint: Checkpoint
    """the newest whose `verdict` is good, of the workspace's own check if it has one"""


class BlameMatch(TypedDict):
    checkpoint: Checkpoint
    """the checkpoint"""
    facts: list[Fact]
    """the facts of its story about the subject"""
    changes: list[Change]
    """if the subject is a path: its change, in the form of `diff`; at most one"""


class BlameOutput(TypedDict):
    subject: str
    """the subject asked for"""
    matches: list[BlameMatch]
    """one for each checkpoint that changed it, newest first"""


_DiffEnds = TypedDict(
    "_DiffEnds",
    {
        "from": Annotated[
            str | None, "id of the older checkpoint, or `null` if nothing was saved yet"
        ],
        "to": Annotated[str | None, "id of the newer one, or `null` for the live workspace"],
    },
)


class DiffOutput(_DiffEnds, Story):
    changes: list[Change]
    """one for each path that differs"""
    coverage: Coverage | None
    """coverage of the scan of the live workspace, or `null`"""
    patch: NotRequired[str]
    """with `--patch`: a unified diff; `[redacted]` replaces what may be a secret, unless `--reveal` is given"""


class InterruptedRestore(TypedDict):
    target: str | None
    """id of the checkpoint that it restores"""
    rescue: str | None
    """id of the checkpoint that holds the state before it, or `null` if the current checkpoint does"""
    started_time: str
    """when it started"""
    has_changed_files: bool
    """whether it has changed files already"""
    is_aborting: bool
    """whether it is being rolled back"""


class LastDrill(Drill):
    checkpoint: str
    """id of the checkpoint"""


class StatusOutput(DiffOutput):
    interrupted_restore: InterruptedRestore | None
    """a restore that was interrupted and is neither continued nor aborted yet, or `null`"""
    last_drill: LastDrill | None
    """the last restore drill, a failed one until a later drill of the same checkpoint passes; `null` if there was none"""


class ChangedPath(TypedDict):
    path: NotRequired[str]
    """paths: the changed path, or the directory that several have in common"""
    path_b64: NotRequired[str]


class SearchHit(ChangedPath):
    section: str
    """where: `intents`, `notes`, `checks`, `headlines`, `facts`, `paths` or `conversation`"""
    excerpt: str
    """the text around the match, on one line, with secrets redacted"""
    spans: list[list[int]]
    """start and end of each match in `excerpt`, in characters"""
    role: NotRequired[str]
    """conversation: who said it, or an empty text"""
    kind: NotRequired[str | None]
    """paths: how the path changed, as in `diff`, or `null` for several paths"""
    path_count: NotRequired[int]
    """paths: number of changed paths"""


class SearchMatch(TypedDict):
    checkpoint: Checkpoint
    """the checkpoint"""
    workspace: Workspace
    """its workspace"""
    hits: list[SearchHit]
    """where in it the words were found, see below"""
    more_message_count: int
    """number of further messages that match"""


class SearchOutput(TypedDict):
    words: list[str]
    """the words searched for, with secrets redacted"""
    matches: list[SearchMatch]
    """the checkpoints that match, newest first, see below"""
    more_count: int
    """number of matches beyond `-n`"""
    searched_checkpoint_count: int
    """number of checkpoints searched"""
    notes: list[str]
    """what was not searched, one sentence each"""


class HoldingMoment(TypedDict):
    checkpoint: str
    """id of the checkpoint"""
    time: str
    """when it was saved"""


class GrepHit(Path):
    number: int | None
    """line number in the newest checkpoint that holds the line; `null` for a binary file, and with `--files`"""
    text: str | None
    """the line, at most 2,000 characters around the match, with secrets redacted unless `--reveal` is given"""
    spans: list[list[int]]
    """start and end of each match in `text`, in characters; a match inside of a secret has none"""
    is_binary: bool
    """whether the file has bytes that are no text"""
    is_redacted: bool
    """whether `text` has `[redacted]` where the line may have a secret"""
    first: HoldingMoment
    last: HoldingMoment
    """the first and the last checkpoint that hold it, each with `checkpoint` and `time`"""
    checkpoint_count: int
    """number of checkpoints that hold it; fewer than from the first to the last if it was gone for a time"""
    is_current: bool
    """whether the current checkpoint holds it"""


class GrepOutput(TypedDict):
    hits: list[GrepHit]
    """each line of each file once, by path and line number, see below"""
    more_count: int
    """number of hits beyond `-n`"""
    searched_checkpoint_count: int
    """number of checkpoints searched"""
    searched_content_count: int
    read_bytes: int
    """number of different contents of files read, and their bytes"""
    skipped_directories: list[Path]
    """generated directories that were not searched, each with `path`"""
    notes: list[str]
    """what else was not searched, one sentence each"""


class ListedEntry(EntryName, Entry):
    pass


class LsOutput(Path):
    checkpoint: str
    """id of the checkpoint"""
    entries: list[ListedEntry]
    """the entries of the directory, each with its `name`"""


class CatOutput(Path, FileContent):
    size: int
    """its size in bytes"""
    is_redacted: bool
    """whether `content` has `[redacted]` where the file may have a secret; `--reveal` shows it"""
