"""The library: a workspace and its verbs.

`clew.open(path)` gives a `Workspace`; every surface, the command line included, works through it,
so none has a power that the others lack.

Paths given to the verbs are text, absolute or relative to the current directory.
`confirm` is asked, with the preview, before anything is overwritten; without it the answer is yes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.record import Origin
from clew.model.restoring import RestorePreview, RestoreResult
from clew.model.results import (
    Blame,
    CheckResult,
    DeleteResult,
    Difference,
    GcResult,
    Listing,
    Log,
    PruneResult,
    SaveResult,
    Stats,
    Told,
)
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.find import relative_path
from clew.store.store import Store

Confirm = Callable[[RestorePreview], bool]


class Workspace:
    """A directory tree and its history."""

    def __init__(self, store: Store, info: WorkspaceInfo, *, is_new: bool = False) -> None:
        self._store = store
        self._context = Context(store, info)
        self.is_new = is_new
        """Whether opening it made it a workspace."""

    @property
    def info(self) -> WorkspaceInfo:
        """Where it is, and what the store calls it."""
        return self._context.info

    @property
    def store_path(self) -> str:
        """The directory that keeps its history."""
        return self._store.layout.root

    def close(self) -> None:
        """Let go of the store; the workspace cannot be used any more."""
        self._store.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Saving

    def save(
        self,
        intent: str | None = None,
        *,
        name: str | None = None,
        description: str = "",
        verify: str | None = None,
        meta: Mapping[str, str] | None = None,
        skip_unchanged: bool = False,
        origin: str = Origin.MANUAL,
        monitor: Monitor | None = None,
    ) -> SaveResult:
        """Capture the workspace, then run `verify` if given and stamp the checkpoint with it."""
        from clew.operations.save import SaveOptions, save

        options = SaveOptions(
            intent=intent if intent is not None else self._default_intent(),
            name=name,
            description=description,
            meta=tuple(sorted((meta or {}).items())),
            skip_unchanged=skip_unchanged,
            origin=origin,
        )
        monitor = monitor or Monitor()
        self._notice_other_directory(monitor)
        with self._locked(monitor):
            result = save(self._context, options, monitor)
        if origin != Origin.HOOK:  # a hook does not wait; whoever looks first tells it
            result = self._with_story(result, monitor)
        if verify is not None:
            from clew.operations.verify import verify as run

            checkpoint = run(self._context, result.checkpoint, verify, monitor)
            checkpoint = checkpoint._replace(headline=result.checkpoint.headline)
            result = result._replace(checkpoint=checkpoint)
        self._back_up()
        return result._replace(new_workspace=self.is_new and result.new_workspace)

    def edit(
        self,
        ref: str,
        *,
        intent: str | None = None,
        name: str | None = None,
        description: str | None = None,
        pin: bool | None = None,
    ) -> Checkpoint:
        """Mend the labels of a checkpoint; None leaves one as it is."""
        from clew.operations.edit import edit

        with self._reading():
            return edit(
                self._context, self._resolve(ref), intent=intent, name=name,
                description=description, pin=pin,
            )  # fmt: skip

    # Looking

    def resolve(self, ref: str, *, monitor: Monitor | None = None) -> Checkpoint:
        """Return the checkpoint that a reference means."""
        with self._reading(monitor):
            return self._resolve(ref, monitor)

    def show(self, ref: str, *, paths: bool = False) -> Told:
        """Return one checkpoint in full, with its story; `paths` adds those behind each line."""
        from clew.operations.story import told

        with self._reading():
            return told(self._context, self._resolve(ref), with_paths=paths)

    def blame(self, thing: str) -> Blame:
        """Return when, and under which intent, a path, package, service, table or port changed."""
        from clew.operations.blame import blame

        with self._reading():
            return blame(self._context, thing, self._relative)

    def log(
        self,
        *,
        limit: int | None = None,
        grep: str | None = None,
        path: str | None = None,
        verdict: str | None = None,
        since: str | None = None,
    ) -> Log:
        """Return the timeline, newest first."""
        from clew.operations.log import LogOptions, log

        relative = self._relative(path) if path is not None else None
        with self._reading():
            return log(self._context, LogOptions(limit, grep, relative, verdict, since))

    def status(self, *, monitor: Monitor | None = None) -> Difference:
        """Return what changed since *here*, and what that means."""
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

        With `story`, what the difference means is told as well.
        """
        within = [self._relative(path) for path in paths]
        with self._reading(monitor):
            old = self._resolve(a, monitor) if a is not None else self._context.here
            new = self._resolve(b, monitor) if b is not None else None
            if story:
                from clew.operations.story import told_difference as compare
            else:
                from clew.operations.diff import diff as compare
            return compare(self._context, old, new, within, monitor or Monitor())

    def patch(self, difference: Difference, *, secrets: bool = False) -> Iterator[str]:
        """Yield the text of a difference line by line; with `secrets` exactly as it is."""
        from clew.operations.diff import patch

        with self._reading():
            yield from patch(self._context, difference, secrets=secrets)

    def cat(self, ref: str, path: str) -> Iterator[bytes]:
        """Yield the content of a file as a checkpoint holds it."""
        from clew.operations.read import cat

        relative = self._relative(path)
        with self._reading():
            yield from cat(self._context, self._resolve(ref), relative)

    def ls(self, ref: str, path: str | None = None) -> Listing:
        """List a directory as a checkpoint holds it, the root by default."""
        from clew.operations.read import ls

        relative = self._relative(path) if path else b""
        with self._reading():
            return ls(self._context, self._resolve(ref), relative)

    # Going back

    def preview(
        self, ref: str, *, paths: Sequence[str] = (), monitor: Monitor | None = None
    ) -> RestorePreview:
        """Say what a restore would do."""
        from clew.operations.chosen import require_paths, with_units
        from clew.operations.preview import preview_restore

        chosen = [self._relative(path) for path in paths]
        with self._reading(monitor):
            target = self._resolve(ref, monitor)
            require_paths(self._context, target, chosen)
            within = with_units(self._context, target, chosen)
            return preview_restore(self._context, target, within, monitor or Monitor())

    def restore(
        self,
        ref: str,
        *,
        paths: Sequence[str] = (),
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult:
        """Make the workspace, or only `paths`, exactly what a checkpoint holds."""
        from clew.operations.chosen import require_paths, with_units
        from clew.operations.restore import RestoreOptions, restore

        monitor = monitor or Monitor()
        chosen = [self._relative(path) for path in paths]
        self._notice_other_directory(monitor)
        with self._locked(monitor):
            target = self._resolve(ref, monitor)
            require_paths(self._context, target, chosen)
            options = RestoreOptions(
                within=with_units(self._context, target, chosen), confirm=confirm
            )
            return restore(self._context, target, options, monitor)

    def undo(
        self, steps: int = 1, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Step back along the trail; unsaved work counts as a step and is rescued."""
        from clew.operations.undo import undo

        monitor = monitor or Monitor()
        with self._locked(monitor):
            return undo(self._context, steps, confirm, monitor)

    def redo(
        self, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        """Step forward again after an undo."""
        from clew.operations.undo import redo

        monitor = monitor or Monitor()
        with self._locked(monitor):
            return redo(self._context, confirm, monitor)

    # Upkeep

    def delete(
        self, refs: Sequence[str], *, purge: bool = False, monitor: Monitor | None = None
    ) -> DeleteResult:
        """Delete checkpoints and free their space; `purge` removes their bytes for good."""
        from clew.operations.delete import delete

        self._store.require_writable()
        with self._reading(monitor):
            chosen = [self._resolve(ref, monitor).id for ref in refs]
        return delete(self._context, chosen, purge, monitor or Monitor())

    def prune(
        self,
        *,
        keep_last: int | None = None,
        keep_within: str | None = None,
        max_bytes: str | int | None = None,
        dry_run: bool = False,
        monitor: Monitor | None = None,
    ) -> PruneResult:
        """Remove automatic checkpoints that the retention rules do not keep."""
        from clew.operations.prune import prune
        from clew.operations.settings import as_bytes, as_duration

        if not dry_run:
            self._store.require_writable()
        within = as_duration("--keep-within", keep_within) if keep_within is not None else None
        limit = as_bytes("--max-bytes", max_bytes) if max_bytes is not None else None
        return prune(
            self._context, keep_last=keep_last, keep_within=within, max_bytes=limit,
            dry_run=dry_run, monitor=monitor or Monitor(),
        )  # fmt: skip

    def is_prune_due(self) -> bool:
        """Tell whether the store has outgrown its rules; a save never prunes by itself."""
        from clew.operations.prune import is_due

        return is_due(self._context)

    def prune_in_background(self) -> None:
        """Start a prune by the rules in force, in a process that nobody waits for."""
        command = [sys.executable, "-m", "clew", "-C", os.fsdecode(self.info.path)]
        command += ["--store", self.store_path, "prune"]
        # The shell leaves at once and leaves the prune to init: no zombie, no terminal.
        script = 'exec </dev/null >/dev/null 2>&1; "$@" &'
        shell = ["/bin/sh", "-c", script, "sh", *command]
        pid = os.posix_spawn("/bin/sh", shell, os.environ, setsid=True)
        os.waitpid(pid, 0)

    def gc(self, *, monitor: Monitor | None = None) -> GcResult:
        """Free what no checkpoint needs any more."""
        from clew.operations.gc import collect

        self._store.require_writable()
        return collect(self._context, monitor or Monitor())

    def check(self, *, read_data: bool = False, monitor: Monitor | None = None) -> CheckResult:
        """Tell whether the store is whole; `read_data` reads every byte."""
        from clew.operations.check import check

        return check(self._context, read_data, monitor or Monitor())

    def stats(self) -> Stats:
        """Tell what history costs."""
        from clew.operations.stats import stats

        return stats(self._context)

    def config(self) -> dict[str, str]:
        """Return the settings in force, defaults included."""
        from clew.operations.settings import in_force

        return in_force(self._context)

    def set_config(self, key: str, value: str) -> None:
        """Change a setting of this workspace."""
        from clew.operations.settings import change

        change(self._context, key, value)

    def unset_config(self, key: str) -> None:
        """Go back to a setting's default."""
        from clew.operations.settings import change

        change(self._context, key, None)

    # Behind the verbs

    def _resolve(self, ref: str, monitor: Monitor | None = None) -> Checkpoint:
        from clew.operations.resolve import resolve

        return resolve(self._context, ref, monitor or Monitor())

    def _relative(self, path: str) -> bytes:
        return relative_path(self.info, path)

    def _with_story(self, result: SaveResult, monitor: Monitor) -> SaveResult:
        """Add what happened; a save whose story cannot be told is a save all the same."""
        from clew.operations.story import story_of

        try:
            with self._reading(monitor):
                story = story_of(self._context, result.checkpoint)
        except Exception as error:  # noqa: BLE001 - the checkpoint is kept, whatever goes wrong now
            return result._replace(notices=(*result.notices, f"The story was not told: {error}"))
        checkpoint = result.checkpoint._replace(headline=story.headline)
        return result._replace(checkpoint=checkpoint, story=story)

    def _default_intent(self) -> str:
        from clew.worktree.git_subject import last_subject

        return last_subject(self.info.path) or ""

    def _notice_other_directory(self, monitor: Monitor) -> None:
        """Say so when the directory at the workspace's path is not the one it was bound to."""
        try:
            inode = os.stat(self.info.path).st_ino
        except OSError:
            return
        if inode != self.info.inode:
            if self._context.here is not None:
                monitor.notice("This directory was replaced since it was last saved")
            self._store.workspaces.bind(self.info.uuid, self.info.path, inode)
            self._context.info = self.info._replace(inode=inode)

    @contextmanager
    def _reading(self, monitor: Monitor | None = None) -> Iterator[None]:
        monitor = monitor or Monitor()
        self._finish_purge(monitor)
        if self._store.writable and self._store.journal.unfinished(self.info.uuid) is not None:
            try:
                with self._locked(monitor):
                    pass
            except (ClewError, OSError) as error:  # looking must be possible all the same
                monitor.notice(f"A restore that was cut short cannot be finished yet: {error}")
        with self._store.locks.shared(monitor):
            yield

    @contextmanager
    def _locked(self, monitor: Monitor) -> Iterator[None]:
        """Hold the workspace, with whatever was cut short finished first."""
        self._store.require_writable()
        self._finish_purge(monitor)
        with (
            self._store.locks.workspace(self.info.uuid, monitor),
            self._store.locks.shared(monitor),
        ):
            unfinished = self._store.journal.unfinished(self.info.uuid)
            if unfinished is not None:
                from clew.operations.finish import finish_restore

                finish_restore(self._context, unfinished, monitor)
            yield

    def _finish_purge(self, monitor: Monitor) -> None:
        """Remove the bytes of a purge that was cut short, before anybody holds a lock."""
        if self._store.writable and self._store.is_purge_unfinished:
            from clew.store.purge import finish_purge

            finish_purge(self._store, monitor)

    def _back_up(self) -> None:
        from clew.store.backup import backup_if_due

        backup_if_due(self._store)
