"""Shapes of the answers: the only declaration of the fields of a short answer.

A complete answer (`detail`) has the same fields, with the same types, and those of
`clew.render.shapes` besides: it satisfies these schemas too.  Fields that are empty are left out of a
short answer, so most are optional.
"""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class Bounded(TypedDict):
    truncated: NotRequired[list[str]]
    """what was left out, one sentence each"""


class Named(TypedDict):
    name: str


class PathOnly(TypedDict):
    path: str


class Reason(PathOnly):
    reason: str


class Verdict(TypedDict):
    status: str
    is_good: NotRequired[bool]
    command: NotRequired[str]
    exit_code: NotRequired[int | None]
    end_reason: NotRequired[str]
    changed_count: NotRequired[int]
    reason: NotRequired[str | None]


class RunVerdict(Verdict):
    output: NotRequired[str]
    duration_ms: NotRequired[int]
    ran_in: NotRequired[str]
    notes: NotRequired[list[str]]


class Drill(TypedDict):
    outcome: str
    time: str
    differing_count: NotRequired[int]
    differing_paths: NotRequired[list[Reason]]


class Point(TypedDict):
    id: str
    """its first eight digits, which are a reference"""
    time: str
    name: NotRequired[str]
    intent: NotRequired[str]
    headline: NotRequired[str | None]
    origin: NotRequired[str]
    is_current: NotRequired[bool]
    incomplete: NotRequired[dict[str, int]]
    """number of paths that it lacks, by reason"""


class Checkpoint(Point):
    verdict: NotRequired[Verdict | None]
    author: NotRequired[str]
    """its agent and session; in `log` only where it differs from the row above"""
    is_pinned: NotRequired[bool]
    meta: NotRequired[dict[str, str]]
    drill: NotRequired[Drill | None]
    change_counts: NotRequired[dict[str, int] | None]


class WholeCheckpoint(Checkpoint):
    description: NotRequired[str]
    notes: NotRequired[list[str]]
    parent: NotRequired[str | None]


class StoryLine(TypedDict):
    heading: str
    text: str
    severity: NotRequired[str]
    path_count: NotRequired[int]
    paths: NotRequired[list[str]]


class Story(TypedDict):
    headline: NotRequired[str]
    custom_story: NotRequired[str | None]
    story_lines: NotRequired[list[StoryLine]]
    unmentioned: NotRequired[list[str]]


class Change(PathOnly):
    kind: str
    old_path: NotRequired[str | None]


class Group(PathOnly):
    change_counts: dict[str, int]
    total_bytes: int


class Changes(TypedDict):
    change_counts: NotRequired[dict[str, int]]
    changes: list[Change]
    folded: NotRequired[list[Group]]
    """generated directories"""
    by_directory: NotRequired[list[Group]]
    """the other paths by top directory, if they are many"""


_Ends = TypedDict("_Ends", {"from": str | None, "to": str | None})


class Difference(_Ends, Story, Changes, Bounded):
    incomplete: NotRequired[dict[str, int]]
    patch: NotRequired[str]


class Log(Bounded):
    current: NotRequired[str | None]
    checkpoints: list[Checkpoint]


class Saved(Story, Bounded):
    checkpoint: Checkpoint
    was_created: bool
    is_new_workspace: NotRequired[bool]
    new_bytes: int
    verdict: NotRequired[RunVerdict | None]
    notices: NotRequired[list[str]]


class Shown(Story, Bounded):
    checkpoint: WholeCheckpoint
    verdicts: NotRequired[list[RunVerdict]]


class Interrupted(TypedDict):
    target: str | None
    rescue: str | None
    started_time: str
    has_changed_files: bool
    is_aborting: bool


class LastDrill(Drill):
    checkpoint: str


class Status(Difference):
    interrupted_restore: NotRequired[Interrupted | None]
    last_drill: NotRequired[LastDrill | None]


class Found(TypedDict):
    checkpoint: WholeCheckpoint


class Fact(TypedDict):
    kind: str
    subject: str
    before: NotRequired[str | None]
    after: NotRequired[str | None]
    details: NotRequired[list[str]]


class BlameMatch(TypedDict):
    checkpoint: Point
    facts: NotRequired[list[Fact]]
    fact_count: NotRequired[int]
    """number of facts, if not all are listed"""
    changes: NotRequired[list[Change]]


