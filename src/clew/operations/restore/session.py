"""Restore the conversation and tasks of a session, as the last step of a restore.

    prove    the store can read all of it; nothing has changed yet
    write    a transcript is replaced as a whole, or a new one written for agents that own theirs
    commit   the rows change in the transaction that moves the trail

A transcript that differs from the one in the rescue is later work, and is left alone.
One that is written to while it is replaced is kept beside the new one, under a name that is listed:
every line is in the rescue, in the transcript, or there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from clew.diff.trees import lookup
from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.parts import RestorePart, Resumable
from clew.model.restore_results import SkippedPath, SkipReason
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.operations.restore.journal import JournalPlan
from clew.operations.restore.parts import Chosen, tasks_at
from clew.operations.save.position import Located, locate
from clew.operations.sessions.conversation import content
from clew.operations.sessions.lineage import lineage
from clew.operations.sessions.outstanding_effects import forgotten_at
from clew.operations.sessions.resumable import standing_session, write_resumable
from clew.store.writer import ObjectWriter
from clew.transcripts.dialect import NotATranscript
from clew.transcripts.registry import dialect_of
from clew.worktree.transcript_file import KeptAside, begins_with, holds, replace, settle


class Outside(NamedTuple):
    """What was written outside the workspace, and what could not be."""

    chosen: Chosen
    """The parts that are restored."""
    problems: tuple[SkippedPath, ...] = ()
    fresh: SessionInfo | None = None
    """The session that continues, if the one before keeps its transcript."""
    resumable: Resumable | None = None


def chosen_of(context: Context, journal: JournalPlan) -> Chosen:
    """Return the parts that a journal entry restores."""
    session = context.store.sessions.get(journal.session) if journal.session else None
    parts = journal.parts if session is not None else (RestorePart.FILES,)
    return Chosen(parts, session)


def prove(context: Context, target: Checkpoint, chosen: Chosen) -> None:
    """Read everything that will be restored."""
    position = target.record.position
    try:
        if chosen.conversation:
            for _ in content(position.conversation, context.store.objects.get):
                pass
        if chosen.tasks:
            tasks_at(context, position)
    except ValueError as error:
        raise StoreDamaged(f"Cannot read the conversation of a session: {error}") from error


def is_written_outside(chosen: Chosen) -> bool:
    """Return whether anything but catalogue rows changes."""
    return chosen.conversation and chosen.session is not None and bool(chosen.session.transcript)


def write_outside(
    context: Context, journal: JournalPlan, target: Checkpoint, chosen: Chosen
) -> Outside:
    """Restore the transcript; if that fails, the conversation stays as it is."""
    session = chosen.session
    if session is None or session.transcript is None or not chosen.conversation:
        return Outside(chosen)
    if dialect_of(session.format) is not None:
        return _as_session_of_its_own(context, journal, target, chosen)
    if chosen.files and not journal.within and _is_among_files(context, target, session.transcript):
        return Outside(chosen)  # it was restored with the files
    try:
        why, kept = _set_back(context, journal, target, session.transcript)
    except OSError as error:
        why, kept = error.strerror or str(error), None
    done = _without_conversation(chosen, why) if why else Outside(chosen)
    if kept is None:
        return done
    return done._replace(problems=(*done.problems, SkippedPath(kept.path, _kept(kept))))


def commit(context: Context, target: Checkpoint, done: Outside) -> None:
    """Write the rows, inside the transaction that moves the trail."""
    session, position, store = done.chosen.session, target.record.position, context.store
    if session is None:
        return
    tasks = tasks_at(context, position) if done.chosen.tasks else store.tasks.of(session.id)
    if done.fresh is not None:
        store.sessions.update(done.fresh)
        store.tasks.replace(done.fresh.id, tasks)
        return
    if done.chosen.conversation:
        store.sessions.moved(session.id, position.conversation, position.length)
    if done.chosen.tasks:
        store.tasks.replace(session.id, tasks)


def locate_after(
    context: Context, writer: ObjectWriter, journal: JournalPlan, done: Outside
) -> Located:
    """Return the position after the restore."""
    session, target = done.chosen.session, context.find(journal.target).record.position
    found = locate(context, writer, session.id if session is not None else None)
    position = found.position
    if journal.forgets:
        position = position._replace(forgotten=tuple(forgotten_at(context, target)))
    if done.chosen.tasks:
        position = position._replace(tasks=target.tasks)
    if not done.chosen.conversation:
        return found._replace(position=position)
    position = position._replace(conversation=target.conversation, length=target.length)
    if done.fresh is not None:
        position = position._replace(session=done.fresh.id)
    return Located(position, lambda: None)


def _as_session_of_its_own(
    context: Context, journal: JournalPlan, target: Checkpoint, chosen: Chosen
) -> Outside:
    """Leave the agent's own transcript, and write the conversation to a new session."""
    session, position = chosen.session, target.record.position
    assert session is not None
    if position.conversation is None:  # the conversation is empty: there is nothing to continue
        return _without_conversation(chosen)
    for one in lineage(context, session):
        said = content(position.conversation, context.store.objects.get)
        if one.transcript is not None and holds(one.transcript, said, position.length):
            if one.id == session.id:
                return Outside(chosen)
            found = standing_session(one)
            return Outside(chosen, (), found.info, found.resumable)
    at_ns = context.find(journal.base).record.time_ns
    try:
        found = write_resumable(context, session, position.conversation, journal.fresh, at_ns)
    except OSError as error:
        return _without_conversation(chosen, error.strerror or str(error))
    except NotATranscript as error:
        return _without_conversation(chosen, f"not a valid transcript: {error}")
    return Outside(chosen, (), found.info, found.resumable)


