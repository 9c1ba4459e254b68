"""Isolation of a command in a copy: which live services it may reach, and how the copy differs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.sandbox.coverage_notes import missing_paths
from clew.render.safe import safe_path
from clew.worktree.live_sockets import live_sockets
from clew.worktree.namespaces import may_administer
from clew.worktree.sandbox import Net, why_unavailable


class Isolation(NamedTuple):
    """Live services that a command may reach."""

    network: str = Net.OWN
    """One of `Net`."""
    sockets: tuple[bytes, ...] = ()
    """Unix sockets, by absolute path."""


def isolation_from(network: str | None, allow_sockets: Sequence[str]) -> Isolation:
    """Return the isolation for two options; refuse a value that cannot be granted."""
    if network not in (None, Net.OWN, Net.HOST):
        raise BadOption("--network", f"must be {Net.OWN} or {Net.HOST}: {network!r}")
    return Isolation(network or Net.OWN, tuple(_socket(path) for path in allow_sockets))


def _socket(path: str) -> bytes:
    if path.startswith("@"):
        raise BadOption("--allow-socket", f"an abstract socket requires --network host: {path!r}")
    real = os.path.realpath(os.fsencode(path))
    try:
        is_socket = stat.S_ISSOCK(os.stat(real).st_mode)
    except OSError as error:
        raise BadOption("--allow-socket", f"{error.strerror}: {path!r}") from error
    if not is_socket:
        raise BadOption("--allow-socket", f"is not a unix socket: {path!r}")
    return real


def hidden_sockets(context: Context, isolation: Isolation) -> tuple[bytes, ...]:
    """Return the live unix sockets that a command must not reach."""
    return tuple(sorted(live_sockets(context.host.environ) - set(isolation.sockets)))


def announce(
    context: Context, checkpoint: Checkpoint, isolation: Isolation, monitor: Monitor
) -> None:
    """Say in one line how a command in a copy will find things different from a live one."""
    if why_unavailable() is None:  # a plain copy has its own notice
        differences = _differences(context, checkpoint, isolation)
        monitor.notice("Different in the copy: " + "; ".join(differences))


def _differences(context: Context, checkpoint: Checkpoint, isolation: Isolation) -> Iterator[str]:
    services = ["TCP services"] if isolation.network == Net.OWN else []
    if hidden_sockets(context, isolation):
        services.append("unix sockets")
    if services:
        yield f"no live {' or '.join(services)}"
    yield "inode and device numbers, change times, the filesystem and its free space"
    if not may_administer():
        yield "other users' files belong to nobody"
    repository = _repository_above(context.root)
    if repository:
        yield f"git's index is the live one in {safe_path(repository)}"
    missing = missing_paths(checkpoint.record.coverage)
    if missing:
        yield f"without {missing}"


def _repository_above(root: bytes) -> bytes:
    """Return the git repository around a workspace that is not one itself; empty if there is none."""
    at = root
    while not os.path.lexists(os.path.join(at, b".git")):
        above = os.path.dirname(at)
        if above == at:
            return b""
        at = above
    return at if at != root else b""
