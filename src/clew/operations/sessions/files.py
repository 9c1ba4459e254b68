"""Which files an agent read, and which it changed.

What the agent reported is stored as rows, so it outlives a compacted transcript.  What it changed
is also derived: between two consecutive checkpoints of one session, every difference is its work.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.diff.trees import diff_trees
from clew.errors import BadOption
from clew.model.change import ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.session import SessionInfo, Touch
from clew.model.session_results import SessionFiles, TouchBasis, TouchedFile
from clew.operations.context import Context
from clew.operations.sessions.lineage import lineage, lineage_ids
from clew.operations.sessions.transcript_touches import touched_path

MOST = 10_000
"""Maximum number of files in one answer."""

Found = tuple[bytes, str, str, int]
"""Path, how, basis and sequence."""


def touch(context: Context, session: SessionInfo, path: str, how: str) -> None:
    """Record that the agent read or changed a file, from the next checkpoint on."""
    context.store.require_writable()
    if not path or "\0" in path:
        raise BadOption("PATH", f"not a path: {path!r}")
    sequence = context.store.workspaces.next_sequence(context.workspace)
    context.store.sessions.touch(session.id, touched_path(context.info, path), how, sequence)


def session_files(
    context: Context, info: SessionInfo, at: Checkpoint | None, *, most: int = MOST
) -> SessionFiles:
    """Return the files that a session touched; with `at`, up to that checkpoint from the one before."""
    own = _own_checkpoints(context, info)
    after, up_to = 0, None
    if at is not None:
        up_to = at.record.sequence
        after = max((one.record.sequence for one in own if one.record.sequence < up_to), default=0)
    found: dict[bytes, TouchedFile] = {}
    for path, how, basis, sequence in (*_said(context, info), *_seen(context, own, after, up_to)):
        if sequence > after and (up_to is None or sequence <= up_to):
            found[path] = _with(found.get(path), path, how, basis, sequence)
    files = [found[path] for path in sorted(found)]
    return SessionFiles(info, at, tuple(files[:most]), max(len(files) - most, 0))


def _own_checkpoints(context: Context, info: SessionInfo) -> list[Checkpoint]:
    own = lineage_ids(context, info)
    return [
        checkpoint
        for checkpoint in context.store.checkpoints.newest_first(context.workspace)
        if checkpoint.record.position.session in own
    ]


def _said(context: Context, info: SessionInfo) -> Iterator[Found]:
    for session in lineage(context, info):
        for path, how, sequence in context.store.sessions.touched(session.id):
            yield path, how, TouchBasis.REPORTED, sequence


def _seen(
    context: Context, own: list[Checkpoint], after: int, up_to: int | None
) -> Iterator[Found]:
    """Yield the differences between checkpoints of the session and their parents in it."""
    trees = {checkpoint.id: checkpoint.record.tree for checkpoint in own}
    get = context.store.objects.get
    for checkpoint in own:
        sequence = checkpoint.record.sequence
        if sequence <= after or (up_to is not None and sequence > up_to):
            continue
        parent = checkpoint.record.parent
        if parent is None or parent not in trees:
            continue  # another session may have worked in between
        for change in diff_trees(trees[parent], checkpoint.record.tree, get, mtimes=False):
            entry = change.new or change.old
            if change.kind != ChangeKind.METADATA and entry and not entry.is_directory:
                yield change.path, Touch.CHANGED, TouchBasis.SNAPSHOTS, sequence


def _with(
    known: TouchedFile | None, path: bytes, how: str, basis: str, sequence: int
) -> TouchedFile:
    before = known or TouchedFile(path, False, False, (), 0)
    return TouchedFile(
        path,
        before.read or how == Touch.READ,
        before.changed or how == Touch.CHANGED,
        before.basis if basis in before.basis else (*before.basis, basis),
        max(before.sequence, sequence),
    )
