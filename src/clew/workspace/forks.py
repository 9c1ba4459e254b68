"""Forks, workspaces that were created from a checkpoint: `ws.forks`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.errors import BadOption
from clew.filenames import as_argument
from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.model.sandbox_results import Comparison
from clew.monitor import Monitor
from clew.operations.access import Access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from clew.model.sandbox_results import Command
    from clew.workspace.workspace import Confirm


class Forks:
    """Creates, enters, lists, compares, adopts and discards forks."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def create(
        self,
        ref: str,
        directory: str | None = None,
        *,
        name: str | None = None,
        conversation: bool = False,
        monitor: Monitor | None = None,
    ) -> ForkResult:
        """Create a workspace from a checkpoint, in `directory` or in the store.

        With `conversation` it has a session of its own, with the conversation and tasks of the
        checkpoint, so that an agent can continue in it.
        `fork:NAME` writes the directory of a fork that has none, as those of `try_commands`.
        """
        from clew.operations.forks.fork import fork, write_fork_directory
        from clew.operations.forks.references import FORK, fork_named
        from clew.store.backup import backup_if_due

        monitor = monitor or self._access.monitor
        self._access.store.require_writable()
        with self._access.reading(monitor) as context:
            if ref.startswith(FORK) and (named := fork_named(context, ref)) is not None:
                if name is not None or conversation:
                    option = "--name" if name is not None else "--conversation"
                    raise BadOption(option, "not possible for a fork that exists")
                return write_fork_directory(context, named, directory, monitor)
            base = self._access.resolve(ref, monitor)
            result = fork(context, base, directory, name, monitor, conversation=conversation)
        backup_if_due(self._access.store)
        return result

    def list(self) -> tuple[ForkStatus, ...]:
        """Return the forks of this workspace, newest first, each with its progress."""
        from clew.operations.forks.directories import sweep_directories
        from clew.operations.forks.list_forks import list_forks

        if self._access.store.writable:
            sweep_directories(self._access.store)
        with self._access.reading() as context:
            return tuple(list_forks(context))

    def find(self, fork: str) -> ForkStatus:
        """Return one fork, by name, directory or the first digits of its id."""
        from clew.operations.forks.list_forks import find_fork, fork_status

        with self._access.reading() as context:
            return fork_status(context, find_fork(context, fork))

    def enter(
        self,
        fork: str | None = None,
        command: Command | None = None,
        *,
        directory: str = ".",
        monitor: Monitor | None = None,
    ) -> NoReturn:
        """Replace this process with a command, or a shell, that sees a fork at the workspace's path.

        Without a name it is the fork that this workspace is.  The command starts in the place of
        `directory`.
        """
        from clew.model.sandbox_results import SHELL, words_of
        from clew.operations.find_workspace import FORK_VARIABLE
        from clew.operations.forks.enter import fork_to_enter, view_of
        from clew.places import real_path, store_places
        from clew.worktree.enter import become

        context, host = self._access.context, self._access.context.host
        found = fork_to_enter(context, fork)
        view = view_of(context, found, os.fsencode(os.path.abspath(directory)))
        environment = {**host.environ, FORK_VARIABLE: found.name.encode()}
        if b"CLEW_HOME" in environment or view.store not in map(
            real_path, store_places(None, host)
        ):
            environment[b"CLEW_HOME"] = view.store  # it was an option, or may be a relative path
        words = words_of(command) if command else (environment.get(b"SHELL") or SHELL.encode(),)
        if not command:
            where = as_argument(view.paths[0])
            (monitor or self._access.monitor).notice(
                f"In the fork {found.name}: {where} is its directory until you exit this shell"
            )
        self._access.store.close()
        become(words, view, environment)

    def compare(self, refs: Sequence[str], *, monitor: Monitor | None = None) -> Comparison:
        """Compare forks or checkpoints, each described from their common ancestor."""
        from clew.operations.forks.compare import compare_states
        from clew.operations.forks.references import resolve_state

        monitor = monitor or self._access.monitor
        asked = [resolve_state(self._access.context, ref, monitor) for ref in refs]
        with self._access.reading(monitor) as context:
            return compare_states(context, asked, monitor)

    def adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Merge what a fork changed, all of it or only `paths`, into the live workspace.

        Text is merged by hunks.  With conflicts nothing is changed, unless `favour`, "ours" or
        "theirs", resolves them.
        """
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import merge

        monitor = monitor or self._access.monitor
        chosen = [self._access.relative(path) for path in paths]
        self._access.notice_other_directory(monitor)
        with self._access.overwriting(monitor) as context:
            request = adopting(context, fork, chosen, favour, monitor)
            return merge(context, request._replace(confirm=confirm), monitor)

    def preview_adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview:
        """Return what adopting a fork would do, conflicts included."""
        from clew.operations.forks.adopt import adopting
        from clew.operations.forks.merge import preview_merge
        from clew.operations.restore.restore_story import taking_locks

        monitor = monitor or self._access.monitor
        chosen = [self._access.relative(path) for path in paths]
        with self._access.reading(monitor) as context:
            request = adopting(context, fork, chosen, favour, monitor)
            return taking_locks(self._access, preview_merge(context, request, monitor), monitor)

    def discard(
        self, fork: str, *, files: bool = False, force: bool = False, monitor: Monitor | None = None
    ) -> DiscardResult:
        """Delete a fork and its history; one with changes only with `force`.

        Its directory is deleted too if it is in the store, or with `files`.
        """
        from clew.operations.forks.discard import discard_fork
        from clew.operations.forks.list_forks import find_fork

        monitor = monitor or self._access.monitor
        self._access.store.require_writable()
        self._access.finish_purge(monitor)
        found = find_fork(self._access.context, fork)
        return discard_fork(self._access.context, found, monitor, files=files, force=force)
