"""Output of the commands about sessions, tasks and effects."""

from __future__ import annotations

from typing import Annotated

from typing_extensions import TypedDict

from clew.render.shapes.values import Checkpoint, Path


class Session(TypedDict):
    id: str
    """its id, 32 digits"""
    short_id: str
    """the first eight digits"""
    agent: str
    version: str
    """the agent and its version; empty if unknown"""
    name: str
    """the agent's own name for it; may be empty"""
    format: str
    """`messages`, `jsonl`, `claude-code` or `codex`"""
    transcript: str | None
    """path of its transcript; `null` if messages are passed in"""
    conversation_bytes: int
    """how much of the conversation is stored"""
    state_bytes: int | None
    """size of the agent's own state; `null` without one"""
    attached: bool
    """whether checkpoints record it automatically"""
    began: str
    seen: str
    """when it began, and when it was last active"""
    origin: str | None
    """id of the session that it continues, or `null`"""


class Task(TypedDict):
    number: int
    """its position in the list, from 1"""
    title: str
    """what is to be done"""
    status: str
    """`pending`, `in-progress`, `completed`, `failed` or `skipped`"""
    note: str
    """the note given with the last change of status"""
    time: str
    """when that was"""


class Effect(TypedDict):
    number: int
    """its number in the workspace, from 1"""
    session: str | None
    """id of the session, or `null`"""
    what: str
    """the action, in words or as a command line"""
    tool: str
    """the tool that performed it"""
    status: str
    """`unknown` (recorded, result not reported), `done`, `failed` or `undone`"""
    outcome: str
    """details of the result"""
    reversible: bool
    """whether another action can undo it"""
    undo: str
    """that action"""
    time: str
    """when it was recorded"""
    settled: str | None
    """when its result was reported, or `null`"""


class SessionOutput(TypedDict):
    session: Session
    """the session"""


class SessionSummary(Session):
    tasks: dict[str, int]
    """number of tasks by status"""
    checkpoints: int
    """how many checkpoints belong to it"""


class SessionListOutput(TypedDict):
    sessions: list[SessionSummary]
    """newest first, see below"""


class Message(TypedDict):
    role: str
    """the role"""
    text: str
    """the text on one line, secrets redacted"""


class SessionShowOutput(TypedDict):
    session: Session
    """the session"""
    tasks: list[Task]
    """its tasks"""
    effects: list[Effect]
    """its effects in order, as `effect` lists them"""
    checkpoints: list[Checkpoint]
    """its ten newest checkpoints, newest first; `clew log --session ID` lists all"""
    checkpoint_count: int
    """how many there are"""
    messages: list[Message]
    """the last messages of the conversation, oldest first, each with `role` and `text`; secrets redacted"""
    pending_messages: int
    """how many messages no checkpoint holds yet"""


class SessionFile(Path):
    read: bool
    changed: bool
    """whether the session read it, and whether it changed it"""
    known_by: list[str]
    """`said`: the agent reports it; `snapshots`: it differs between two consecutive checkpoints of the session"""
    sequence: int
    """sequence of the last checkpoint that shows it"""


class SessionFilesOutput(TypedDict):
    session: Session
    """the session"""
    checkpoint: str | None
    """id of the checkpoint given with `--checkpoint`, or `null`; with one, only files touched since the session's previous checkpoint are listed"""
    files: list[SessionFile]
    """sorted by path, which is absolute outside the workspace; see below"""
    left_out: int
    """how many files are not listed"""


_MigratedFrom = TypedDict(
    "_MigratedFrom", {"from": Annotated[Session, "the session that it continues"]}
)


class SessionMigrateOutput(_MigratedFrom):
    session: Session
    """the new session"""
    tasks: list[Task]
    """its tasks"""
    state_converted: bool
    """whether a converter was applied to the agent's own state"""


class TaskListOutput(TypedDict):
    session: Session
    """the session"""
    tasks: list[Task]
    """its tasks"""
    counts: dict[str, int]
    """number of tasks by status"""


class TaskOutput(TypedDict):
    session: Session
    """the session"""
    task: Task
    """the task after the change"""
    began: bool
    """whether a session was started because none was attached"""


class ResumeOutput(TypedDict):
    session: Session
    """the session"""
    task: Task | None
    """the first unfinished task, or `null`"""
    done: bool
    """whether all tasks are finished"""
    checkpoint: Checkpoint | None
    """where to continue: *here* if it belongs to the session, otherwise the session's newest; `null` if it has none"""
    command: str | None
    """the command that restores it, or `null`"""
    tasks: list[Task]
    """the whole list"""


class EffectListOutput(TypedDict):
    effects: list[Effect]
    """the effects of the workspace"""
    forgotten: list[int]
    """numbers of those that the current line of history does not contain"""


class EffectOutput(TypedDict):
    effect: Effect
    """the effect"""


class BriefOutput(TypedDict):
    message: str
    """the whole brief, as text for a model"""
    checkpoint: Checkpoint
    """where the workspace is"""
    left: str | None
    """id of the checkpoint that a restore left, or `null`"""
    undone: str | None
    """what happened between the two and is no longer on disk, or `null`"""
    effects: list[Effect]
    """effects that must not be repeated, as `effect` lists them"""
    open_tasks: list[Task]
    """unfinished tasks"""
