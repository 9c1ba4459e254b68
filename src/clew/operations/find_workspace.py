"""Find the workspace of a path, and bind directories as workspaces."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from clew.errors import (
    AmbiguousWorkspace,
    BadOption,
    ExplicitPathRequired,
    NotAWorkspace,
    OutsideWorkspace,
    UnknownFork,
    UnknownWorkspace,
    UsageError,
    WorkspaceMoved,
)
from clew.filenames import normal_path, real_path
from clew.model.checkpoint import WorkspaceInfo
from clew.model.pattern import check_pattern
from clew.model.tree import read_directory, read_root
from clew.operations.context import EXCLUDE
from clew.store.store import Store

_PREFIX_DIGITS = 4

FORK_VARIABLE = b"CLEW_FORK"
"""The environment variable with the name of the fork that a program was started in."""


def find_workspace(store: Store, path: bytes, entered: bytes = b"") -> WorkspaceInfo:
    """Return the nearest known workspace at or above `path`, which need not exist.

    `entered` names the fork that this process was started in, by `clew enter`.
    """
    known = {info.path: info for info in store.workspaces.all()}
    for directory in _upward(path):
        if directory in known:
            found = visible_workspace(store, known[directory])
            if entered and found is known[directory] and _is_replaced(found):
                # A discarded fork: its files are not those of the workspace at this path.
                raise UnknownFork(os.fsdecode(entered))
            return found
    moved = _moved(store, path)
    if moved is not None:
        raise WorkspaceMoved(os.fsdecode(path), moved.text_id, os.fsdecode(moved.path))
    raise NotAWorkspace(os.fsdecode(path))


def visible_workspace(store: Store, info: WorkspaceInfo) -> WorkspaceInfo:
    """Return the workspace that is visible at the path of `info`: its fork, inside `clew enter`.

    The directory decides, not the environment, which a program may change or clear.
    """
    try:
        found = os.stat(info.path)
    except OSError:
        return info
    for other in store.workspaces.all():
        if other.inode == found.st_ino and other.path not in (b"", info.path):
            with suppress(OSError):
                if os.path.samestat(os.stat(other.path), found):
                    if info.uuid in store.forks.sources(other.uuid):
                        return other._replace(path=info.path)
    return info


def require_good_root(path: bytes, guarded: Sequence[bytes], exclude: Sequence[str]) -> None:
    """Refuse a root that is guarded or not a directory, and patterns that exclude nothing."""
    if path in guarded:
        raise ExplicitPathRequired(os.fsdecode(path))
    if not os.path.isdir(path):
        raise UsageError(f"Not a directory: {os.fsdecode(path)!r}")
    if exclude:
        from clew.policy.exclude_rules import refused  # noqa: PLC0415  a save creates one without

        for pattern in exclude:
            _checked(pattern)
            if reason := refused(os.fsencode(pattern)):
                raise BadOption("--exclude", f"{reason}: {pattern!r}")


def make_workspace(
    store: Store, path: bytes, *, machine: bool = False, exclude: Sequence[str] = ()
) -> tuple[WorkspaceInfo, bool]:
    """Bind a directory as a workspace; return whether it is new."""
    patterns = [_checked(pattern) for pattern in exclude]
    found = os.stat(path)
    existing = store.workspaces.at(path)
    info = existing or store.workspaces.add(path, found.st_ino, machine=machine)
    info = visible_workspace(store, info)
    if machine and not info.machine:
        store.workspaces.make_machine(info.uuid)
        info = info._replace(machine=True)
    if patterns:
        before = store.settings.all(info.uuid).get(EXCLUDE, "").split("\n")
        lines = dict.fromkeys([line for line in before if line] + patterns)
        store.settings.set(info.uuid, EXCLUDE, "\n".join(lines))
    return info, existing is None


def attach_workspace(store: Store, path: bytes, text: str) -> WorkspaceInfo:
    """Bind a known workspace, which was moved or cloned, to the directory `path`."""
    wanted = named_workspace(store, text)
    if not os.path.isdir(path):
        raise UsageError(f"Not a directory: {os.fsdecode(path)!r}")
    bound = store.workspaces.at(path)
    if bound is not None and visible_workspace(store, bound) is not bound:
        raise UsageError(f"A fork is mounted there by `clew enter`: {os.fsdecode(path)!r}")
    store.workspaces.bind(wanted.uuid, path, os.stat(path).st_ino)
    return wanted._replace(path=path, inode=os.stat(path).st_ino)


def named_workspace(store: Store, text: str) -> WorkspaceInfo:
    """Return the workspace of a name, whether or not its directory exists.

    A name is a path, the end of one (`api`, `work/api`), the name of a fork, or a prefix of an id.
    """
    known = store.workspaces.all()
    path = _typed_path(text)
    found = [info for info in known if path is not None and info.path == path]
    name = os.fsencode(text).strip(b"/")
    if not found and name:
        ending = b"/" + name
        found = [
            info
            for info in known
            if info.path.endswith(ending) or _has_id(info, text) or _is_fork(store, info, text)
        ]
    if not found:
        raise UnknownWorkspace(text)
    if len(found) > 1:
        raise AmbiguousWorkspace(text, [_candidate(info) for info in found])
    return found[0]


def _typed_path(text: str) -> bytes | None:
    """Return the path that somebody may have typed, resolved."""
    raw = os.fsencode(text)
    return real_path(raw) if raw and b"\0" not in raw else None


def _has_id(info: WorkspaceInfo, text: str) -> bool:
    return len(text) >= _PREFIX_DIGITS and info.text_id.startswith(text.lower())


def _is_fork(store: Store, info: WorkspaceInfo, text: str) -> bool:
    fork = store.forks.get(info.uuid)
    return fork is not None and fork.name == text


def _candidate(info: WorkspaceInfo) -> str:
    return f"{info.text_id[:8]} {os.fsdecode(info.path) or 'without a directory'}"


def relative_path(info: WorkspaceInfo, text: str, paths_from: bytes | None = None) -> bytes:
    """Return a path relative to the root; it may be relative to another directory.

    The last component is not resolved: if it is a symlink, the symlink itself is meant.
    """
    start = paths_from if paths_from is not None else os.getcwdb()
    path = normal_path(os.path.join(start, os.fsencode(text)))
    if path == info.path or path.startswith(info.path.rstrip(b"/") + b"/"):
        return path[len(info.path.rstrip(b"/")) :].strip(b"/")
    parent = real_path(os.path.dirname(path))
    resolved = os.path.join(parent, os.path.basename(path))
    if resolved == info.path or resolved.startswith(info.path.rstrip(b"/") + b"/"):
        return resolved[len(info.path.rstrip(b"/")) :].strip(b"/")
    raise OutsideWorkspace(text)


def _upward(path: bytes) -> list[bytes]:
    found = [path]
    while path != b"/":
        path = os.path.dirname(path)
        found.append(path)
    return found


def _is_replaced(info: WorkspaceInfo) -> bool:
    try:
        return os.stat(info.path).st_ino != info.inode
    except OSError:
        return False


def _moved(store: Store, path: bytes) -> WorkspaceInfo | None:
    """Return a workspace that is missing from its path and looks like `path` or a parent of it."""
    lost = {info.inode: info for info in store.workspaces.all() if not os.path.isdir(info.path)}
    if not lost:
        return None
    for directory in _upward(path):
        try:
            inode = os.stat(directory).st_ino
        except OSError:
            continue
        if inode in lost and _looks_alike(store, lost[inode], directory):
            return lost[inode]
    return None


def _looks_alike(store: Store, info: WorkspaceInfo, directory: bytes) -> bool:
    """Return whether a directory holds at least half the names that the workspace held.

    An inode number alone proves nothing: it is reused as soon as its directory is deleted.
    """
    here = store.checkpoints.get(info.here) if info.here is not None else None
    if here is None:
        return False
    get = store.objects.get
    top = read_root(here.record.tree, get)
    then = {entry.name for entry in read_directory(top.content, get)}
    now = set(os.listdir(directory))
    return bool(then) and 2 * len(then & now) >= len(then)


def _checked(pattern: str) -> str:
    try:
        check_pattern(os.fsencode(pattern))
    except ValueError as error:
        raise BadOption("--exclude", str(error)) from error
    if "\n" in pattern:
        raise BadOption("--exclude", "a pattern cannot contain a newline")
    return pattern
