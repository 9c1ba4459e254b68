"""The doors of the library: opening a workspace, making one, and checking a store.

A store is looked for where the caller says, else where `$CLEW_HOME` says, else in the user's data
directory; a whole machine's history is kept in `MACHINE_STORE`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.errors import NotAStore, NotAWorkspace
from clew.model.results import CheckResult
from clew.monitor import Monitor
from clew.operations.find import (
    attach_workspace,
    find_workspace,
    make_workspace,
    require_good_root,
)
from clew.store.store import Store
from clew.workspace import Workspace

StrPath = str | os.PathLike[str]

MACHINE_STORE = "/var/lib/clew"


def open(path: StrPath = ".", store: StrPath | None = None, *, create: bool = False) -> Workspace:
    """Open the nearest known workspace at or above `path`.

    With `create`, a directory that is in none becomes one; `$HOME` and `/` do not: see `init`.
    """
    resolved = _resolved(path)
    for candidate in _stores(store):
        try:
            opened = Store.open(candidate)
        except NotAStore:
            continue
        try:
            return Workspace(opened, find_workspace(opened, resolved))
        except NotAWorkspace:
            opened.close()
        except BaseException:
            opened.close()
            raise
    if not create:
        raise NotAWorkspace(os.fsdecode(resolved))
    return _made(resolved, _stores(store)[0], guarded=_guarded())


def init(
    path: StrPath | None = None,
    store: StrPath | None = None,
    *,
    machine: bool = False,
    exclude: Sequence[str] = (),
    attach: str | None = None,
) -> tuple[Workspace, bool]:
    """Make a directory a workspace and tell whether it is new; None is the current directory."""
    resolved = _resolved(path if path is not None else ".")
    guarded = _guarded() if path is None else []
    home = _stores(store)[0] if not machine or store is not None else _machine_store()
    if attach is not None:
        opened = Store.open(home)
        try:
            return Workspace(opened, attach_workspace(opened, resolved, attach)), False
        except BaseException:
            opened.close()
            raise
    workspace = _made(resolved, home, machine=machine, exclude=exclude, guarded=guarded)
    return workspace, workspace.is_new


def store_place(store: StrPath | None = None) -> str:
    """Return where a store is made when nobody says where."""
    return _stores(store)[0]


def require_name(name: str) -> None:
    """Raise `BadName` unless a checkpoint can be named so."""
    from clew.operations.save import require_good_name

    require_good_name(name)


def require_check(verify: str | None, check: bool, timeout: str | None) -> None:
    """Raise `BadOption` unless a save can be told to check so."""
    from clew.operations.verify import require_options

    require_options(verify, check, timeout)


def check_store(
    store: StrPath | None = None,
    *,
    read_data: bool = False,
    rebuild: bool = False,
    monitor: Monitor | None = None,
) -> CheckResult:
    """Check a store, or rebuild its catalogue from its packs, also where no workspace opens."""
    from clew.operations.check import check_root, rebuild_root

    root = next((one for one in _stores(store) if os.path.isdir(one)), _stores(store)[0])
    monitor = monitor or Monitor()
    return rebuild_root(root, monitor) if rebuild else check_root(root, read_data, monitor)


def _made(
    path: bytes,
    store: str,
    *,
    machine: bool = False,
    exclude: Sequence[str] = (),
    guarded: Sequence[bytes] = (),
) -> Workspace:
    require_good_root(path, guarded, exclude)  # before a store is made for nothing
    opened = Store.open(store, create=True)
    try:
        opened.require_writable()
        info, is_new = make_workspace(opened, path, machine=machine, exclude=exclude)
        return Workspace(opened, info, is_new=is_new)
    except BaseException:
        opened.close()
        raise


def _resolved(path: StrPath) -> bytes:
    return os.path.realpath(os.fsencode(path))


def _guarded() -> list[bytes]:
    return [b"/", os.path.realpath(os.fsencode(os.path.expanduser("~")))]


def _stores(store: StrPath | None) -> list[str]:
    """Return where a store may be, the one to make first."""
    if store is not None:
        return [os.fspath(store)]
    named = os.environ.get("CLEW_HOME")
    if named:
        return [named]
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return [os.path.join(data, "clew"), MACHINE_STORE]


def _machine_store() -> str:
    return os.environ.get("CLEW_HOME") or MACHINE_STORE