def _without_conversation(chosen: Chosen, why: str = "") -> Outside:
    """Leave the conversation as it is, with or without a problem to report."""
    without = tuple(part for part in chosen.parts if part != RestorePart.CONVERSATION)
    left = chosen._replace(parts=without)
    if not why or chosen.session is None:
        return Outside(left)
    path = chosen.session.transcript or b""
    return Outside(left, (SkippedPath(path, f"the conversation is unchanged: {why}"),))


def _set_back(
    context: Context, journal: JournalPlan, target: Checkpoint, transcript: bytes
) -> tuple[str, KeptAside | None]:
    """Return why a transcript is left alone (empty if it was restored), and what was kept beside it."""
    get = context.store.objects.get
    wanted, before = target.record.position, context.find(journal.base).record.position
    temporary = b".clew-" + journal.fresh.hex().encode()

    def then() -> Iterator[bytes]:
        return content(wanted.conversation, get)

    def now() -> Iterator[bytes]:
        return content(before.conversation, get)

    kept = settle(transcript, (now, then), temporary) if journal.resumed else None
    if holds(transcript, then(), wanted.length):
        return "", kept
    if journal.resumed and begins_with(transcript, then()) and not begins_with(transcript, now()):
        return "", kept  # it was restored already, and is being written to
    if os.path.lexists(transcript) and not holds(transcript, now(), before.length):
        return SkipReason.EDITED, kept
    return "", replace(transcript, then, now, temporary, context.host.fail_point) or kept


def _kept(kept: KeptAside) -> str:
    if not kept.writers:
        return "lines written during the restore are in the old transcript, kept under this name"
    who = ", ".join(kept.writers[:3])
    return f"the old transcript is kept under this name; {who} still writes to it"


def _is_among_files(context: Context, target: Checkpoint, transcript: bytes) -> bool:
    root = context.root.rstrip(b"/") + b"/"
    if not transcript.startswith(root):
        return False
    path = transcript[len(root) :]
    return lookup(target.record.tree, path, context.store.objects.get) is not None
