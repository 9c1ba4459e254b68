"""Looking: everything that reads history and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.model.checkpoint import Checkpoint
from clew.model.results import Blame, Difference, Listing, Log, Told
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase


class Looking(WorkspaceBase):
    """The verbs that look."""

    def resolve(self, ref: str, *, monitor: Monitor | None = None) -> Checkpoint:
        """Return the checkpoint that a reference means."""
        with self._reading(monitor):
            return self._resolve(ref, monitor)

    def good(self, *, monitor: Monitor | None = None) -> Checkpoint:
        """Return the newest checkpoint whose check passes."""
        from clew.operations.history.references import good

        with self._reading(monitor):
            return good(self._context, monitor or self.monitor)

    def show(self, ref: str, *, paths: bool = False, monitor: Monitor | None = None) -> Told:
        """Return one checkpoint in full, with its story; `paths` adds those behind each line."""
        from clew.operations.history.story import told

        with self._reading(monitor):
            return told(self._context, self._look_up(ref, monitor), with_paths=paths)

    def blame(self, thing: str) -> Blame:
        """Return when, and under which intent, a path, package, service, table or port changed."""
        from clew.operations.history.blame import blame

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
        session: str | None = None,
        tasks: bool = False,
    ) -> Log:
        """Return the timeline, newest first; of one session, or with `none` of nobody's.

        With `tasks`, each checkpoint has its task list.
        """
        from clew.operations.history.log import LogOptions, log
        from clew.operations.sessions.sessions import session_id

        relative = self._relative(path) if path is not None else None
        with self._reading():
            wanted = session_id(self._context, session) if session is not None else None
            options = LogOptions(limit, grep, relative, verdict, since, wanted, tasks)
            return log(self._context, options)

    def status(self, *, monitor: Monitor | None = None) -> Difference:
        """Return what changed since *here*, and what that means; say if the store is over its budget."""
        from clew.operations.save.budget_warning import budget_warning

        monitor = monitor or self.monitor
        with self._reading(monitor):
            warning = budget_warning(self._context)
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

        With `story`, what the difference means is told as well.
        """
        within = [self._relative(path) for path in paths]
        with self._reading(monitor):
            old = self._look_up(a, monitor) if a is not None else self._context.here
            new = self._look_up(b, monitor) if b is not None else None
            if story:
                from clew.operations.history.story import told_difference as compare
            else:
                from clew.operations.history.diff import diff as compare
            return compare(self._context, old, new, within, monitor or self.monitor)

    def patch(self, difference: Difference, *, secrets: bool = False) -> Iterator[str]:
        """Yield the text of a difference line by line; with `secrets` exactly as it is."""
        from clew.operations.history.diff import patch

        with self._reading():
            yield from patch(self._context, difference, secrets=secrets)

    def cat(self, ref: str, path: str, *, monitor: Monitor | None = None) -> Iterator[bytes]:
        """Yield the content of a file as a checkpoint holds it."""
        from clew.operations.history.read import cat

        relative = self._relative(path)
        with self._reading(monitor):
            yield from cat(self._context, self._look_up(ref, monitor), relative)

    def conversation(self, ref: str) -> Iterator[bytes]:
        """Yield what was said up to a checkpoint, one JSON value a line, in pieces of any size."""
        from clew.operations.sessions.conversation import content

        with self._reading():
            position = self._look_up(ref).record.position
            yield from content(position.conversation, self._context.store.objects.get)

    def ls(self, ref: str, path: str | None = None, *, monitor: Monitor | None = None) -> Listing:
        """List a directory as a checkpoint holds it, the root by default."""
        from clew.operations.history.read import ls

        relative = self._relative(path) if path else b""
        with self._reading(monitor):
            return ls(self._context, self._look_up(ref, monitor), relative)
