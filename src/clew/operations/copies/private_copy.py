"""A private copy of a checkpoint, and work done in it: the copy inside a sandbox.

The work runs in a process of its own, in which the workspace's path shows the copy.  It opens the
store for itself (`as_workspace`): a database connection must not cross a fork.

Without namespaces, the copy is at another path and nothing is isolated; the notes and `where` say
so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Generic, Protocol, TypeVar

from clew.errors import SandboxUnavailable
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.named_tuple import NamedTuple
from clew.model.small_objects import Rules
from clew.model.verdict import Where
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.copies import known_of, throwaway_copy
from clew.operations.copies.isolation import Isolation, announce, hidden_sockets
from clew.operations.host import Host
from clew.operations.recorded_rules import recorded_rules
from clew.store.store import Store
from clew.worktree.cache import WorktreeCache
from clew.worktree.run_command import CommandResult, Watch, run_command
from clew.worktree.sandbox import (
    FullCopy,
    Inside,
    Net,
    OverlayCopy,
    SandboxSpec,
    run_sandboxed,
    why_unavailable,
)

T = TypeVar("T")

_ISOLATED = Isolation()

_AT_ANOTHER_PATH = "No sandbox is available, the copy was at another path"
_NOTHING_PRIVATE = "Processes, network, /tmp and the rest of the disk were not isolated"


class Seen(Protocol):
    """The copy, as the work sees it."""

    @property
    def root(self) -> bytes:
        """The path of its files."""

    def run(
        self, command: Sequence[str], *, timeout: float | None, watch: Watch | None = None
    ) -> CommandResult:
        """Run a command in it; `watch` receives the output, in a process of its own."""

    def serve_and_probe(self, serve: str, url: str, *, timeout: float) -> CommandResult:
        """Start a server in it, and probe a URL until it answers."""

    @property
    def copy(self) -> OverlayCopy | FullCopy:
        """The copy that it shows."""


class Performed(NamedTuple, Generic[T]):
    """The result of work in a copy."""

    result: T
    where: str
    """One of `Where`."""
    net: str
    """The network that it had."""
    notes: tuple[str, ...]
    """What was not isolated, one sentence each."""


def in_private_copy(
    context: Context,
    checkpoint: Checkpoint,
    work: Callable[[Seen], T],
    *,
    isolation: Isolation = _ISOLATED,
    read_only_elsewhere: bool = False,
    monitor: Monitor,
) -> Performed[T]:
    """Run work in a copy of a checkpoint that is discarded afterwards.

    With `read_only_elsewhere` nothing else is writable; if that cannot be guaranteed,
    SandboxUnavailable is raised and nothing is run.  For a whole machine there is no elsewhere: a
    command that is not in the copy would be the live one, so the same holds.
    `work` and its result must be picklable.
    """
    must_be_private = read_only_elsewhere or context.info.machine
    why = why_unavailable()
    if why is None:
        with throwaway_copy(context, checkpoint, monitor) as copy:
            try:
                spec = _sandbox_spec(context, copy, isolation, read_only_elsewhere)
                announce(context, checkpoint, isolation, monitor)
                return _in_sandbox(spec, work)
            except SandboxUnavailable as error:
                if must_be_private:
                    raise
                why = error.reason
    elif must_be_private:
        raise SandboxUnavailable(why)
    with throwaway_copy(context, checkpoint, monitor, whole=True) as copy:
        assert isinstance(copy, FullCopy)
        return _in_plain_copy(copy, work, why, monitor)


def work_in_copy(
    context: Context,
    copy: FullCopy,
    work: Callable[[Seen], T],
    *,
    isolation: Isolation,
    monitor: Monitor,
) -> Performed[T]:
    """Run work in a copy that the caller has made, and removes; see `in_private_copy`."""
    why = why_unavailable()
    if why is None:
        try:
            return _in_sandbox(_sandbox_spec(context, copy, isolation, False), work)
        except SandboxUnavailable as error:
            why = error.reason
    if context.info.machine:
        raise SandboxUnavailable(why)
    return _in_plain_copy(copy, work, why, monitor)


@contextmanager
def as_workspace(context: Context, checkpoint: Checkpoint, seen: Seen) -> Iterator[Context]:
    """Open the copy as a workspace, to be scanned by the rules of its checkpoint.

    The store is opened again, for a forked process.
    """
    store = context.store.open_again()
    try:
        rules = recorded_rules(store, checkpoint.record)
        info = context.info._replace(path=seen.root)
        yield CopyContext(store, info, context.host, rules, seen.copy)
    finally:
        store.close()


class CopyContext(Context):
    """A workspace with the files of a copy and the rules of a checkpoint."""

    def __init__(
        self,
        store: Store,
        info: WorkspaceInfo,
        host: Host,
        rules: Rules,
        copy: OverlayCopy | FullCopy,
    ) -> None:
        super().__init__(store, info, host)
        self._rules = rules
        self._copy = copy

    @property
    def rules(self) -> Rules:
        return self._rules

    def open_cache(self) -> WorktreeCache:
        """Return the scan cache of the copy before it was changed."""
        return known_of(self.store, self._copy, self.root)


class _PrivateCopy:
    """The copy inside its sandbox."""

    def __init__(self, inside: Inside, copy: OverlayCopy | FullCopy) -> None:
        self.root = inside.root
        self.run = inside.run
        self.serve_and_probe = inside.serve_and_probe
        self.copy = copy


class _PlainCopy:
    """The copy as an ordinary directory."""

    def __init__(self, copy: FullCopy) -> None:
        self.root = copy.directory
        self.copy = copy

    def run(
        self, command: Sequence[str], *, timeout: float | None, watch: Watch | None = None
    ) -> CommandResult:
        return run_command(command, self.root, timeout=timeout, watch=watch)

    def serve_and_probe(self, serve: str, url: str, *, timeout: float) -> CommandResult:
        # A live server at that address would answer instead.
        raise SandboxUnavailable(f"a URL can be probed only in a separate network: {url!r}")


def _sandbox_spec(
    context: Context, copy: OverlayCopy | FullCopy, isolation: Isolation, read_only_elsewhere: bool
) -> SandboxSpec:
    is_machine = context.info.machine
    return SandboxSpec(
        b"/" if is_machine else context.root,
        copy,
        machine=context.root if is_machine else None,
        net=isolation.network,
        read_only_elsewhere=read_only_elsewhere,
        store=os.fsencode(context.store.layout.root),
        hidden_sockets=hidden_sockets(context, isolation),
        sockets=isolation.sockets,
    )


def _in_sandbox(spec: SandboxSpec, work: Callable[[Seen], T]) -> Performed[T]:
    result, notes = run_sandboxed(spec, partial(_work_in_copy, work, spec.copy))
    return Performed(result, Where.PRIVATE_COPY, spec.net, notes)


def _in_plain_copy(
    copy: FullCopy, work: Callable[[Seen], T], why: str, monitor: Monitor
) -> Performed[T]:
    monitor.notice(f"Sandbox not available, using a plain copy: {why}")
    notes = (f"{_AT_ANOTHER_PATH}: {why}", _NOTHING_PRIVATE)
    return Performed(work(_PlainCopy(copy)), Where.PLAIN_COPY, Net.HOST, notes)


def _work_in_copy(
    work: Callable[[Seen], T], copy: OverlayCopy | FullCopy, inside: Inside
) -> tuple[T, tuple[str, ...]]:
    return work(_PrivateCopy(inside, copy)), inside.notes
