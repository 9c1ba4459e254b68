"""The nouns of docs/json.md as types, from which each tool's output schema is made.

They describe what is always there; a field that is not named here may stand beside the others.
"""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class Path(TypedDict):
    path: str
    path_b64: NotRequired[str]


class PathAndReason(Path):
    reason: str


class Coverage(TypedDict):
    complete: bool
    files: int
    bytes: int
    uncovered: list[PathAndReason]
    uncovered_counts: dict[str, int]
    unstable: list[Path]
    blind_processes: int


class Verdict(TypedDict):
    status: str
    command: str
    exit_code: int | None
    duration_ms: int
    output: str
    time: str
    where: str
    ended: str
    good: bool
    inputs_changed: bool
    changed_count: int
    changed: list[Path]
    generated: int
    net: str | None
    notes: list[str]


class Position(TypedDict):
    session: str | None
    agent: str
    version: str
    conversation_bytes: int
    tasks: dict[str, int] | None
    effects: int
    forgotten: list[int]


class Checkpoint(TypedDict):
    id: str
    short_id: str
    name: str
    named: bool
    intent: str
    description: str
    time: str
    sequence: int
    origin: str
    workspace: str
    parent: str | None
    tree: str
    state: str
    consistency: str
    coverage: Coverage
    changes: dict[str, int] | None
    headline: str | None
    verdict: Verdict | None
    meta: dict[str, str]
    pinned: bool
    here: bool
    position: Position | None


class Fact(TypedDict):
    kind: str
    scope: str
    subject: str
    before: str | None
    after: str | None
    direct: bool
    severity: str
    basis: str
    evidence: list[str]
    marks: list[str]


class StoryLine(TypedDict):
    heading: str
    text: str
    severity: str
    paths: int
    path_list: NotRequired[list[str]]


class Entry(TypedDict):
    type: str
    mode: NotRequired[str]
    uid: NotRequired[int]
    gid: NotRequired[int]
    mtime: NotRequired[str]
    flags: NotRequired[list[str]]
    xattrs: NotRequired[str | None]
    size: NotRequired[int]
    content: NotRequired[str]
    target: NotRequired[str]
    major: NotRequired[int]
    minor: NotRequired[int]
    reason: NotRequired[str]


class Change(Path):
    kind: str
    old_path: str | None
    old: Entry | None
    new: Entry | None


class Effect(TypedDict):
    number: int
    session: str | None
    what: str
    tool: str
    status: str
    outcome: str
    reversible: bool
    undo: str
    time: str
    settled: str | None


class Task(TypedDict):
    number: int
    title: str
    status: str
    note: str
    time: str


class Session(TypedDict):
    id: str
    short_id: str
    agent: str
    version: str
    name: str
    format: str
    transcript: str | None
    conversation_bytes: int
    state_bytes: int | None
    attached: bool
    began: str
    seen: str
    origin: str | None


class Resumable(Path):
    session: str
    command: str


class OthersWork(TypedDict):
    session: str | None
    agent: str
    paths: list[Path]


class Stopped(TypedDict):
    command: str
    directory: str
    ports: list[str]


class Conflict(PathAndReason):
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


class Merge(TypedDict):
    base: str
    theirs: str
    fork: str | None
    favour: str | None
    taken: list[Change]
    merged: list[Path]
    conflicts: list[Conflict]


class WorkspaceInfo(Path):
    id: str
    machine: bool
    here: str | None


class Fork(TypedDict):
    name: str
    base: str
    managed: bool
    created: str
    workspace: WorkspaceInfo
