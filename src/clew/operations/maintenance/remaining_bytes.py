"""What still holds the bytes of purged checkpoints.

An object that the catalogue names after a purge is needed: by other checkpoints, of this workspace
or another, or by the conversation of a session.  Places that a purge does not change are searched
too: the live files, the task list, the effects, and quotations of the checkpoint's labels.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from clew.diff.trees import diff_trees
from clew.errors import ClewError, StoreDamaged
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.ids import CheckpointId, ObjectId, ObjectType, object_id, short
from clew.model.named_tuple import NamedTuple
from clew.model.results import HoldingCheckpoint
from clew.model.task import decode_tasks
from clew.operations.context import Context
from clew.policy.redaction.redact import redact_name
from clew.store.graphs import Graphs, graphs_path
from clew.store.mark import FOLLOWED, Follow, follower, live_records, of_record
from clew.store.needs import who_needs
from clew.worktree.read import EntryReader
from clew.worktree.root import Root

_EMPTY = object_id(ObjectType.BLOB, b"")
_TELLING = (ObjectType.BLOB, ObjectType.TREE, ObjectType.XATTRS)
"""Object types that may reveal something; rules, links and the like are the same everywhere."""
_NAMED = 10
"""How many checkpoints a sentence names; `held_by` has them all."""
_SHORTEST_QUOTE = 8


class CheckpointContents(NamedTuple):
    """The contents of a checkpoint, read before it is deleted."""

    checkpoint: Checkpoint
    objects: set[ObjectId]
    telling: set[ObjectId]
    files: dict[ObjectId, set[ObjectId]]
    """Blobs, and the file contents that each is part of."""
    paths: tuple[tuple[bytes, Entry], ...]
    """Files in it that *here* does not have."""
    titles: tuple[str, ...]
    """The titles of its tasks."""
    is_whole: bool
    """Whether all of it could be read."""


class StillHeld(NamedTuple):
    """What holds the bytes, and the sentences to report."""

    held_by: tuple[HoldingCheckpoint, ...]
    sentences: tuple[str, ...]


def held_by(context: Context, checkpoint: Checkpoint) -> CheckpointContents:
    """Return the contents of a checkpoint; the caller holds the store's lock."""
    follow = follower(context.store.objects.get)
    objects, telling = set[ObjectId](), set[ObjectId]()
    files: dict[ObjectId, set[ObjectId]] = {}
    ahead = of_record(checkpoint.id, checkpoint.record)
    is_whole = True
    while ahead:
        kind, identifier = ahead.pop()
        if identifier in objects:
            continue
        objects.add(identifier)
        if kind in _TELLING and identifier != _EMPTY:
            telling.add(identifier)
        if kind == ObjectType.BLOB and identifier != _EMPTY:
            files.setdefault(identifier, set()).add(identifier)
        if kind not in FOLLOWED:
            continue
        try:
            named = follow(kind, identifier)
        except StoreDamaged:
            is_whole = False
            continue
        if kind == ObjectType.CHUNKLIST:
            for _, chunk in named:
                files.setdefault(chunk, set()).add(identifier)
                objects.add(chunk)
                telling.add(chunk)
        else:
            ahead += named
    return CheckpointContents(
        checkpoint, objects, telling, files, _paths(context, checkpoint) if is_whole else (),
        _titles(context, checkpoint), is_whole,
    )  # fmt: skip


def still_held(context: Context, deleted: Sequence[CheckpointContents]) -> StillHeld:
    """Report what holds the bytes of purged checkpoints; the caller holds the store's lock."""
    store = context.store
    known = {one.checkpoint.id: store.index.known(one.telling) for one in deleted}
    wanted: dict[ObjectId, frozenset[int]] = {}
    for number, one in enumerate(deleted):
        for identifier in known[one.checkpoint.id]:
            wanted[identifier] = wanted.get(identifier, frozenset()) | {number}
    needs = who_needs(live_records(store), wanted, follower(store.objects.get))
    held_by: dict[CheckpointId, HoldingCheckpoint] = {}
    sentences: list[str] = []
    for number, one in enumerate(deleted):
        if not one.is_whole:
            name = short(one.checkpoint.id)
            sentences.append(f"Content of {name} unknown: it was damaged")
        found = [_holder(context, identifier) for identifier in needs.checkpoints.get(number, ())]
        held_by.update((holder.checkpoint, holder) for holder in found)
        left = known[one.checkpoint.id]
        if found:
            sentences.append(_sentence(one, left, found))
        sentences += _in_sessions(context, one.checkpoint, left)
        sentences += _live_files(context, one, left)
        sentences += _live_rows(context, one)
    sentences += _quotes(context, [one.checkpoint for one in deleted])
    return StillHeld(tuple(held_by.values()), tuple(sentences))


def _holder(context: Context, identifier: CheckpointId) -> HoldingCheckpoint:
    store = context.store
    workspace = context.find(identifier).record.workspace
    info, fork = store.workspaces.get(workspace), store.forks.get(workspace)
    return HoldingCheckpoint(
        identifier, info.path if info is not None else b"", fork.name if fork else "",
        workspace != context.workspace,
    )  # fmt: skip


def _sentence(
    held: CheckpointContents, left: set[ObjectId], held_by: Sequence[HoldingCheckpoint]
) -> str:
    files = len(set[ObjectId]().union(*(held.files[one] for one in left & held.files.keys())))
    what = f"{files} of the files" if files else "names of files"
    are = "is" if files == 1 else "are"
    named = [_named(holder) for holder in reversed(held_by)]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    listed = ", ".join(named[:_NAMED]) + more
    return f"{what} in {short(held.checkpoint.id)} {are} also, completely or partly, in {listed}"


