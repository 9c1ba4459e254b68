"""Fork: create a workspace from any checkpoint, in the same store.

Its directory holds exactly what the checkpoint does, is verified, and stores no new content.
A fork that `clew try` makes has a checkpoint and no directory.
A failure leaves nothing: no row, no directory.
"""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress

from clew.errors import BadForkName, BadOption, UnknownFork
from clew.filenames import as_argument, real_path
from clew.model.checkpoint import Checkpoint, ForkInfo, WorkspaceInfo
from clew.model.fork_results import ForkResult, PathReferences
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import SkippedPath
from clew.monitor import Monitor
from clew.operations.context import Context, cache_path
from clew.operations.copies.materialize_copy import write_out
from clew.operations.forks.create_fork import Seed, create_fork, require_fork_name
from clew.operations.forks.directories import (
    Note,
    birth_of,
    grown_beside,
    is_inside,
    move_into_place,
    noting,
    require_place,
    reserve_managed,
    resolved_place,
    sweep_directories,
)
from clew.operations.forks.fork_session import ForkSession, require_session, with_session
from clew.operations.forks.list_forks import fork_context
from clew.worktree.path_references import find_references

__all__ = ["fork", "grow_without_directory", "require_fork_name", "write_fork_directory"]


def fork(
    context: Context,
    base: Checkpoint,
    directory: str | None,
    name: str | None,
    monitor: Monitor,
    *,
    conversation: bool = False,
) -> ForkResult:
    """Create a workspace in `directory`, or in the store; the caller holds the store's lock.

    With `conversation` it has a session of its own that continues the one of `base`.
    """
    if conversation:
        require_session(context, base)
    started = time.monotonic_ns()
    store = context.store
    store.require_writable()
    sweep_directories(store)
    place = resolved_place(directory) if directory is not None else None
    seed = _seed(context, place, name)
    if place is not None:
        require_place(context, place)
    grown = ForkSession(seed)
    with noting(store, seed.uuid) as note:
        try:
            place = place if place is not None else reserve_managed(store, seed.name, note)
            filled = _fill(context, base, seed, place, note, monitor)
            if conversation:
                grown = with_session(context, base, seed, place)
            context.host.fail_point("fork.record")
            info = create_fork(context, base, grown.seed._replace(path=place, inode=filled.inode))
        except BaseException:
            written = [grown.resumable.path] if grown.resumable is not None else []
            for path in (os.fsencode(cache_path(store, seed.uuid)), *written):
                with suppress(OSError):
                    os.unlink(path)
            raise
    found = store.forks.get(info.uuid)
    assert found is not None
    assert info.here is not None
    first = context.find(info.here)._replace(is_here=True)
    taken = time.monotonic_ns() - started
    session, resumable = grown.seed.session, grown.resumable
    return ForkResult(
        found, info, base, first, filled.problems, taken, session, resumable, filled.references
    )


def write_fork_directory(
    context: Context, fork: ForkInfo, directory: str | None, monitor: Monitor
) -> ForkResult:
    """Write the newest checkpoint of a fork without a directory to one, and bind the fork to it.

    The caller holds the store's lock.
    """
    started = time.monotonic_ns()
    store, own = context.store, fork_context(context, fork)
    store.require_writable()
    tip = own.here
    if tip is None:
        raise UnknownFork(fork.name)
    if os.path.lexists(own.root):
        raise BadOption("REF", f"the fork has a directory already: {as_argument(own.root)!r}")
    sweep_directories(store)
    place = resolved_place(directory) if directory is not None else None
    if place is not None:
        require_place(context, place)
    try:
        with noting(
            store, os.urandom(16)
        ) as note:  # an unknown workspace: a failure leaves nothing
            place = place if place is not None else reserve_managed(store, fork.name, note)
            filled = _fill(context, tip, Seed(own.workspace, fork.name), place, note, monitor)
            context.host.fail_point("fork.record")
            note.end()  # from here on the directory stays
    except BaseException:
        with suppress(OSError):
            os.unlink(cache_path(store, own.workspace))
        raise
    created_ns = birth_of(place) or fork.created_ns
    store.forks.set_directory(own.workspace, managed=directory is None, created_ns=created_ns)
    store.workspaces.bind(own.workspace, place, filled.inode)
    found, base = store.forks.get(own.workspace), store.checkpoints.get(fork.base)
    info = own.info._replace(path=place, inode=filled.inode)
    taken = time.monotonic_ns() - started
    return ForkResult(
        found or fork, info, base or tip, tip._replace(is_here=True), filled.problems, taken,
        references=filled.references,
    )  # fmt: skip


def grow_without_directory(context: Context, base: Checkpoint, name: str) -> WorkspaceInfo:
    """Create a workspace without files; a number is added to its name if that is taken.

    The caller holds the store's shared lock.
    """
    require_fork_name(name)
    return create_fork(context, base, Seed(os.urandom(16), name))


def _seed(context: Context, place: bytes | None, name: str | None) -> Seed:
    """Return the name of the fork; a requested name must be free and valid."""
    seed = Seed(os.urandom(16), name or "", insists=name is not None, managed=place is None)
    if name is not None:
        require_fork_name(name)
        if context.store.forks.free_name(context.workspace, name) != name:
            raise BadForkName(name, "name in use")
        return seed
    if place is not None:
        with suppress(BadForkName, UnicodeDecodeError):
            own = os.path.basename(place).decode()
            require_fork_name(own)
            return seed._replace(name=own)
    taken = {fork.name for fork in context.store.forks.of(context.workspace)}
    number = next(n for n in range(1, len(taken) + 2) if f"fork-{n}" not in taken)
    return seed._replace(name=f"fork-{number}")


class _Filled(NamedTuple):
    """A directory with the files of a fork."""

    inode: int
    problems: tuple[SkippedPath, ...]
    references: PathReferences


def _fill(
    context: Context, base: Checkpoint, seed: Seed, place: bytes, note: Note, monitor: Monitor
) -> _Filled:
    """Write the files beside their place, verify them, and move them there."""
    grown = grown_beside(place, note)
    context.host.fail_point("fork.write")
    with closing(context.open_cache_of(seed.uuid)) as cache:
        written = write_out(context, base, grown, cache, monitor)
    origins = _original_paths(context)
    references = find_references(grown, origins) if origins else PathReferences()
    inode = os.stat(grown).st_ino
    note.add(place, inode)
    context.host.fail_point("fork.move")
    move_into_place(grown, place)
    return _Filled(inode, written.proved.problems, references)


def _original_paths(context: Context) -> list[bytes]:
    """Return the paths by which files may name the workspace, its own first; none for a machine."""
    if context.info.machine:
        return []
    # Inside `clew enter`, the path of the workspace is not the one in its row.
    lineage = (context.workspace, *context.store.forks.sources(context.workspace))
    rows = map(context.store.workspaces.get, lineage)
    sources = [row.path for row in rows if row is not None and row.path and not row.machine]
    logical = _logical_path(context)
    return list(dict.fromkeys([context.root, *([logical] if logical else []), *sources]))


def _logical_path(context: Context) -> bytes:
    """Return the path of the workspace as the shell shows it, through symlinks; empty if unknown."""
    shown = context.host.environ.get(b"PWD", b"")
    real = real_path(shown) if shown.startswith(b"/") else b""
    below = real[len(context.root) :]
    if not is_inside(real, context.root) or not shown.endswith(below):
        return b""
    return shown[: len(shown) - len(below)]
