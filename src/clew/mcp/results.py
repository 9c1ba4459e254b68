"""What each tool answers, as a type: the JSON of the command of the same name."""

from __future__ import annotations

from typing import Annotated, NotRequired

from mcp.types import CallToolResult
from typing_extensions import TypedDict

from clew.mcp import shapes


class Bounded(TypedDict):
    """What every answer may say of itself."""

    cut: NotRequired[list[str]]
    """What was left out to keep it short, one sentence each."""


class _Story(Bounded):
    headline: NotRequired[str]
    severity: NotRequired[str]
    retold: NotRequired[str | None]
    facts: NotRequired[list[shapes.Fact]]
    story: NotRequired[list[shapes.StoryLine]]


class _Saved(_Story):
    checkpoint: shapes.Checkpoint
    created: bool
    new_bytes: int
    new_workspace: bool
    duration_ms: int
    notices: list[str]
    verdict: shapes.Verdict | None


class _Log(Bounded):
    here: str | None
    checkpoints: list[shapes.Checkpoint]


class _Shown(_Story):
    checkpoint: shapes.Checkpoint
    unmentioned: list[str]
    verdicts: list[shapes.Verdict]


_Ends = TypedDict("_Ends", {"from": str | None, "to": str | None})


class _Difference(_Story, _Ends):
    changes: list[shapes.Change]
    coverage: shapes.Coverage | None
    patch: NotRequired[str]


class _Interrupted(TypedDict):
    target: str | None
    rescue: str | None
    started: str
    has_moved: bool
    is_aborting: bool


class _Status(_Difference):
    interrupted_restore: _Interrupted | None


class _Found(Bounded):
    checkpoint: shapes.Checkpoint


class _Appearance(TypedDict):
    checkpoint: shapes.Checkpoint
    facts: list[shapes.Fact]
    changes: list[shapes.Change]


class _Blamed(Bounded):
    thing: str
    appearances: list[_Appearance]


class _Restored(Bounded):
    target: str
    rescue: str | None
    here: str
    created: int
    replaced: int
    deleted: int
    metadata: int
    verified: bool
    partial: bool
    left_alone: list[shapes.PathAndReason]
    moved_on: list[shapes.Path]
    stopped: list[shapes.Stopped]
    problems: list[shapes.PathAndReason]
    effects: list[shapes.Effect]
    parts: list[str]
    session: str | None
    inconsistent: list[str]
    resumable: shapes.Resumable | None
    others: list[shapes.OthersWork]
    merge: NotRequired[shapes.Merge]


class _Judged(Bounded):
    checkpoint: shapes.Checkpoint
    verdict: shapes.Verdict


class _Forked(Bounded):
    fork: shapes.Fork
    checkpoint: shapes.Checkpoint
    problems: list[shapes.PathAndReason]
    duration_ms: int
    session: str | None
    resumable: shapes.Resumable | None


class _Way(TypedDict):
    name: str
    command: str
    ended: str
    exit_code: int | None
    duration_ms: int
    output: str
    where: str
    net: str
    notes: list[str]
    fork: str | None
    checkpoint: shapes.Checkpoint | None
    verdict: shapes.Verdict | None
    difference: _Difference | None


class _Board(Bounded):
    base: shapes.Checkpoint
    check: str | None
    ways: list[_Way]


class _Bisected(_Story):
    outcome: str
    command: str
    first_bad: shapes.Checkpoint | None
    last_good: shapes.Checkpoint | None
    suspects: list[str]
    skipped: list[str]
    flaky: list[str]
    oldest: str
    newest: str
    candidates: int
    known: int
    deleted: int
    runs: int
    unmentioned: NotRequired[list[str]]


class _Tasks(Bounded):
    session: shapes.Session
    tasks: list[shapes.Task]
    counts: dict[str, int]


class _TaskChange(Bounded):
    session: shapes.Session
    task: shapes.Task
    began: bool


class _Effects(Bounded):
    effects: list[shapes.Effect]
    forgotten: list[int]


class _Effect(Bounded):
    effect: shapes.Effect


Saved = Annotated[CallToolResult, _Saved]
Log = Annotated[CallToolResult, _Log]
Shown = Annotated[CallToolResult, _Shown]
Difference = Annotated[CallToolResult, _Difference]
Status = Annotated[CallToolResult, _Status]
Found = Annotated[CallToolResult, _Found]
Blamed = Annotated[CallToolResult, _Blamed]
Restored = Annotated[CallToolResult, _Restored]
Judged = Annotated[CallToolResult, _Judged]
Forked = Annotated[CallToolResult, _Forked]
Board = Annotated[CallToolResult, _Board]
Bisected = Annotated[CallToolResult, _Bisected]
Tasks = Annotated[CallToolResult, _Tasks]
TaskChange = Annotated[CallToolResult, _TaskChange]
Effects = Annotated[CallToolResult, _Effects]
Effect = Annotated[CallToolResult, _Effect]
