"""Store locations, and the search for the workspace of a path.

The store is at the path the caller gives, else at `$CLEW_HOME`, else in the user's data directory; the
history of a whole machine is in `Host.machine_store`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from clew import filenames
from clew.errors import NotAStore, NotAWorkspace, StoreError, UnknownWorkspace
from clew.model.checkpoint import WorkspaceInfo
from clew.operations.find_workspace import FORK_VARIABLE, find_workspace, named_workspace
from clew.operations.host import REAL, Host
from clew.store.layout import Layout
from clew.store.store import Store

StrPath = str | os.PathLike[str]


def find(
    path: StrPath, store: StrPath | None = None, host: Host = REAL
) -> tuple[Store, WorkspaceInfo]:
    """Open the store with the nearest workspace at or above `path`; raise `NotAWorkspace` if none.

    Raise `NotAStore` if the store was chosen, and its directory has other content.
    """
    resolved = real_path(path)
    places = store_places(store, host)
    for candidate in places:
        try:
            opened = Store.open(candidate, now_ns=host.now_ns, limits=host.store_limits)
        except NotAStore:
            if len(places) == 1 and not Layout(candidate).is_vacant():
                raise
            continue
        try:
            entered = host.environ.get(FORK_VARIABLE, b"")
            return opened, find_workspace(opened, resolved, entered)
        except NotAWorkspace:
            opened.close()
        except BaseException:
            opened.close()
            raise
    raise NotAWorkspace(os.fsdecode(resolved))


def find_named(
    name: str, store: StrPath | None = None, host: Host = REAL
) -> tuple[Store, WorkspaceInfo]:
    """Open the store with the workspace of a name, whose directory need not exist.

    Raise `UnknownWorkspace` if there is none.
    """
    for opened in open_stores(store, host):
        try:
            return opened, named_workspace(opened, name)
        except UnknownWorkspace:
            opened.close()
        except BaseException:
            opened.close()
            raise
    raise UnknownWorkspace(name)


def open_stores(store: StrPath | None = None, host: Host = REAL) -> Iterator[Store]:
    """Yield each store that there is, open; the caller closes it.

    Raise `NotAStore` if the store was chosen, and its directory has other content.
    """
    places = store_places(store, host)
    for candidate in places:
        try:
            opened = Store.open(candidate, now_ns=host.now_ns, limits=host.store_limits)
        except NotAStore:
            if len(places) == 1 and not Layout(candidate).is_vacant():
                raise
            continue
        except StoreError:
            if candidate == places[0]:
                raise
            continue  # the store of the machine, which only root can read
        yield opened


def store_places(store: StrPath | None = None, host: Host = REAL) -> list[str]:
    """Return the candidate paths of a store, the one to create first."""
    if store is not None:
        return [os.fspath(store)]
    named = _variable(host, b"CLEW_HOME")
    if named:
        return [named]
    data = _variable(host, b"XDG_DATA_HOME") or ""
    if not data.startswith("/"):  # a relative path would mean a different store in each directory
        data = os.path.join(home(host), ".local/share")
    return [os.path.join(data, "clew"), host.machine_store]


def machine_store(host: Host = REAL) -> str:
    """Return the path of the store for a whole machine."""
    return _variable(host, b"CLEW_HOME") or host.machine_store


def home(host: Host = REAL) -> str:
    """Return the home directory of the user."""
    return _variable(host, b"HOME") or os.path.expanduser("~")


def _variable(host: Host, name: bytes) -> str:
    """Return a path from the environment; the locale's codec may not round-trip its bytes."""
    return filenames.as_argument(host.environ.get(name, b""))


def real_path(path: StrPath) -> bytes:
    """Return a path resolved as workspace roots are stored."""
    return filenames.real_path(os.fsencode(path))
