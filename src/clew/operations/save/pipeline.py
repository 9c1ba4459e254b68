"""The whole save: free space, capture and commit, story, check, backup, budget, prune, stories.

The checkpoint exists when `commit.save` returns.  Every step after it is best effort: a failure is
a notice on the result, never a failed save.
"""

from __future__ import annotations

from clew.errors import ClewError
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.operations.access import Access
from clew.operations.save.commit import GitSubject, SaveOptions, save
from clew.store.backup import backup_if_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.operations.sandbox.verify import Check

    Observer = Callable[[SaveResult], None]


def save_workspace(
    access: Access,
    options: SaveOptions,
    monitor: Monitor,
    *,
    on_saved: Observer | None = None,
    on_verified: Observer | None = None,
) -> SaveResult:
    """Save the workspace and run its check if there is one; takes its own locks."""
    is_hook = options.origin == Origin.HOOK
    check, session = _check(access, options), access.session_id(options.session)
    unreadable = None
    if options.intent is None:
        options, unreadable = _with_subject(access, options)
    access.notice_other_directory(monitor)
    freed = _keep_min_free(access, monitor)
    result = _committed(access, options, session, monitor)
    result = _with_notice(result, freed)
    if result.created:
        result = _with_notice(result, unreadable)
    if not is_hook:  # a hook does not wait: a background process derives the story
        result = _with_story(access, result, monitor)
    if result.created and on_saved is not None:
        on_saved(result)
    if check is not None:
        result = _with_verdict(access, result, check, monitor)
        if on_verified is not None:
            on_verified(result)
    backup_if_due(access.store)
    if result.created and not is_hook:  # for hooks, `clew status` and `clew doctor` report it
        result = _with_budget_warning(access, result, monitor)
    if result.created:
        _prune_if_due(access, result)
        _start_stories(access, result)
        _start_drill(access)
    return result


def _check(access: Access, options: SaveOptions) -> Check | None:
    if options.verify is None and not options.check and options.timeout is None:
        return None
    from clew.operations.sandbox.verify import chosen_check

    return chosen_check(access.context, options.verify, options.check, options.timeout)


def _with_subject(access: Access, options: SaveOptions) -> tuple[SaveOptions, str | None]:
    """Return the options with the subject of the last git commit as the intent, and a notice."""
    from clew.worktree.git_subject import read_subject

    subject, problem = read_subject(access.info.path)
    options = options._replace(intent=GitSubject(subject))
    return options, f"No intent: cannot read the last git commit: {problem}" if problem else None


def _keep_min_free(access: Access, monitor: Monitor) -> str | None:
    """Free disk space if less than `min-free` is left; refuse the save if that is not enough."""
    from clew.operations.save.min_free import keep_min_free

    access.store.require_writable()
    return keep_min_free(access.context, monitor)


def _committed(
    access: Access, options: SaveOptions, session: bytes | None, monitor: Monitor
) -> SaveResult:
    # Only a person's save continues an interrupted restore: a hook must not change the files of an
    # agent at work, and could not report it.
    if options.origin == Origin.MANUAL:
        with access.capturing(monitor) as context:
            return save(context, options, monitor, session)
    access.notice_interrupted(monitor)
    with access.writing(monitor) as context:
        return save(context, options, monitor, session)


def _with_story(access: Access, result: SaveResult, monitor: Monitor) -> SaveResult:
    from clew.operations.history.story import derive_and_store

    try:
        with access.reading(monitor) as context:
            story = derive_and_store(context, result.checkpoint)
    except Exception as error:  # noqa: BLE001 - the checkpoint exists, whatever fails now
        return _with_notice(result, f"Cannot derive the story: {error}")
    checkpoint = result.checkpoint._replace(headline=story.headline)
    return result._replace(checkpoint=checkpoint, story=story)


def _with_verdict(access: Access, result: SaveResult, check: Check, monitor: Monitor) -> SaveResult:
    from clew.operations.sandbox.verify import verify

    found, verdict, notices = verify(access.context, result.checkpoint, check, monitor)
    notices = (*result.notices, *notices)
    return result._replace(checkpoint=found, verdict=verdict, notices=notices)


def _with_budget_warning(access: Access, result: SaveResult, monitor: Monitor) -> SaveResult:
    from clew.operations.maintenance.budget import is_over_budget

    try:
        if not is_over_budget(access.context):
            return result
        from clew.operations.save.budget_warning import budget_warning

        with access.reading(monitor) as context:
            return _with_notice(result, budget_warning(context, remember=True))
    except (ClewError, OSError):
        return result


def _prune_if_due(access: Access, result: SaveResult) -> None:
    from clew.operations.maintenance.auto_prune import prune_if_due

    prune_if_due(access.context, result.checkpoint)


def _start_stories(access: Access, result: SaveResult) -> None:
    from clew.operations.history.background_stories import start_background_stories

    start_background_stories(access.context, if_missing=result.story is not None)


def _start_drill(access: Access) -> None:
    from clew.operations.sandbox.background_drills import start_background_drill

    start_background_drill(access.context)


def _with_notice(result: SaveResult, notice: str | None) -> SaveResult:
    return result if notice is None else result._replace(notices=(*result.notices, notice))
