"""Bringing conversation and tasks back, as the last thing of a restore.

    prove    the store can give all of it; nothing has changed yet
    write    a transcript is replaced as a whole, or a new one written for agents that own theirs
    commit   the rows change in the transaction that moves the trail

A transcript that is not what the rescue took is somebody's later work: it is left alone.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from clew.diff.trees import lookup
from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.parts import Part, Resumable
from clew.model.restoring import LeftAlone, Why
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.operations.conversation import content
from clew.operations.journal_plan import JournalPlan
from clew.operations.parts import Chosen, tasks_at
from clew.operations.position import Located, locate
from clew.operations.standing import forgotten_at
from clew.store.writer import ObjectWriter
from clew.worktree.transcript_file import holds, replace


class Outside(NamedTuple):
    """What was written outside the workspace, and what could not be."""

    chosen: Chosen
    """What really comes back."""
    problems: tuple[LeftAlone, ...] = ()
    fresh: SessionInfo | None = None
    """The session that goes on, where the one before keeps its transcript."""
    resumable: Resumable | None = None


def chosen_of(context: Context, journal: JournalPlan) -> Chosen:
    """Return what a journal says is to be brought back."""
    session = context.store.sessions.get(journal.session) if journal.session else None
    parts = journal.parts if session is not None else (Part.FILES,)
    return Chosen(parts, session)


def prove(context: Context, target: Checkpoint, chosen: Chosen) -> None:
    """Read all that will come back."""
    position = target.record.position
    try:
        if chosen.conversation:
            for _ in content(position.conversation, context.store.objects.get):
                pass
        if chosen.tasks:
            tasks_at(context, position)
    except ValueError as error:
        raise StoreDamaged(f"What a session said cannot be read back: {error}") from error


def is_written_outside(chosen: Chosen) -> bool:
    """Tell whether anything but rows of the catalogue changes."""
    return chosen.conversation and chosen.session is not None and bool(chosen.session.transcript)


def write_outside(
    context: Context, journal: JournalPlan, target: Checkpoint, chosen: Chosen
) -> Outside:
    """Make the transcript what it was; where that fails, the conversation stays as it is."""
    session = chosen.session
    if session is None or session.transcript is None or not chosen.conversation:
        return Outside(chosen)
    if chosen.files and not journal.within and _is_among_files(context, target, session.transcript):
        return Outside(chosen)  # it came back with the files
    try:
        why = _set_back(context, journal, target, session.transcript)
    except OSError as error:
        why = error.strerror or str(error)
    if not why:
        return Outside(chosen)
    without = tuple(part for part in chosen.parts if part != Part.CONVERSATION)
    problem = LeftAlone(session.transcript, f"the conversation stays as it is: {why}")
    return Outside(chosen._replace(parts=without), (problem,))


def commit(context: Context, target: Checkpoint, done: Outside) -> None:
    """Write the rows; inside the transaction that moves the trail."""
    session, position, store = done.chosen.session, target.record.position, context.store
    if session is None:
        return
    if done.chosen.conversation:
        store.sessions.moved(session.id, position.conversation, position.length)
    if done.chosen.tasks:
        store.tasks.replace(session.id, tasks_at(context, position))


def locate_after(
    context: Context, writer: ObjectWriter, journal: JournalPlan, done: Outside
) -> Located:
    """Return the position as it will be once the restore is through."""
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
    return Located(position, lambda: None)


def _set_back(context: Context, journal: JournalPlan, target: Checkpoint, transcript: bytes) -> str:
    """Return why a transcript is left alone; empty if it is now what it was."""
    get = context.store.objects.get
    wanted, before = target.record.position, context.find(journal.base).record.position
    if holds(transcript, content(wanted.conversation, get), wanted.length):
        return ""
    if os.path.lexists(transcript) and not holds(
        transcript, content(before.conversation, get), before.length
    ):
        return Why.EDITED
    temporary = b".clew-" + journal.fresh.hex().encode()
    replace(transcript, content(wanted.conversation, get), temporary)
    return ""


def _is_among_files(context: Context, target: Checkpoint, transcript: bytes) -> bool:
    root = context.root.rstrip(b"/") + b"/"
    if not transcript.startswith(root):
        return False
    path = transcript[len(root) :]
    return lookup(target.record.tree, path, context.store.objects.get) is not None