def _named(holder: HoldingCheckpoint) -> str:
    if not holder.is_elsewhere:
        return short(holder.checkpoint)
    where = f"fork {holder.fork}" if holder.fork else paths.as_text(holder.workspace)
    return f"{short(holder.checkpoint)} ({where})"


def _in_sessions(context: Context, checkpoint: Checkpoint, left: set[ObjectId]) -> Iterator[str]:
    """Report the sessions that continue from its conversation."""
    store = context.store
    follow = follower(store.objects.get)
    for info in store.workspaces.all():
        for session in store.sessions.of(info.uuid):
            if session.conversation is None:
                continue
            if left & set(_blobs_of(session.conversation, follow)):
                who = f"{session.agent} {session.text_id[:8]}".strip()
                yield f"the conversation of {short(checkpoint.id)} continues in session {who}"


def _blobs_of(conversation: ObjectId, follow: Follow) -> Iterator[ObjectId]:
    ahead = [conversation]
    while ahead:
        for kind, identifier in follow(ObjectType.CONVERSATION, ahead.pop()):
            if kind == ObjectType.CONVERSATION:
                ahead.append(identifier)
            else:
                yield identifier


def _paths(context: Context, checkpoint: Checkpoint) -> tuple[tuple[bytes, Entry], ...]:
    """Return the files of a checkpoint that *here* does not have in the same state."""
    get = context.store.objects.get
    here = context.here
    if here is None or here.record.workspace != checkpoint.record.workspace:
        return ()
    try:
        changes = diff_trees(here.record.tree, checkpoint.record.tree, get, mtimes=False)
        return tuple(
            (change.path, change.new)
            for change in changes
            if change.new is not None and change.new.is_file and change.new.size
        )
    except ClewError:
        return ()


def _live_files(context: Context, held: CheckpointContents, left: set[ObjectId]) -> Iterator[str]:
    """Report live files with the same content."""
    found = [
        path
        for path, entry in held.paths
        if entry.content not in left and _is_live(context, path, entry)
    ]
    if found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        named = ", ".join(redact_name(paths.as_text(path)) for path in found[:3])
        yield f"the workspace still contains these files: {named}{more}"


def _is_live(context: Context, path: bytes, entry: Entry) -> bool:
    try:
        with Root(context.root, cross_mounts=True) as root:
            reader = EntryReader(root, lambda kind, content: object_id(kind, content))
            directory = root.open_directory(paths.parent_of(path))
            try:
                name = paths.name_of(path)
                found = os.stat(name, dir_fd=directory, follow_symlinks=False)
                if found.st_size != entry.size:
                    return False
                return reader.read(directory, name, found).entry.content == entry.content
            finally:
                os.close(directory)
    except OSError:
        return False


def _titles(context: Context, checkpoint: Checkpoint) -> tuple[str, ...]:
    tasks = checkpoint.record.position.tasks
    if tasks is None:
        return ()
    try:
        return tuple(task.title for task in decode_tasks(context.store.objects.get(tasks)))
    except (ClewError, ValueError):
        return ()


def _live_rows(context: Context, held: CheckpointContents) -> Iterator[str]:
    """Report its tasks and effects in the workspace's own lists."""
    store, position = context.store, held.checkpoint.record.position
    if position.session and held.titles:
        now = {task.title for task in store.tasks.of(position.session)}
        same = sum(title in now for title in held.titles)
        if same:
            yield f"{same} of its tasks are still in the task list of its session"
    parent = held.checkpoint.record.parent
    above = store.checkpoints.get(parent) if parent is not None else None
    before = above.record.position.effects if above is not None else 0
    if above is not None and position.effects > before:
        number = position.effects - before
        yield f"{number} effects recorded before it remain: see `clew effect list`"
    if os.path.exists(graphs_path(store.layout, context.workspace)):
        graphs = Graphs(store.layout, context.workspace)
        try:
            threads = graphs.threads_with(held.checkpoint.id.hex())
        finally:
            graphs.close()
        if threads:
            yield f"graphs reference it until `delete_thread`: {', '.join(threads[:3])}"


def _quotes(context: Context, deleted: Iterable[Checkpoint]) -> Iterator[str]:
    """Report other places with the text of its labels."""
    database = context.store.database
    for checkpoint in deleted:
        labels = checkpoint.labels
        texts = {labels.intent, labels.description, *(value for _, value in labels.meta)}
        for text in sorted(one for one in texts if len(one) >= _SHORTEST_QUOTE):
            rows = database.execute(
                "SELECT checkpoint FROM labels WHERE instr(intent, ?1) OR instr(description, ?1)"
                " UNION SELECT checkpoint FROM meta_values WHERE instr(value, ?1)",
                (text,),
            )
            if rows:
                named = ", ".join(short(CheckpointId(row[0])) for row in rows[:3])
                more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
                yield f"label text of {short(checkpoint.id)} is also in the labels of {named}{more}"
            kept = database.one(
                "SELECT count(*) FROM config WHERE instr(CAST(value AS BLOB), CAST(? AS BLOB))",
                (text,),
            )
            if kept is not None and kept[0]:
                yield f"label text of {short(checkpoint.id)} is also in {kept[0]} settings or records"
