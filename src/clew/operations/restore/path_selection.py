"""Selected paths of a partial restore."""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.diff.trees import lookup
from clew.errors import NoSuchPath
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.ids import short
from clew.operations.context import Context
from clew.worktree.read import SQLITE_MAGIC
from clew.worktree.root import Root
from clew.worktree.sqlite_units import companions


def require_paths(context: Context, target: Checkpoint, chosen: Sequence[bytes]) -> None:
    """Refuse a path that is neither in the target nor in the workspace: it is a typing mistake."""
    for path in chosen:
        if lookup(target.record.tree, path, context.store.objects.get) is not None:
            continue
        try:
            with Root(context.root, cross_mounts=True) as root:
                os.close(root.open(path, os.O_PATH))
        except OSError as error:
            raise NoSuchPath(paths.as_text(path), checkpoint=short(target.id)) from error


def with_units(context: Context, target: Checkpoint, chosen: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the selected paths, and with a SQLite database its journals.

    No selection, or the root, means everything: the empty selection.
    """
    found: dict[bytes, None] = {}
    for path in chosen:
        if not path:
            return ()
        found[path] = None
        unit = companions(path)
        if _is_database(context, target, unit[0]):
            found.update(dict.fromkeys(unit))
    return tuple(found)


def _is_database(context: Context, target: Checkpoint, path: bytes) -> bool:
    """Return whether a path is a SQLite database, in the target or live."""
    entry = lookup(target.record.tree, path, context.store.objects.get)
    if entry is not None and entry.is_file:
        first = next(context.store.objects.content(entry.content, entry.size), b"")
        if first.startswith(SQLITE_MAGIC):
            return True
    try:
        with Root(context.root, cross_mounts=True) as root:
            descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return os.pread(descriptor, len(SQLITE_MAGIC), 0) == SQLITE_MAGIC
    except OSError:
        return False
    finally:
        os.close(descriptor)
