"""Background stories: start the detached process that derives the stories that commits leave out.

A hook does not wait for a story, and commands that read do not write one.  After a commit that has
no story, this process is started, at most one for each workspace.  The worker in which detectors run
has the lowest priority; the process itself, which takes locks, does not.

It holds the lock `stories-<workspace>` from its start to its end: the process that starts it takes
the lock and passes the open file on.  A commit that finds the lock taken starts nothing.  Before
the process exits, it releases the lock and looks once more for stories: a commit whose attempt to
take the lock failed was made before that, and is found.
"""

from __future__ import annotations

from clew.errors import ClewError
from clew.operations.background_process import start_background_process
from clew.operations.context import Context

BACKGROUND = "story.background"
"""The setting that turns it on or off."""

_MODULE = "clew.operations.history.stories_process"


def start_background_stories(context: Context, *, if_missing: bool = False) -> None:
    """Start the process unless it runs or is turned off; a failure never affects the caller.

    With `if_missing`, it is not started where all stories are stored.
    """
    try:
        if not is_wanted(context) or (if_missing and not _is_work_left(context)):
            return
        start_background_process(context, _MODULE, context.store.locks.try_stories)
    except (ClewError, OSError):
        return  # a later commit starts it


def is_wanted(context: Context) -> bool:
    """Return whether a store, its settings and the environment allow the process."""
    from clew.worktree.interpreter import may_start_detached  # noqa: PLC0415 - most hooks save nothing

    if not context.store.writable or not may_start_detached():
        return False
    return context.store.settings.all(context.workspace).get(BACKGROUND) != "off"


def _is_work_left(context: Context) -> bool:
    from clew.operations.history.database_looks import is_look_due  # noqa: PLC0415 - the same
    from clew.story.version import story_version  # noqa: PLC0415

    if is_look_due(context, set()):
        return True
    version = story_version(context.store.settings.all(context.workspace))
    return bool(context.store.stories.missing(context.workspace, version, 1))
