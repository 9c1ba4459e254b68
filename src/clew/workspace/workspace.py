"""A workspace: a directory tree and its history, with one method for each command.

`clew.open(path)` returns a `Workspace`.  Every surface works through it, the command line and the
hooks of agents included, so none can do what the others cannot.

Paths are text, absolute or relative to the current directory.  `confirm` is called with the preview
before anything is overwritten; without it, overwriting is confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.operations.access import Access
from clew.operations.host import REAL, Host
from clew.store.store import Store
from clew.workspace.events import PRUNED, RESTORED, SAVED, VERIFIED, Handler, Listeners, announced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import ParamSpec, Self, TypeVar

    from clew.model.bisect_search import BisectResult
    from clew.model.restore_results import InterruptedRestore, RestorePreview, RestoreResult
    from clew.model.results import (
        Blame,
        CheckpointStory,
        DeleteResult,
        Difference,
        Listing,
        Log,
        PruneResult,
    )
    from clew.model.sandbox_results import (
        Command,
        DrillResult,
        Executed,
        TryResult,
        VerifyResult,
    )
    from clew.operations.context import Context
    from clew.workspace.effects import Effects
    from clew.workspace.forks import Forks
    from clew.workspace.sessions import Sessions
    from clew.workspace.settings import Settings
    from clew.workspace.steps import Step
    from clew.workspace.store import WorkspaceStore
    from clew.workspace.tasks import Tasks

    P = ParamSpec("P")
    R = TypeVar("R")

    Confirm = Callable[[RestorePreview], bool]
else:
    Confirm = Callable
"""Called with the preview of a restore; only a true answer confirms it."""


class Workspace:
    """A directory tree and its history."""

    def __init__(
        self, store: Store, info: WorkspaceInfo, *, is_new: bool = False, host: Host = REAL
    ) -> None:
        self._access = Access(store, info, host)
        self._access.on_restored = lambda result: self.listeners.tell(RESTORED, result)
        self.is_new = is_new
        """Whether opening it made it a workspace."""
        self.listeners = Listeners()
        """The handlers of events; see `on`."""

    # The workspace itself

    @property
    def info(self) -> WorkspaceInfo:
        """Its path, its id in the store, and its settings for capture."""
        return self._access.info

    @property
    def monitor(self) -> Monitor:
        """Receives the notices of calls that pass no monitor of their own."""
        return self._access.monitor

    @monitor.setter
    def monitor(self, monitor: Monitor) -> None:
        self._access.monitor = monitor

    @property
    def paths_from(self) -> bytes | None:
        """The directory that relative paths start from; None is the current one."""
        return self._access.paths_from

    @paths_from.setter
    def paths_from(self, directory: bytes | None) -> None:
        self._access.paths_from = directory

    def here(self) -> Checkpoint | None:
        """Return the checkpoint last saved or restored, without its story; None before the first."""
        return self._access.context.here

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` after each `event`; return a function that removes the handler.

        Events are `saved`, `restored`, `pruned`, `verified`, each with the result of the call, and
        `error` with the error that was raised.
        """
        return self.listeners.add(event, handler)

    def close(self) -> None:
        """Close the store; the workspace cannot be used any more."""
        self._access.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Its parts, loaded when used

    @property
    def sessions(self) -> Sessions:
        """The sessions of agents in this workspace."""
        from clew.workspace.sessions import Sessions

        return Sessions(self)

    @property
    def tasks(self) -> Tasks:
        """The task lists of sessions."""
        from clew.workspace.tasks import Tasks

        return Tasks(self._access)

    @property
    def effects(self) -> Effects:
        """Actions on the outside world, which a restore cannot undo."""
        from clew.workspace.effects import Effects

        return Effects(self)

    @property
    def forks(self) -> Forks:
        """Workspaces that were created from a checkpoint of this one."""
        from clew.workspace.forks import Forks

        return Forks(self._access)

    @property
    def settings(self) -> Settings:
        """The settings of this workspace."""
        from clew.workspace.settings import Settings

        return Settings(self._access)

    @property
    def store(self) -> WorkspaceStore:
        """The store of this workspace: its path, size and integrity."""
        from clew.workspace.store import WorkspaceStore

        return WorkspaceStore(self._access)

    # Save

    @announced(None)
    def save(
        self,
        intent: str | Callable[[], str] | None = None,
        *,
        name: str | None = None,
        description: str = "",
        verify: str | None = None,
        check: bool = False,
        timeout: str | float | None = None,
        meta: Mapping[str, str] | None = None,
        skip_unchanged: bool = False,
        files_only: bool = False,
        leaves_said: bool = False,
        origin: str = Origin.MANUAL,
        session: str | None = None,
        settle: Callable[[], None] | None = None,
        monitor: Monitor | None = None,
    ) -> SaveResult:
        """Save a checkpoint, then run `verify`, or with `check` the workspace's own check.

        An `intent` that is expensive to compute may be a function; it is called if it is needed.
        By default it is the subject of the last git commit.
        The verdict is recorded for the state and never changes what was captured.
        `timeout` is in seconds, or text like `90s`.
        With `skip_unchanged` there is a checkpoint only if files or the conversation changed.
        With `files_only` there is a checkpoint only if files changed.  The conversation and tasks
        are stored with the session either way, and the next checkpoint carries them; with
        `leaves_said` they are left for the next save.
        `settle` is called after a change was found, and before the conversation is read.
        The checkpoint belongs to `session`, with `none` to no session, by default to the attached one
        while its agent is at work.
        """
        from clew.operations.save.commit import SaveOptions
        from clew.operations.save.pipeline import save_workspace

        options = SaveOptions(
            intent=intent, name=name, description=description, verify=verify, check=check,
            timeout=timeout, meta=meta, skip_unchanged=skip_unchanged, files_only=files_only,
            leaves_said=leaves_said, origin=origin, session=session, settle=settle,
        )  # fmt: skip
        result = save_workspace(
            self._access, options, monitor or self.monitor,
            on_saved=lambda saved: self.listeners.tell(SAVED, saved),
            on_verified=lambda saved: self.listeners.tell(VERIFIED, saved),
        )  # fmt: skip
        return result._replace(new_workspace=self.is_new and result.new_workspace)

    def edit(
        self,
        ref: str,
        *,
        intent: str | None = None,
        name: str | None = None,
        description: str | None = None,
        pin: bool | None = None,
        meta: Mapping[str, str] | None = None,
        notes: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> Checkpoint:
        """Edit the labels of a checkpoint; None leaves a label unchanged, as does a missing key.

        Notes are appended.  An empty text removes a label, a meta key, or all notes.
        """
        from clew.operations.save.labels import edit

        with self._access.reading(monitor) as context:
            return edit(
                context, self._access.resolve(ref, monitor), intent=intent, name=name,
                description=description, pin=pin, meta=meta, notes=notes,
            )  # fmt: skip

    def step(self, intent: str) -> AbstractContextManager[Step]:
        """Save before and after the block, as two automatic checkpoints."""
        from clew.workspace.steps import step

        return step(self, intent)

    def checkpointed(self, tool: Callable[P, R]) -> Callable[P, R]:
        """Return a function that runs every call of `tool` as a step named after its arguments."""
        from clew.workspace.steps import checkpointed

        return checkpointed(self, tool)

    # Read history

    def resolve(self, ref: str, *, monitor: Monitor | None = None) -> Checkpoint:
        """Return the checkpoint that a reference names."""
        with self._access.reading(monitor):
            return self._access.resolve(ref, monitor)

    def good(self, *, monitor: Monitor | None = None) -> Checkpoint:
        """Return the newest checkpoint whose check passes."""
        from clew.operations.history.references import good

        with self._access.reading(monitor) as context:
            return good(context, monitor or self.monitor)

    def log(
        self,
        *,
        limit: int | None = None,
        grep: str | None = None,
        path: str | Sequence[str] = (),
        verdict: str | None = None,
        since: str | None = None,
        session: str | None = None,
        package: str | None = None,
        failed: bool = False,
        tasks: bool = False,
        branches: bool = False,
    ) -> Log:
        """Return the timeline, newest first; of one `session`, or with `none` of no session.

        `path` is one path or several, of which one must have changed; `failed` keeps what failed.
        With `tasks`, each checkpoint has its task list; with `branches`, the result tells how the
        checkpoints are connected.
        """
        from clew.operations.history.log import LogOptions, log

        paths = [path] if isinstance(path, str) else path
        relative = tuple(map(self._access.relative, paths))
        with self._access.reading() as context:
            wanted = self._access.session_id(session)
            options = LogOptions(
                limit, grep, relative, verdict, since, wanted, package, failed, tasks, branches
            )
            return log(context, options)

    def show(
        self, ref: str, *, paths: bool = False, monitor: Monitor | None = None
    ) -> CheckpointStory:
        """Return one checkpoint in full, with its story; `paths` adds the paths behind each line."""
        from clew.operations.history.story import story_details

        with self._access.reading(monitor) as context:
            return story_details(context, self._access.look_up(ref, monitor), with_paths=paths)

    def status(self, *, monitor: Monitor | None = None) -> Difference:
        """Return what changed since *here*, with its story; report a store over its budget."""
        from clew.operations.save.budget_warning import budget_warning

        monitor = monitor or self.monitor
        with self._access.reading(monitor) as context:
            warning = budget_warning(context)
        if warning is not None:
            monitor.notice(warning)
        return self.diff(story=True, monitor=monitor)

    def diff(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        paths: Sequence[str] = (),
        story: bool = False,
        monitor: Monitor | None = None,
    ) -> Difference:
        """Return how two checkpoints differ; `a` defaults to *here*, `b` to the live workspace.

        With `story`, the result has the story of the difference.
        """
        within = [self._access.relative(path) for path in paths]
        with self._access.reading(monitor) as context:
            old = self._access.look_up(a, monitor) if a is not None else context.here
            new = self._access.look_up(b, monitor) if b is not None else None
            if story:
                from clew.operations.history.story import difference_with_story as compare
            else:
                from clew.operations.history.diff import diff as compare
            return compare(context, old, new, within, monitor or self.monitor)

    def patch(self, difference: Difference, *, reveal: bool = False) -> Iterator[str]:
        """Yield the text of a difference line by line; `secrets` leaves secrets in it."""
        from clew.operations.history.diff import patch

        with self._access.reading() as context:
            yield from patch(context, difference, reveal=reveal)

    def blame(self, subject: str) -> Blame:
        """Return when, and under which intent, a path, package, service, table or port changed."""
        from clew.operations.history.blame import blame

        with self._access.reading() as context:
            return blame(context, subject, self._access.relative)

    def ls(self, ref: str, path: str | None = None, *, monitor: Monitor | None = None) -> Listing:
        """List a directory of a checkpoint, the root by default."""
        from clew.operations.history.read import ls

        relative = self._access.relative(path) if path else b""
        with self._access.reading(monitor) as context:
            return ls(context, self._access.look_up(ref, monitor), relative)

    def cat(self, ref: str, path: str, *, monitor: Monitor | None = None) -> Iterator[bytes]:
        """Yield the content of a file of a checkpoint."""
        from clew.operations.history.read import cat

        relative = self._access.relative(path)
        with self._access.reading(monitor) as context:
            yield from cat(context, self._access.look_up(ref, monitor), relative)

    # Restore

    def preview(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        before_failure: bool = False,
        session: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview:
        """Return what a restore would do."""
        from clew.operations.restore.request import RestoreRequest, preview

        request = RestoreRequest(
            ref, tuple(paths), tuple(parts), keep_mine, favour, None, before_failure, session
        )
        return preview(self._access, request, monitor or self.monitor)

    @announced(RESTORED)
    def restore(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        before_failure: bool = False,
        session: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Make the workspace, or only `paths`, exactly what a checkpoint holds.

        Conversation and tasks of the attached session are restored too; `parts`, of "files",
        "conversation" and "tasks", selects among them.
        With `keep_mine`, edits since *here* are kept: they are merged with the checkpoint.
        `favour`, "ours" or "theirs", resolves the conflicts of that merge.
        With `before_failure` instead of `ref`, it is the checkpoint before the last tool call that
        failed, of `session` if given.
        """
        from clew.operations.restore.request import RestoreRequest, restore_workspace

        request = RestoreRequest(
            ref, tuple(paths), tuple(parts), keep_mine, favour, confirm, before_failure, session
        )
        return restore_workspace(self._access, request, monitor or self.monitor)

    @announced(RESTORED)
    def undo(
        self, steps: int = 1, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Undo the last steps of the trail; unsaved work counts as a step and is rescued."""
        from clew.operations.restore.undo import undo

        monitor = monitor or self.monitor
        with self._access.overwriting(monitor) as context:
            return undo(context, steps, confirm, monitor)

    @announced(RESTORED)
    def redo(
        self, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Redo what the last undo took back."""
        from clew.operations.restore.undo import redo

        monitor = monitor or self.monitor
        with self._access.overwriting(monitor) as context:
            return redo(context, confirm, monitor)

    @announced(RESTORED)
    def continue_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        """Finish an interrupted restore; later changes are left alone and listed."""
        from clew.operations.restore.resume import continue_restore, required

        monitor = monitor or self.monitor
        with self._access.resuming(monitor) as context:
            return required(continue_restore(context, monitor))

    @announced(RESTORED)
    def abort_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        """Revert an interrupted restore; later changes are left alone and listed."""
        from clew.operations.restore.resume import abort_restore, required

        monitor = monitor or self.monitor
        with self._access.resuming(monitor) as context:
            return required(abort_restore(context, monitor))

    def interrupted_restore(self) -> InterruptedRestore | None:
        """Return what is known of a restore that was interrupted; None if there is none."""
        return self._access.interrupted_restore()

    @property
    def continued_restore(self) -> RestoreResult | None:
        """The result of an interrupted restore that a later call had to continue first."""
        return self._access.continued_restore

    # Run commands in private copies; no lock is held while they run

    @announced(VERIFIED)
    def verify(
        self,
        ref: str,
        command: Command | None = None,
        *,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> VerifyResult:
        """Run a check in a private copy of a checkpoint, and record the verdict for its state.

        `command` is text for the shell or a tuple of words; it defaults to the workspace's own
        check.  `network="host"` shares the network, `allow_sockets` are live unix sockets
        that it may use; `serve` starts a server before a URL is probed.
        """
        from clew.operations.copies.isolation import isolation_from
        from clew.operations.sandbox.verify_copy import chosen_check, verify_reference

        self._access.store.require_writable()
        options = chosen_check(
            self._access.context, command, timeout, isolation_from(network, allow_sockets), serve
        )
        return verify_reference(self._access, ref, options, monitor or self.monitor)

    def drill(
        self,
        ref: str | None = None,
        *,
        random: bool = False,
        check: bool = True,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> DrillResult:
        """Prove that a checkpoint can be restored, and record when.

        It is restored to a temporary copy and compared with its record; its check runs there, the
        workspace's own or the command of its verdict.  The default is the newest good checkpoint,
        or a random one if there is none.
        """
        from clew.operations.sandbox.drill import DrillOptions, drill

        options = DrillOptions(ref, random, check, timeout, network, allow_sockets)
        return drill(self._access, options, monitor or self.monitor)

    def last_drill(self) -> Checkpoint | None:
        """Return the checkpoint of the last drill; a failed one until a later drill of it passes."""
        with self._access.reading() as context:
            rows = context.store.drills
            found = rows.latest_failed(context.workspace) or rows.latest(context.workspace)
            return context.store.checkpoints.get(found) if found is not None else None

    def note_verdict(
        self, ref: str, status: str, *, note: str = "", monitor: Monitor | None = None
    ) -> Checkpoint:
        """Record `passing` or `failing` for the state of a checkpoint, without running a check.

        It replaces what was noted before, and counts like a result of the workspace's own check.
        `none` removes it.
        """
        from clew.operations.sandbox.verdicts import note_verdict

        with self._access.reading(monitor) as context:
            return note_verdict(context, self._access.resolve(ref, monitor), status, note)

    def exec(
        self,
        ref: str,
        command: Command,
        *,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        watch: Callable[[bytes], None] | None = None,
        monitor: Monitor | None = None,
    ) -> Executed:
        """Run a command in a private copy of a checkpoint, and return what it changed there.

        Nothing else is writable, and the copy is discarded.
        `watch` receives the output as it is written, in a forked process.
        """
        from clew.operations.copies.isolation import isolation_from
        from clew.operations.sandbox.exec import exec_options, execute

        monitor = monitor or self.monitor
        self._access.store.require_writable()
        options = exec_options(command, timeout, isolation_from(network, allow_sockets), watch)
        with self._access.reading(monitor):
            checkpoint = self._access.look_up(ref, monitor)
        return execute(self._access.context, checkpoint, options, monitor)

    def try_commands(
        self,
        ref: str,
        attempts: Mapping[str, Command],
        *,
        verify: Command | None = None,
        jobs: int | None = None,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> TryResult:
        """Run several commands in parallel, each in its own private copy of one checkpoint.

        Each result becomes a fork, to be compared, adopted or discarded.
        `verify` is run on each result; it defaults to the workspace's own check, if it has one.
        """
        from clew.operations.copies.isolation import isolation_from
        from clew.operations.sandbox.try_commands import try_commands, try_options

        monitor = monitor or self.monitor
        self._access.store.require_writable()
        options = try_options(
            self._access.context,
            attempts,
            verify,
            jobs,
            timeout,
            isolation_from(network, allow_sockets),
        )
        with self._access.reading(monitor):
            base = self._access.look_up(ref, monitor)
        return try_commands(self._access.context, base, options, monitor)

    def bisect(
        self,
        good: str | None = None,
        bad: str | None = None,
        *,
        command: Command | None = None,
        repeat: int = 1,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> BisectResult:
        """Return the first checkpoint on which a check fails, by running it in private copies.

        `bad` defaults to *here*, `good` to the newest before it that is known to pass, else to the
        oldest; `command` to the workspace's own check.
        Known verdicts are used, so the same call continues after an interrupt.
        """
        from clew.operations.copies.isolation import isolation_from
        from clew.operations.sandbox.bisect import bisect_workspace
        from clew.operations.sandbox.verify_copy import chosen_check

        self._access.store.require_writable()
        check = chosen_check(
            self._access.context, command, timeout, isolation_from(network, allow_sockets), serve
        )
        return bisect_workspace(
            self._access, good, bad, check, repeat=repeat, monitor=monitor or self.monitor
        )

    # Maintain the store

    def delete(
        self, refs: Sequence[str], *, purge: bool = False, monitor: Monitor | None = None
    ) -> DeleteResult:
        """Delete checkpoints and free their space; `purge` also erases their bytes."""
        from clew.operations.maintenance.delete import delete

        self._access.store.require_writable()
        with self._access.reading(monitor) as context:
            chosen = [self._access.resolve(ref, monitor).id for ref in refs]
        return delete(context, chosen, purge, monitor or self.monitor)

    @announced(PRUNED)
    def prune(
        self,
        *,
        keep_last: int | None = None,
        keep_within: str | None = None,
        max_bytes: str | int | None = None,
        dry_run: bool = False,
        confirm: Callable[[PruneResult], bool] | None = None,
        monitor: Monitor | None = None,
    ) -> PruneResult:
        """Thin out automatic checkpoints by age, or remove checkpoints beyond a limit.

        Without arguments, and with no limit in the settings, only automatic checkpoints are
        removed.  `keep_last` and `keep_within` are limits for all checkpoints; with `max_bytes`
        more are removed until the store fits, automatic ones first.
        `confirm` is called before a checkpoint of a person is removed; without it, that is allowed.
        """
        from clew.operations.maintenance.prune import prune
        from clew.operations.maintenance.settings import as_bytes, as_duration

        if not dry_run:
            self._access.store.require_writable()
        within = as_duration("--keep-within", keep_within) if keep_within is not None else None
        limit = as_bytes("--max-bytes", max_bytes) if max_bytes is not None else None
        return prune(
            self._access.context, keep_last=keep_last, keep_within=within, max_bytes=limit,
            dry_run=dry_run, confirm=confirm, monitor=monitor or self.monitor,
        )  # fmt: skip

    # For surfaces that use operations of their own

    def reading_context(self, *, monitor: Monitor | None = None) -> AbstractContextManager[Context]:
        """Return the context of operations, with the store held shared inside the block."""
        return self._access.reading(monitor)

    def writing_context(self, *, monitor: Monitor | None = None) -> AbstractContextManager[Context]:
        """Return the same with the workspace held: no other process saves or restores it."""
        return self._access.writing(monitor)
