"""Task lists of sessions: `ws.tasks`."""

from __future__ import annotations

from clew.model.session_results import Resume, TaskChange, TaskList
from clew.model.task import TaskStatus
from clew.operations.access import Access

NAME = "tasks"
"""The name of a session that was started because a task was added and none was attached."""


class Tasks:
    """The task list of the attached session, or of the one that `session` names."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def list(self, *, session: str | None = None) -> TaskList:
        """Return the current task list."""
        from clew.operations.sessions.sessions import current_session

        with self._access.reading() as context:
            info = current_session(context, session)
            return TaskList(info, tuple(context.store.tasks.of(info.id)))

    def add(self, title: str, *, session: str | None = None) -> TaskChange:
        """Append a task; starts a session if none is attached."""
        from clew.errors import NoSession
        from clew.operations.sessions.sessions import begin, current_session
        from clew.operations.sessions.tasks import add_task, require_title

        require_title(title)
        with self._access.reading() as context:
            try:
                info, is_new = current_session(context, session), False
            except NoSession:
                info, is_new = begin(context, native=NAME), True
            return TaskChange(info, add_task(context, info, title), is_new)

    def mark(
        self, number: int, status: str, *, note: str = "", session: str | None = None
    ) -> TaskChange:
        """Set the status of a task: `in-progress`, `completed`, `failed` or `skipped`."""
        from clew.errors import BadOption
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.tasks import mark_task

        if status not in TaskStatus.ALL:
            raise BadOption("STATUS", f"must be one of {', '.join(TaskStatus.ALL)}")
        with self._access.reading() as context:
            info = current_session(context, session)
            return TaskChange(info, mark_task(context, info, number, status, note))

    def resume(self, *, session: str | None = None) -> Resume:
        """Return the first incomplete task, and the checkpoint to continue from."""
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.tasks import resume

        with self._access.reading() as context:
            return resume(context, current_session(context, session))
