"""A restore as it is requested: by reference and paths, or as a merge that keeps later edits."""

from __future__ import annotations

from collections.abc import Callable

from clew.errors import BadOption, NeedsConfirmation
from clew.model.checkpoint import Checkpoint
from clew.model.failed_call import BeforeFailure
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.operations.access import Access
from clew.operations.context import Context
from clew.operations.restore.path_selection import require_paths, with_units


class RestoreRequest(NamedTuple):
    """What to restore, and how."""

    ref: str | None
    """None with `before_failure`."""
    paths: tuple[str, ...] = ()
    """Only these; everything if there are none."""
    parts: tuple[str, ...] = ()
    """Of files, conversation and tasks; all that apply if there are none."""
    keep_mine: bool = False
    """Merge edits since *here* with the checkpoint instead of overwriting them."""
    favour: str | None = None
    """The side that conflicts of that merge are resolved for."""
    confirm: Callable[[RestorePreview], bool] | None = None
    """Called with the preview before anything is overwritten; None confirms."""
    before_failure: bool = False
    """Restore the checkpoint before the last tool call that failed."""
    session: str | None = None
    """With `before_failure`: the session of the call; any if None."""


def preview(access: Access, request: RestoreRequest, monitor: Monitor) -> RestorePreview:
    """Return what a restore would do; takes its own locks."""
    from clew.operations.restore.preview import preview_restore
    from clew.operations.restore.restore_story import taking_locks

    paths = _selected(access, request)
    with access.reading(monitor) as context:
        target, failure = _target(access, request, monitor)
        if request.keep_mine:
            from clew.operations.forks.merge import preview_merge
            from clew.operations.restore.keep_mine import keeping_mine

            merge = keeping_mine(context, target, paths, request.favour)
            found = preview_merge(context, merge, monitor)._replace(before_failure=failure)
            return taking_locks(access, found, monitor)
        require_paths(context, target, paths)
        within = with_units(context, target, paths)
        found = preview_restore(context, target, within, monitor, request.parts)
        return taking_locks(access, found._replace(before_failure=failure), monitor)


def restore_workspace(access: Access, request: RestoreRequest, monitor: Monitor) -> RestoreResult:
    """Restore; takes its own locks."""
    paths = _selected(access, request)
    access.notice_other_directory(monitor)
    with access.overwriting(monitor) as context:
        target, failure = _target(access, request, monitor)
        confirm = request.confirm
        if confirm is not None and failure is not None:
            request = request._replace(
                confirm=lambda plan: confirm(plan._replace(before_failure=failure))
            )
        try:
            result = _restore(context, target, paths, request, monitor)
        except NeedsConfirmation as error:
            raise NeedsConfirmation(error.preview._replace(before_failure=failure)) from None
        return result._replace(before_failure=failure)


def _restore(
    context: Context,
    target: Checkpoint,
    paths: list[bytes],
    request: RestoreRequest,
    monitor: Monitor,
) -> RestoreResult:
    from clew.operations.restore.restore import RestoreOptions, restore

    if request.keep_mine:
        from clew.operations.forks.merge import merge
        from clew.operations.restore.keep_mine import keeping_mine

        merged = keeping_mine(context, target, paths, request.favour, request.confirm)
        return merge(context, merged, monitor)
    require_paths(context, target, paths)
    within = with_units(context, target, paths)
    options = RestoreOptions(within=within, confirm=request.confirm, parts=request.parts)
    return restore(context, target, options, monitor)


def _target(
    access: Access, request: RestoreRequest, monitor: Monitor
) -> tuple[Checkpoint, BeforeFailure | None]:
    """Return the checkpoint to restore, and the failed call that it precedes."""
    if not request.before_failure:
        if request.session is not None:
            raise BadOption("--session", "requires --before-failure")
        if request.ref is None:
            raise BadOption("REF", "a checkpoint is required")
        return access.resolve(request.ref, monitor), None
    if request.ref is not None:
        raise BadOption("--before-failure", "takes no REF")
    from clew.operations.restore.before_failure import before_failure

    return before_failure(access.context, request.session, monitor)


def _selected(access: Access, request: RestoreRequest) -> list[bytes]:
    """Return the selected paths; refuse options that contradict each other."""
    if request.keep_mine and request.parts:
        raise BadOption("--keep-mine", "cannot be combined with --files, --conversation or --tasks")
    if request.favour is not None and not request.keep_mine:
        raise BadOption(f"--{request.favour}", "requires --keep-mine")
    return [access.relative(path) for path in request.paths]
