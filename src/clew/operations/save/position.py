"""The position of a session, stored together with the files of the same checkpoint.

Nothing here may fail a capture: a transcript that cannot be read is a notice, and the position
then has the length of the conversation when it last could be read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from clew.errors import StoreDamaged
from clew.model.conversation import ConversationPart
from clew.model.ids import ObjectType
from clew.model.named_tuple import NamedTuple
from clew.model.position import Position
from clew.model.session import Format, SessionInfo
from clew.model.task import encode_tasks
from clew.operations.context import Context
from clew.operations.sessions.conversation import (
    Taken,
    extend_parts,
    parts_of,
    readable_parts,
    take,
)
from clew.store.writer import ObjectWriter


class Located(NamedTuple):
    """A position, and the rows to write when its checkpoint is committed."""

    position: Position
    commit: Callable[[], None]
    """Runs inside the checkpoint's transaction."""
    is_news: bool = False
    """Whether the session has anything that the store did not have."""
    notices: tuple[str, ...] = ()


def locate(context: Context, writer: ObjectWriter, session: bytes | None) -> Located:
    """Store conversation and tasks of a session, by default the attached one."""
    store = context.store
    effects = store.effects.last_number(context.workspace)
    forgotten = tuple(store.effects.forgotten(context.workspace))
    bare = Position(effects=effects, forgotten=forgotten)
    info = _session(context, session)
    if info is None:
        return Located(bare, lambda: None)
    taken, up_to, notices = _conversation(context, writer, info)
    keep = _touches(context, info, taken)
    tasks = store.tasks.of(info.id)
    position = bare._replace(
        session=info.id,
        agent=info.agent,
        version=info.version,
        conversation=taken.conversation,
        length=taken.length,
        tasks=writer.put(ObjectType.BLOB, encode_tasks(tasks)) if tasks else None,
    )

    def commit() -> None:
        store.sessions.moved(info.id, taken.conversation, taken.length)
        store.sessions.forget_pending(info.id, up_to)
        keep()

    is_news = up_to > 0 or (taken.conversation, taken.length) != (info.conversation, info.length)
    return Located(position, commit, is_news, notices)


def keep_position(context: Context, session: bytes | None) -> tuple[str, ...]:
    """Store conversation and tasks of a session without a checkpoint; the next one carries them.

    Return the problems found.
    """
    context.store.pack_watch.damaged()
    with context.store.writing() as writer:
        located = locate(context, writer, session)
        writer.finish()
        keep_located(context, writer, located)
    return located.notices


def keep_located(context: Context, writer: ObjectWriter, located: Located) -> None:
    """Commit the objects that a position names, and the progress of its session."""
    if located.is_news:
        context.store.commit_objects(writer, located.commit)
    else:
        context.store.commit_objects(writer)


def _session(context: Context, session: bytes | None) -> SessionInfo | None:
    sessions = context.store.sessions
    return sessions.get(session) if session is not None else sessions.attached(context.workspace)


def _touches(context: Context, info: SessionInfo, taken: Taken) -> Callable[[], None]:
    """Return a function that records the files named in the agent's transcript."""
    if info.format not in (Format.CLAUDE_CODE, Format.CODEX):
        return lambda: None
    from clew.operations.sessions.transcript_touches import (  # noqa: PLC0415  most captures need none
        find_touches,
        keep_touches,
    )

    try:
        return keep_touches(context, info, find_touches(context, info, taken))
    except OSError:
        return lambda: None  # it was deleted just now; the next capture reports it


def _conversation(
    context: Context, writer: ObjectWriter, info: SessionInfo
) -> tuple[Taken, int, tuple[str, ...]]:
    """Return the current conversation, the last pending message in it, and the problems found."""
    notices: tuple[str, ...] = ()
    if info.transcript is not None:
        try:
            return _from_file(info.transcript, info, writer, context), 0, ()
        except (OSError, StoreDamaged, ValueError) as error:
            notices = (f"Cannot record the conversation: {error}",)
    before = Taken(info.conversation, info.length, info.length)
    pending = context.store.sessions.pending(info.id) if info.transcript is None else []
    if not pending and not context.store.pack_watch.last:
        return before, 0, notices
    kept, lost = _kept(context, info)
    if lost:
        notices += (f"{lost} bytes of the earlier conversation are lost: the store is damaged",)
    elif not pending:
        return before, 0, notices
    taken = extend_parts(kept, [content for _, content in pending], writer.put)
    return taken, pending[-1][0] if pending else 0, notices


def _kept(context: Context, info: SessionInfo) -> tuple[list[ConversationPart], int]:
    """Return the readable parts of the conversation, and the bytes that are lost."""
    get = context.store.objects.get
    try:
        if not context.store.pack_watch.last:
            return parts_of(info.conversation, get), 0
    except (StoreDamaged, ValueError):
        pass
    kept = readable_parts(info.conversation, get)
    lost = info.length - sum(part.length for part in kept)
    return kept if lost else parts_of(info.conversation, get), lost


def _from_file(path: bytes, info: SessionInfo, writer: ObjectWriter, context: Context) -> Taken:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"not a regular file: {os.fsdecode(path)!r}")
        store = context.store
        again = bool(store.pack_watch.last)
        return take(info.conversation, file.read, store.objects.get, writer.put, again=again)
