"""Create a fork: a new workspace whose first record has the tree of another's checkpoint.

The record has that checkpoint as its parent; lineage is stored nowhere else.  No content is stored:
tree, links and rules are the same.
"""

from __future__ import annotations

from clew.errors import BadForkName
from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, ForkInfo, Labels, WorkspaceInfo
from clew.model.ids import CheckpointId, short
from clew.model.named_tuple import NamedTuple
from clew.model.position import Position
from clew.model.record import Origin
from clew.model.reference import UNNAMED, check_name
from clew.model.session import SessionInfo
from clew.model.task import Task
from clew.operations.context import EXCLUDE, EXCLUDE_LARGER_THAN, Context
from clew.operations.forks.directories import birth_of
from clew.operations.maintenance.settings import VERIFY
from clew.policy.labels import label
from clew.policy.redaction.redact import MARK, redact_words
from clew.store.mark import require_held

_COPIED = (EXCLUDE, EXCLUDE_LARGER_THAN, VERIFY)
"""The settings that a fork inherits."""


class Seed(NamedTuple):
    """The fork to create."""

    uuid: bytes
    name: str
    insists: bool = False
    """Whether the name is required; otherwise a number is added if it is taken."""
    managed: bool = False
    path: bytes = b""
    """The path of its files; empty for a fork without a directory."""
    inode: int = 0
    position: Position = Position()
    """The position of the session that continues in it."""
    session: SessionInfo | None = None
    tasks: tuple[Task, ...] = ()


def create_fork(context: Context, base: Checkpoint, seed: Seed) -> WorkspaceInfo:
    """Create the rows of a fork, all or none; the caller holds the store's shared lock."""
    store = context.store
    info = WorkspaceInfo(seed.uuid, seed.path, seed.inode, context.info.machine, None)
    record = base.record._replace(
        workspace=seed.uuid,
        sequence=1,
        time_ns=context.host.now_ns(),
        parent=base.id,
        origin=Origin.MANUAL,
        signals=None,  # nothing has run there yet
        position=seed.position,
    )
    intent = label(f"forked from {short(base.id)} ({_title(base)})")
    labels = Labels(intent=intent, name=f"{UNNAMED}1")

    def also(identifier: CheckpointId) -> None:
        store.workspaces.insert(info, record.sequence)
        store.forks.add(
            ForkInfo(
                seed.uuid, context.workspace, base.id, _name(context, seed), seed.managed,
                # By the clock of the filesystem: ours may be milliseconds ahead of it.
                (birth_of(seed.path) if seed.path else None) or 0,
            )
        )  # fmt: skip
        store.checkpoints.label(identifier, labels)
        store.checkpoints.set_counts(identifier, ChangeCounts())
        store.trails.append(seed.uuid, [identifier])
        if seed.session is not None:
            store.sessions.insert(seed.session)
            store.tasks.replace(seed.session.id, seed.tasks)
        in_force = store.settings.all(context.workspace)
        for key in _COPIED:
            if key in in_force:
                store.settings.set(seed.uuid, key, in_force[key])

    if store.pack_watch.damaged():  # the files are not at hand, so nothing could be stored again
        require_held(store, record)
    with store.writing() as writer:
        identifier = store.commit(writer, record, also)
    return info._replace(here=identifier)


def require_fork_name(name: str) -> None:
    """Refuse a name that could be read as a reference or a path."""
    try:
        check_name(name)
    except ValueError as error:
        raise BadForkName(name, str(error)) from error
    if redact_words(name) != name:
        raise BadForkName(MARK, "looks like a secret")
    if "/" in name or name.startswith("."):
        raise BadForkName(name, "looks like a path")
    if len(name.encode()) > _NAME_BYTES:
        raise BadForkName(name, f"longer than {_NAME_BYTES} bytes")


_NAME_BYTES = 200  # so that it is a valid directory name, with a number appended


def _name(context: Context, seed: Seed) -> str:
    free = context.store.forks.free_name(context.workspace, seed.name)
    if seed.insists and free != seed.name:
        raise BadForkName(seed.name, "name in use")
    return free


def _title(base: Checkpoint) -> str:
    labels = base.labels
    return (labels.name if labels.named else "") or labels.intent or labels.name
