"""An agent that leaves a trace of every sort, and that trace as plain values."""

from __future__ import annotations

import os

from clew.model.checkpoint import Checkpoint
from clew.model.session_results import TouchBasis
from clew.model.task import Task, decode_tasks
from clew.operations.sessions.conversation import lines
from clew.workspace import Workspace

DEPLOY = "deploy to production"


def begin(clew: Workspace) -> None:
    """What is known at every checkpoint."""
    session = clew.sessions.open(agent="example", version="1.0", native="run 1")
    session.say(
        {"role": "user", "content": "build it"}, {"role": "assistant", "content": "ÿ\u2603"}
    )
    session.add_task("write the code")
    session.add_task("deploy it")
    session.complete_task(1, "in one go")
    session.set_state({"step": 1, "seen": ["text"]})
    session.read(os.path.join(os.fsdecode(clew.info.path), "text"))
    session.changed(os.path.join(os.fsdecode(clew.info.path), "empty"))
    session.effect("open a ticket", tool="tracker", arguments={"title": "build"}).done("T-1")


def go_on(clew: Workspace) -> None:
    """What the named checkpoint knows nothing of."""
    session = clew.sessions.current()
    session.say({"role": "assistant", "content": "deploying"})
    session.start_task(2, "now")
    session.effect(
        DEPLOY, tool="deploy", arguments={"to": "production"}, undo="roll it back"
    ).done()


def leave(clew: Workspace) -> None:
    """What no checkpoint holds."""
    clew.sessions.current().say({"role": "user", "content": "said last"})
    clew.sessions.current().effect("send a mail", reversible=False)


def session_now(clew: Workspace) -> dict[str, object]:
    """Return a session as it stands."""
    session = clew.sessions.current()
    with clew.reading_context() as context:
        forgotten = context.store.effects.forgotten(context.workspace)
    return {
        "id": session.id,
        "agent": [session.info.agent, session.info.version, session.info.native],
        "state": session.state,
        "messages": session.messages(),
        "tasks": [_task(task) for task in session.tasks()],
        "files": [
            [one.path.hex(), one.read, one.changed]
            for one in session.files().files
            if TouchBasis.REPORTED in one.basis
        ],
        "effects": [
            [one.number, one.act.what, one.act.tool, one.act.arguments, one.status, one.outcome,
             one.reversible, one.undo]
            for one in session.effects()
        ],
        "forgotten": forgotten,
    }  # fmt: skip


def position_of(clew: Workspace, checkpoint: Checkpoint) -> dict[str, object]:
    """Return where the agent was at a checkpoint."""
    position = checkpoint.record.position
    with clew.reading_context() as context:
        get = context.store.objects.get
        said = b"\n".join(lines(position.conversation, get)).decode()
        tasks = decode_tasks(get(position.tasks)) if position.tasks is not None else []
    return {
        "session": position.session.hex(),
        "agent": [position.agent, position.version],
        "said": said,
        "tasks": [_task(task) for task in tasks],
        "effects": position.effects,
        "forgotten": list(position.forgotten),
    }


def _task(task: Task) -> list[object]:
    return [task.number, task.title, task.status, task.note]
