"""Entry points of the library: open or create a workspace, and check a store.

`places` finds the store.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack

from clew.errors import NotAWorkspace
from clew.model.results import CheckResult
from clew.monitor import Monitor
from clew.operations.find_workspace import (
    attach_workspace,
    make_workspace,
    require_good_root,
)
from clew.operations.host import REAL, Host
from clew.places import (
    StrPath,
    find,
    find_named,
    home,
    machine_store,
    open_stores,
    real_path,
    store_places,
)
from clew.store.store import Store
from clew.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.search_results import SearchResult
    from clew.model.workspace_status import WorkspaceStatus


def open(
    path: StrPath = ".",
    store: StrPath | None = None,
    *,
    create: bool = False,
    host: Host = REAL,
) -> Workspace:
    """Open the nearest workspace at or above `path`.

    With `create`, register `path` if there is none, except for `$HOME` and `/`: see `init`.
    """
    try:
        return Workspace(*find(path, store, host), host=host)
    except NotAWorkspace:
        if not create:
            raise
    place = store_places(store, host)[0]
    return _create(real_path(path), place, guarded=_guarded_roots(host), host=host)


def open_named(name: str, store: StrPath | None = None, *, host: Host = REAL) -> Workspace:
    """Open a workspace by name, from anywhere: a path, the end of one, a fork's name, an id.

    Its directory may be missing; `restore` creates it again.
    Relative paths start in the workspace, unless the current directory is inside it.
    """
    workspace = Workspace(*find_named(name, store, host), host=host)
    root = workspace.info.path
    if not (os.getcwdb() + b"/").startswith(root.rstrip(b"/") + b"/"):
        workspace.paths_from = root
    return workspace


def workspaces(store: StrPath | None = None, *, host: Host = REAL) -> tuple[WorkspaceStatus, ...]:
    """Return all workspaces of a store, of the user and of the machine by default.

    The one with the newest checkpoint is first.  Nothing is scanned.
    """
    from clew.operations.list_workspaces import list_workspaces

    found: list[WorkspaceStatus] = []
    for opened in open_stores(store, host):
        try:
            with opened.locks.shared(Monitor()):
                found += list_workspaces(opened)
        finally:
            opened.close()
    return tuple(sorted(found, key=lambda one: one.last_ns, reverse=True))


def search(
    text: str,
    store: StrPath | None = None,
    *,
    sections: Sequence[str] = (),
    limit: int | None = None,
    host: Host = REAL,
) -> SearchResult:
    """Return the checkpoints of all workspaces in which one text has all words of `text`.

    See `Workspace.search`.
    """
    from clew.operations.context import Context
    from clew.operations.history.search import search as search_all

    with ExitStack() as stack:
        contexts: list[Context] = []
        for opened in open_stores(store, host):
            stack.callback(opened.close)
            stack.enter_context(opened.locks.shared(Monitor()))
            contexts += [Context(opened, info, host) for info in opened.workspaces.all()]
        return search_all(contexts, text, sections=sections, limit=limit)


def init(
    path: StrPath | None = None,
    store: StrPath | None = None,
    *,
    machine: bool = False,
    exclude: Sequence[str] = (),
    attach: str | None = None,
    host: Host = REAL,
) -> tuple[Workspace, bool]:
    """Register a directory (default: the current one) and return whether the workspace is new."""
    resolved = real_path(path if path is not None else ".")
    guarded = _guarded_roots(host) if path is None else []
    is_named = not machine or store is not None
    home = store_places(store, host)[0] if is_named else machine_store(host)
    if attach is not None:
        opened = Store.open(home, now_ns=host.now_ns, limits=host.store_limits)
        try:
            with opened.locks.shared(Monitor()):
                info = attach_workspace(opened, resolved, attach)
            return Workspace(opened, info, host=host), False
        except BaseException:
            opened.close()
            raise
    workspace = _create(
        resolved, home, machine=machine, exclude=exclude, guarded=guarded, host=host
    )
    return workspace, workspace.is_new


def store_place(store: StrPath | None = None) -> str:
    """Return the path where a store is created by default."""
    return store_places(store)[0]


def require_name(name: str) -> None:
    """Raise `BadName` unless `name` is a valid checkpoint name."""
    from clew.operations.save.commit import require_good_name

    require_good_name(name)


def require_check(verify: str | None, check: bool, timeout: str | None) -> None:
    """Raise `BadOption` unless the check options of a save are valid."""
    from clew.operations.sandbox.verify import require_options

    require_options(verify, check, timeout)


def check_store(
    store: StrPath | None = None,
    *,
    read_data: bool = False,
    rebuild: bool = False,
    monitor: Monitor | None = None,
) -> CheckResult:
    """Check a store, or rebuild its catalogue from its packs, even if no workspace can be opened."""
    from clew.operations.maintenance.check import check_root, rebuild_root

    root = next((one for one in store_places(store) if os.path.isdir(one)), store_places(store)[0])
    monitor = monitor or Monitor()
    return rebuild_root(root, monitor) if rebuild else check_root(root, read_data, monitor)


def _create(
    path: bytes,
    store: str,
    *,
    machine: bool = False,
    exclude: Sequence[str] = (),
    guarded: Sequence[bytes] = (),
    host: Host = REAL,
) -> Workspace:
    require_good_root(path, guarded, exclude)  # before a store is created
    opened = Store.open(store, create=True, now_ns=host.now_ns, limits=host.store_limits)
    try:
        opened.require_writable()
        with opened.locks.shared(Monitor()):  # a concurrent rebuild would miss it
            info, is_new = make_workspace(opened, path, machine=machine, exclude=exclude)
        return Workspace(opened, info, is_new=is_new, host=host)
    except BaseException:
        opened.close()
        raise


def _guarded_roots(host: Host) -> list[bytes]:
    return [b"/", real_path(home(host))]
