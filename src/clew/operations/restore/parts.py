"""The parts that a restore brings back, and parts that will not match each other.

Conversation and tasks belong to a session.  They are restored by default if the checkpoint belongs
to the attached session, or to one that it continues; otherwise they stay, and that is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.ids import ObjectId, ObjectType, object_id, short
from clew.model.named_tuple import NamedTuple
from clew.model.parts import RestoredParts, RestorePart
from clew.model.position import Position
from clew.model.session import SessionInfo
from clew.model.task import Task, decode_tasks, encode_tasks
from clew.operations.context import Context
from clew.operations.sessions.conversation import content
from clew.operations.sessions.lineage import lineage_ids
from clew.worktree.transcript_file import holds


class Chosen(NamedTuple):
    """The parts to restore, and their session."""

    parts: tuple[str, ...] = (RestorePart.FILES,)
    session: SessionInfo | None = None

    @property
    def files(self) -> bool:
        return RestorePart.FILES in self.parts

    @property
    def conversation(self) -> bool:
        return RestorePart.CONVERSATION in self.parts

    @property
    def tasks(self) -> bool:
        return RestorePart.TASKS in self.parts


Differing = frozenset[str]
"""The parts that differ from the target now."""


def choose(
    context: Context, target: Checkpoint, within: Sequence[bytes], asked: Sequence[str]
) -> Chosen:
    """Return the parts that were requested; by default all that apply."""
    for part in asked:
        if part not in RestorePart.ALL:
            raise BadOption("parts", f"must be one of {', '.join(RestorePart.ALL)}")
    session = _session(context, target)
    if not asked:
        is_whole = session is not None and not within
        return Chosen(RestorePart.ALL if is_whole else (RestorePart.FILES,), session)
    if within and RestorePart.FILES not in asked:
        raise BadOption("PATH", "requires --files")
    if session is None and set(asked) != {RestorePart.FILES}:
        raise BadOption(f"--{_first_of_session(asked)}", _why_not(target))
    return Chosen(tuple(part for part in RestorePart.ALL if part in asked), session)


def differing_now(context: Context, target: Checkpoint, chosen: Chosen, files: bool) -> Differing:
    """Compare the target with the live workspace; write nothing."""
    wanted, store = target.record.position, context.store
    session = chosen.session or store.sessions.attached(context.workspace)
    if session is None:
        return _differing(files, wanted.conversation is not None, wanted.tasks is not None)
    if session.transcript is not None:
        said = content(wanted.conversation, store.objects.get)
        talks = not holds(session.transcript, said, wanted.length)
    else:
        is_same = session.conversation == wanted.conversation
        talks = not is_same or bool(store.sessions.pending(session.id))
    listed = store.tasks.of(session.id)
    return _differing(files, talks, _tasks_id(listed) != wanted.tasks)


def differing_from(base: Checkpoint, target: Checkpoint) -> Differing:
    """Compare two checkpoints: the state before the restore, and the target."""
    was, wanted = base.record, target.record
    return _differing(
        was.state != wanted.state,
        was.position.conversation != wanted.position.conversation,
        was.position.tasks != wanted.position.tasks,
    )


def _differing(files: bool, conversation: bool, tasks: bool) -> Differing:
    found = zip(RestorePart.ALL, (files, conversation, tasks), strict=True)
    return frozenset(part for part, differs in found if differs)


def brought_back(
    context: Context, target: Checkpoint, chosen: Chosen, differing: Differing, *, some: bool
) -> RestoredParts:
    """Return what is restored; `some` if only selected paths are."""
    position = target.record.position
    of_session = (RestorePart.CONVERSATION, RestorePart.TASKS)
    return RestoredParts(
        parts=chosen.parts,
        session=chosen.session,
        moved=tuple(part for part in of_session if part in chosen.parts and part in differing),
        length=position.length if chosen.conversation else 0,
        tasks=tuple(tasks_at(context, position)) if chosen.tasks else (),
        warnings=tuple(_sentences(target, chosen, differing, some)),
    )


def tasks_at(context: Context, position: Position) -> list[Task]:
    """Return the task list of a checkpoint."""
    if position.tasks is None:
        return []
    return decode_tasks(context.store.objects.get(position.tasks))


def _session(context: Context, target: Checkpoint) -> SessionInfo | None:
    """Return the attached session, if the target belongs to it or to one that it continues."""
    attached = context.store.sessions.attached(context.workspace)
    if attached is None or target.record.position.session not in lineage_ids(context, attached):
        return None
    return attached


def _first_of_session(asked: Sequence[str]) -> str:
    return next(part for part in asked if part != RestorePart.FILES)


def _why_not(target: Checkpoint) -> str:
    named = short(target.id)
    session = target.record.position.session
    if not session:
        return f"checkpoint has no session: {named!r}"
    return f"the session of {named} is not attached: {session.hex()[:8]!r}"


def _tasks_id(tasks: list[Task]) -> ObjectId | None:
    return object_id(ObjectType.BLOB, encode_tasks(tasks)) if tasks else None


_NAMES = {
    RestorePart.FILES: "files",
    RestorePart.CONVERSATION: "conversation",
    RestorePart.TASKS: "task list",
}


def _sentences(target: Checkpoint, chosen: Chosen, differing: Differing, some: bool) -> list[str]:
    """Return every part that will not match the target although others do."""
    then = short(target.id)
    if not differing:
        return []
    if chosen.session is None:
        return _of_another(target, differing)
    brought = ("chosen " if some else "") + " and ".join(_NAMES[part] for part in chosen.parts)
    stays = [part for part in RestorePart.ALL if part not in chosen.parts and part in differing]
    are = "are" if chosen.files or len(chosen.parts) > 1 else "is"
    found = [
        f"The {brought} {are} from {then}, the {_NAMES[part]} {_verb(part)} current"
        for part in stays
    ]
    if some and RestorePart.FILES in differing and (chosen.conversation or chosen.tasks):
        found.append(f"Only some of the files are from {then}, the others are current")
    return found


def _of_another(target: Checkpoint, differing: Differing) -> list[str]:
    """Return whose conversation it is, if it is not restored because it belongs to another session."""
    then = short(target.id)
    position = target.record.position
    if not differing - {RestorePart.FILES}:
        return []
    if position.session:
        whose = position.session.hex()[:8]
        return [
            f"The conversation is current: {then} belongs to session {whose}, which is not attached"
        ]
    return [f"The conversation is current: {then} has none"]


def _verb(part: str) -> str:
    return "are" if part == RestorePart.FILES else "is"
