"""Isolation of a command in a copy: which live services it may reach, and how the copy differs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.operations.sandbox.coverage_notes import missing_paths
from clew.render.safe import safe_path
from clew.worktree.sandbox import Net, SandboxSpec


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


def announcement(spec: SandboxSpec, checkpoint: Checkpoint, *, is_ordinary: bool) -> str:
    """Return in one line how a command in a copy will find things different from a live one."""
    return "Different in the copy: " + "; ".join(_differences(spec, checkpoint, is_ordinary))


def _differences(spec: SandboxSpec, checkpoint: Checkpoint, is_ordinary: bool) -> Iterator[str]:
    services = ["TCP services"] if spec.net == Net.OWN else []
    if spec.hidden_sockets:
        services.append("unix sockets")
    if services:
        yield f"no live {' or '.join(services)}"
    yield "inode and device numbers, change times, the filesystem and its free space"
    if is_ordinary:
        yield "other users' files belong to nobody"
    repository = _repository_above(spec.path)
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
