"""Keeping moments: save, and mending what was said of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.verbs.base import WorkspaceBase
from clew.verbs.events import SAVED, VERIFIED, announced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.operations.sandbox.verify import Check


class Keeping(WorkspaceBase):
    """The verbs that make checkpoints and label them."""

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
        """Capture the workspace, then run `verify`, or with `check` the workspace's own check.

        Words that cost something to find may be given as a function: it is called if needed.

        What it says is stamped on the state and never changes what was captured.
        `timeout` is in seconds, or text like `90s`.
        With `files_only` there is a checkpoint only if files changed; what was said and ticked off
        is kept with the session all the same, and the next checkpoint carries it; with
        `leaves_said` not even that.
        `settle` is called after a change was found, and before what was said is taken.
        """
        from clew.operations.save.commit import SaveOptions, save

        to_run = self._chosen_check(verify, check, timeout)
        if intent is None:
            intent = self._default_intent()
        options = SaveOptions(
            intent=intent if isinstance(intent, str) else "",
            find_intent=intent if callable(intent) else None,
            name=name,
            description=description,
            meta=tuple(sorted((meta or {}).items())),
            skip_unchanged=skip_unchanged,
            files_only=files_only,
            leaves_said=leaves_said,
            origin=origin,
            session=self._session_id(session),
            settle=settle,
        )
        monitor = monitor or self.monitor
        self._notice_other_directory(monitor)
        made_room = self._keep_floor(monitor)
        # Only a person's save continues an interrupted restore: an agent at work must not have its
        # files changed by a hook, which could not even say so.
        if origin != Origin.MANUAL:
            self._notice_interrupted(monitor)
        holding = self._capturing if origin == Origin.MANUAL else self._holding
        with holding(monitor):
            result = save(self._context, options, monitor)
        if made_room is not None:
            result = result._replace(notices=(*result.notices, made_room))
        if origin != Origin.HOOK:  # a hook does not wait; whoever looks first tells it
            result = self._with_story(result, monitor)
        if result.created:
            self.listeners.tell(SAVED, result)
        if to_run is not None:
            from clew.operations.sandbox.verify import verify as run

            found, verdict, notices = run(self._context, result.checkpoint, to_run, monitor)
            notices = (*result.notices, *notices)
            result = result._replace(checkpoint=found, verdict=verdict, notices=notices)
            self.listeners.tell(VERIFIED, result)
        self._back_up()
        if origin != Origin.HOOK and result.created:  # of a hook's, `clew status` and `doctor` tell
            result = self._with_budget_warning(result, monitor)
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
        monitor: Monitor | None = None,
    ) -> Checkpoint:
        """Mend the labels of a checkpoint; None leaves one as it is, and so does a key not named."""
        from clew.operations.save.labels import edit

        with self._reading(monitor):
            return edit(
                self._context, self._resolve(ref, monitor), intent=intent, name=name,
                description=description, pin=pin, meta=meta,
            )  # fmt: skip

    def _chosen_check(
        self, verify: str | None, check: bool, timeout: str | float | None
    ) -> Check | None:
        """Return what a save is to run; what makes no sense is refused before anything is captured."""
        if verify is None and not check and timeout is None:
            return None
        from clew.operations.sandbox.verify import chosen_check

        return chosen_check(self._context, verify, check, timeout)

    def _with_story(self, result: SaveResult, monitor: Monitor) -> SaveResult:
        """Add what happened; a save whose story cannot be told is a save all the same."""
        from clew.operations.history.story import story_of

        try:
            with self._reading(monitor):
                story = story_of(self._context, result.checkpoint)
        except Exception as error:  # noqa: BLE001 - the checkpoint is kept, whatever goes wrong now
            return result._replace(notices=(*result.notices, f"The story was not told: {error}"))
        checkpoint = result.checkpoint._replace(headline=story.headline)
        return result._replace(checkpoint=checkpoint, story=story)

    def _keep_floor(self, monitor: Monitor) -> str | None:
        """Make room where the disk is nearly full, and say what that took; refuse if there is none."""
        from clew.operations.save.min_free import keep_floor

        self._store.require_writable()
        return keep_floor(self._context, monitor)

    def _with_budget_warning(self, result: SaveResult, monitor: Monitor) -> SaveResult:
        """Add what a store over its budget says; nothing about that may spoil a save."""
        from clew.operations.maintenance.budget import is_over_budget

        try:
            if not is_over_budget(self._context):
                return result
            from clew.operations.save.budget_warning import budget_warning

            with self._reading(monitor):
                warning = budget_warning(self._context)
        except (ClewError, OSError):
            return result
        return result._replace(notices=(*result.notices, warning)) if warning else result

    def _default_intent(self) -> str:
        from clew.worktree.git_subject import last_subject

        return last_subject(self.info.path) or ""

    def _back_up(self) -> None:
        from clew.store.backup import backup_if_due

        backup_if_due(self._store)

    def _session_id(self, ref: str | None) -> bytes | None:
        """Return the session that a checkpoint is to carry: None the attached one, empty none."""
        if ref is None:
            return None
        from clew.operations.sessions.sessions import session_id

        return session_id(self._context, ref)
