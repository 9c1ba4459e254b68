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
    is_attached: bool
    """whether checkpoints record it automatically, until its agent ends"""
    started_time: str
    last_active_time: str
    """when it started, and when it was last active"""
    ended_time: str | None
    """when its agent ended, or `null` if it runs or may run"""
    parent: str | None
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
    """when that change was made"""


class Effect(TypedDict):
    number: int
    """its number in the workspace, from 1"""
    session: str | None
    """id of the session, or `null`"""
    action: str
    """the action, as text or as a command line"""
    tool: str
    """the tool that performed it"""
    status: str
    """`unknown` (recorded, result not reported), `done`, `failed` or `undone`"""
    outcome: str
    """details of the result"""
    is_reversible: bool
    """whether another action can undo it"""
    undo: str
    """the action that would undo it"""
    time: str
    """when it was recorded"""
    settled_time: str | None
    """when its result was reported, or `null`"""


class SessionOutput(TypedDict):
    session: Session
    """the session"""


class SessionSummary(Session):
    task_counts: dict[str, int]
    """number of tasks by status"""
    checkpoint_count: int
    """number of its checkpoints"""


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
    """number of its checkpoints"""
    messages: list[Message]
    """the last messages of the conversation, oldest first, each with `role` and `text`; secrets redacted"""
    pending_message_count: int
    """number of messages that no checkpoint holds yet"""


class SessionFile(Path):
    was_read: bool
    was_changed: bool
    """whether the session read it, and whether it changed it"""
    sources: list[str]
    """how that is known: `reported` by the agent; `snapshots`: it differs between two consecutive checkpoints of the session"""
    sequence: int
    """sequence of the last checkpoint that shows it"""


class SessionFilesOutput(TypedDict):
    session: Session
    """the session"""
    checkpoint: str | None
    """id of the checkpoint given with `--checkpoint`, or `null`; with one, only files touched since the session's previous checkpoint are listed"""
    files: list[SessionFile]
    """sorted by path, which is absolute outside the workspace; see below"""
    omitted_count: int
    """number of files that are not listed"""


_MigratedFrom = TypedDict(
    "_MigratedFrom", {"from": Annotated[Session, "the session that it continues"]}
)


class SessionMigrateOutput(_MigratedFrom):
    session: Session
    """the new session"""
    tasks: list[Task]
    """its tasks"""
    has_converted_state: bool
    """whether a converter was applied to the agent's own state"""


class TaskListOutput(TypedDict):
    session: Session
    """the session"""
    tasks: list[Task]
    """its tasks"""
    task_counts: dict[str, int]
    """number of tasks by status"""


class TaskOutput(TypedDict):
    session: Session
    """the session"""
    task: Task
    """the task after the change"""
    is_new_session: bool
    """whether a session was started because none was attached"""


class ResumeOutput(TypedDict):
    session: Session
    """the session"""
    task: Task | None
    """the first unfinished task, or `null`"""
    is_done: bool
    """whether all tasks are finished"""
    checkpoint: Checkpoint | None
    """where to continue: the current checkpoint if it belongs to the session, otherwise the session's newest; `null` if it has none"""
    command: str | None
    """the command that restores it, or `null`"""
    tasks: list[Task]
    """the whole list"""


class EffectListOutput(TypedDict):
    effects: list[Effect]
    """the effects of the workspace"""
    effects_not_in_history: list[int]
    """numbers of those that are not in the current line of history, because of a restore"""


class EffectOutput(TypedDict):
    effect: Effect
    """the effect"""


class BriefOutput(TypedDict):
    message: str
    """the whole brief, as text for a model"""
    checkpoint: Checkpoint
    """the current checkpoint"""
    before_restore: str | None
    """id of the checkpoint that was current before the last restore, or `null`"""
    reverted_changes: str | None
    """summary of the changes that the restore reverted, or `null`"""
    effects: list[Effect]
    """effects that must not be repeated, as `effect` lists them"""
    open_tasks: list[Task]
    """unfinished tasks"""
