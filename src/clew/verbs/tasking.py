"""Tasks: what the session at hand has set out to do, and where it would go on."""

from __future__ import annotations

from clew.model.session_results import Resume, TaskChange, TaskList
from clew.model.task import TaskStatus
from clew.verbs.sessions import Sessions

NAME = "tasks"
"""What a session is called that was begun for a task, because none was attached."""


class Tasking(Sessions):
    """The verbs about tasks; `session` names another one than the one attached."""

    def tasks(self, *, session: str | None = None) -> TaskList:
        """Return the task list as it stands."""
        from clew.operations.sessions.sessions import current_session

        with self.reading_context() as context:
            info = current_session(context, session)
            return TaskList(info, tuple(context.store.tasks.of(info.id)))

    def add_task(self, title: str, *, session: str | None = None) -> TaskChange:
        """Put a task at the end of the list; where no session is attached, one is begun."""
        from clew.errors import NoSession
        from clew.operations.sessions.sessions import begin, current_session
        from clew.operations.sessions.tasks import add_task, require_title

        require_title(title)
        with self.reading_context() as context:
            try:
                info, began = current_session(context, session), False
            except NoSession:
                info, began = begin(context, native=NAME), True
            return TaskChange(info, add_task(context, info, title), began)

    def mark_task(
        self, number: int, status: str, *, note: str = "", session: str | None = None
    ) -> TaskChange:
        """Say how far a task is: `in-progress`, `completed`, `failed` or `skipped`."""
        from clew.errors import BadOption
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.tasks import mark_task

        if status not in TaskStatus.ALL:
            raise BadOption("STATUS", f"must be one of {', '.join(TaskStatus.ALL)}")
        with self.reading_context() as context:
            info = current_session(context, session)
            return TaskChange(info, mark_task(context, info, number, status, note))

    def resume(self, *, session: str | None = None) -> Resume:
        """Return the first incomplete task, and the checkpoint to continue from."""
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.tasks import resume

        with self.reading_context() as context:
            return resume(context, current_session(context, session))
