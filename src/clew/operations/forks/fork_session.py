"""The session of a fork: conversation and tasks of the checkpoint, for an agent that continues.

For Claude Code and Codex it is a transcript where they look for one of the fork's directory; for
others the conversation belongs to the session, as if the agent had passed it.
"""

from __future__ import annotations

import os
import shlex

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.model.parts import Resumable
from clew.model.position import Position
from clew.model.session import Format, SessionInfo
from clew.operations.context import Context
from clew.operations.forks.create_fork import Seed
from clew.operations.restore.parts import tasks_at
from clew.operations.sessions.resumable import write_resumable
from clew.transcripts.dialect import NotATranscript
from clew.transcripts.registry import dialect_of


class ForkSession(NamedTuple):
    """The options of a fork in which an agent continues, and how it does."""

    seed: Seed
    resumable: Resumable | None = None


def require_session(context: Context, base: Checkpoint) -> SessionInfo:
    """Return the session of a checkpoint; it must have one."""
    position = base.record.position
    found = context.store.sessions.get(position.session) if position.session else None
    if found is None or (position.conversation is None and position.tasks is None):
        raise BadOption("--conversation", f"checkpoint has no conversation: {short(base.id)!r}")
    return found


def with_session(context: Context, base: Checkpoint, seed: Seed, place: bytes) -> ForkSession:
    """Return the options with a session of its own; a transcript is written now."""
    old, position = require_session(context, base), base.record.position
    fresh, resumable = os.urandom(16), None
    info = old._replace(
        id=fresh,
        native="",
        format=Format.MESSAGES,
        transcript=None,
        conversation=position.conversation,
        length=position.length,
        attached=True,
        started_ns=0,
        seen_ns=0,
        ended_ns=0,
        process="",
        origin=old.id,
    )
    owns_its_own = dialect_of(old.format) is not None and old.transcript is not None
    if owns_its_own and position.conversation is not None:
        cwd = os.fsdecode(place)
        try:
            found = write_resumable(
                context, old, position.conversation, fresh, context.host.now_ns(), cwd
            )
        except NotATranscript as error:
            why = f"not a valid transcript: {error}"
            raise BadOption("--conversation", why) from error
        info = found.info
        command = f"cd {shlex.quote(cwd)} && {found.resumable.command}"
        resumable = found.resumable._replace(command=command)
    grown = Position(
        session=fresh,
        agent=position.agent,
        version=position.version,
        conversation=position.conversation,
        length=position.length,
        tasks=position.tasks,
    )
    tasks = tuple(tasks_at(context, position))
    own = info._replace(workspace=seed.uuid)
    return ForkSession(seed._replace(position=grown, session=own, tasks=tasks), resumable)
