"""Sessions and their tasks, to show: one of everything, the same in every run."""

from __future__ import annotations

from clew.model.effect import Act, Effect, EffectOutcome
from clew.model.position import Position
from clew.model.session import Format, SessionInfo
from clew.model.session_results import (
    Brief,
    Migrated,
    Resume,
    Said,
    SessionFiles,
    SessionShown,
    SessionSummary,
    TaskChange,
    TaskList,
    TouchBasis,
    TouchedFile,
)
from clew.model.task import Task, TaskStatus
from tests.cli import samples

MINUTE = 60 * samples.SECOND

SESSION = SessionInfo(
    id=bytes([0x5E]) * 16,
    workspace=bytes([0x77]) * 16,
    agent="example",
    version="1.4",
    native="run 7",
    format=Format.JSONL,
    transcript=b"/home/me/run-7.jsonl",
    length=2_300,
    state=b'{"step": 3}',
    attached=True,
    started_ns=samples.NOW - 50 * MINUTE,
    seen_ns=samples.NOW - 7 * MINUTE,
)
ANOTHER = SessionInfo(
    id=bytes([0xA0]) * 16,
    workspace=bytes([0x77]) * 16,
    native=samples.HOSTILE,
    started_ns=samples.NOW - 60 * 26 * MINUTE,
    seen_ns=samples.NOW - 60 * 25 * MINUTE,
)
NEXT = SESSION._replace(id=bytes([0x5F]) * 16, version="2.0", origin=SESSION.id)

TASKS = (
    Task(1, "write the login", TaskStatus.COMPLETED, "", samples.NOW - 30 * MINUTE),
    Task(2, "test it", TaskStatus.FAILED, "no network", samples.NOW - 20 * MINUTE),
    Task(3, "deploy it", TaskStatus.IN_PROGRESS, "", samples.NOW - 10 * MINUTE),
    Task(4, "tell the others", TaskStatus.PENDING, "", samples.NOW - 40 * MINUTE),
    Task(5, "buy a cake", TaskStatus.SKIPPED, "", samples.NOW - 10 * MINUTE),
)
EFFECT = Effect(
    3,
    SESSION.text_id,
    Act("deploy web v3", "bash", {"command": "deploy --token hunter2"}),
    undo="deploy web v2",
    status=EffectOutcome.DONE,
    outcome="it answers",
    time_ns=samples.NOW - 9 * MINUTE,
    settled_ns=samples.NOW - 8 * MINUTE,
)
POSITION = Position(SESSION.id, "example", "1.4", length=2_300, effects=3, forgotten=(1,))
CHECKPOINT = samples.NAMED._replace(
    record=samples.NAMED.record._replace(position=POSITION), tasks=TASKS
)

SUMMARIES = [SessionSummary(SESSION, TASKS, 4), SessionSummary(ANOTHER, (), 1)]
SHOWN = SessionShown(
    SESSION,
    TASKS,
    (EFFECT,),
    (CHECKPOINT,),
    12,
    (Said("user", "deploy it"), Said("assistant", "It is " + samples.HOSTILE)),
    1,
)
FILES = SessionFiles(
    SESSION,
    None,
    (
        TouchedFile(b"/etc/hosts", True, False, (TouchBasis.REPORTED,), 3),
        TouchedFile(b"src/app.py", True, True, (TouchBasis.REPORTED, TouchBasis.SNAPSHOTS), 4),
        TouchedFile(b"src/new.py", False, True, (TouchBasis.SNAPSHOTS,), 4),
    ),
)
LIST = TaskList(SESSION, TASKS)
CHANGE = TaskChange(SESSION, TASKS[2])
RESUME = Resume(SESSION, TASKS[2], CHECKPOINT, TASKS)
MIGRATED = Migrated(SESSION._replace(attached=False), NEXT, TASKS, True)
BRIEF = Brief(
    samples.NAMED._replace(headline="src/auth.py added"),
    samples.NAMED,
    "edited src/auth.py",
    (EFFECT,),
    TASKS[2:4],
)