class Blamed(Bounded):
    subject: str
    matches: list[BlameMatch]


class Content(PathOnly, Bounded):
    size: int
    content: str
    is_redacted: NotRequired[bool]


class Effect(TypedDict):
    number: int
    action: str
    status: str
    time: str
    outcome: NotRequired[str]
    undo: NotRequired[str]
    session: NotRequired[str | None]


class Merge(Changes):
    base: str
    theirs: str
    favour: NotRequired[str | None]
    fork: NotRequired[str | None]
    conflicts: NotRequired[list[Reason]]
    merged: NotRequired[list[PathOnly]]


class Work(TypedDict):
    session: str | None
    agent: str
    paths: list[PathOnly]
    path_count: NotRequired[int]
    """number of paths, if not all are listed"""


class FailedCall(TypedDict):
    call: str
    reason: str
    time: str
    session: str
    checkpoint_count: int


class Program(TypedDict):
    command: str
    directory: str
    ports: NotRequired[list[str]]


class Resumable(PathOnly):
    name: str
    command: str


class Restored(Bounded):
    target: str
    rescue: str | None
    current: str
    replaced_count: int
    deleted_count: int
    created_count: int
    metadata_count: int
    is_verified: bool
    is_partial: bool
    was_aborted: NotRequired[bool]
    parts: NotRequired[list[str]]
    session: NotRequired[str | None]
    problems: NotRequired[list[Reason]]
    skipped: NotRequired[list[Reason]]
    effects: NotRequired[list[Effect]]
    warnings: NotRequired[list[str]]
    concurrent_work: NotRequired[list[Work]]
    changed_after: NotRequired[list[PathOnly]]
    no_longer_running: NotRequired[list[Program]]
    merge: NotRequired[Merge]
    failed_call: NotRequired[FailedCall]
    resumable_session: NotRequired[Resumable | None]


class Verified(Bounded):
    checkpoint: Point
    verdict: RunVerdict


class Drilled(Bounded):
    checkpoint: Point
    drill: Drill
    verdict: NotRequired[RunVerdict | None]
    duration_ms: int
    notices: NotRequired[list[str]]
    not_compared: NotRequired[list[Reason]]


class Fork(Named):
    base: str
    workspace: PathOnly


class ReferenceGroup(PathOnly):
    file_count: int


class Link(PathOnly):
    target: NotRequired[str]


class PathReferences(TypedDict):
    original_path: str
    groups: NotRequired[list[ReferenceGroup]]
    git_links: NotRequired[list[Link]]


class Forked(Bounded):
    fork: Fork
    checkpoint: Point
    session: NotRequired[str | None]
    problems: NotRequired[list[Reason]]
    path_references: NotRequired[PathReferences]
    resumable_session: NotRequired[Resumable | None]


class Attempt(Named):
    end_reason: str
    exit_code: int | None
    check_status: str
    fork: NotRequired[str | None]
    checkpoint: NotRequired[Point | None]
    verdict: NotRequired[RunVerdict | None]
    output: NotRequired[str]
    duration_ms: NotRequired[int]
    difference: NotRequired[Difference | None]


class Attempts(Bounded):
    base: Point
    check: NotRequired[str | None]
    attempts: list[Attempt]


class Bisected(Story, Bounded):
    outcome: str
    command: str
    first_bad: NotRequired[Point | None]
    last_good: NotRequired[Point | None]
    suspects: NotRequired[list[str]]
    skipped: NotRequired[list[str]]
    flaky: NotRequired[list[str]]
    candidate_count: int
    known_count: int
    deleted_count: NotRequired[int]
    run_count: int
    reason: NotRequired[str | None]


class Session(TypedDict):
    id: str
    agent: str


class Task(TypedDict):
    number: int
    title: str
    status: str
    note: NotRequired[str]


class TaskList(Bounded):
    session: Session
    tasks: list[Task]
    task_counts: dict[str, int]


class TaskChange(TypedDict):
    session: Session
    task: Task
    is_new_session: NotRequired[bool]


class EffectList(Bounded):
    effects: list[Effect]
    effects_not_in_history: NotRequired[list[int]]


class EffectChange(TypedDict):
    effect: Effect
