"""Session: one run of an agent, with its conversation, tasks and effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.model.effect import Act, Effect, EffectOutcome
from clew.model.session import SessionInfo, Touch
from clew.model.task import Task, TaskStatus
from clew.workspace.signature import signature_of
from clew.workspace.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any

    from clew.model.ids import CheckpointId
    from clew.model.save_result import SaveResult
    from clew.model.session_results import Resume, SessionFiles
    from clew.operations.context import Context
    from clew.policy.approval.decision import Decision


class Session:
    """One run of an agent in a workspace; `ws.sessions.open(...)` returns one."""

    def __init__(self, workspace: Workspace, info: SessionInfo) -> None:
        self._workspace = workspace
        self._id = info.id

    @property
    def info(self) -> SessionInfo:
        """The current record of the session."""
        return self._workspace.sessions.info(self.id)

    @property
    def id(self) -> str:
        """The session's id, as hexadecimal text."""
        return self._id.hex()

    @signature_of(Workspace.save)
    def save(self, *intent: Any, **options: Any) -> SaveResult:
        """Save a checkpoint of the workspace with the position of this session.

        The options are those of `Workspace.save`, except `session`.
        """
        return self._workspace.save(*intent, **options, session=self.id)

    def keep_position(self) -> tuple[str, ...]:
        """Store the conversation and tasks, which the next checkpoint refers to.

        Return problems, one sentence each.
        """
        return self._workspace.sessions.keep_position(self.id)

    def attach(self) -> None:
        """Record this session in every checkpoint of the workspace."""
        self._workspace.sessions.attach(self.id)

    def end(self) -> None:
        """Record that the agent has ended: later saves do not belong to this session."""
        from clew.operations.sessions.sessions import end

        with self._context() as context:
            end(context, self._id)

    def now_ns(self) -> int:
        """Return the time by the clock of the workspace."""
        return self._workspace._access.context.host.now_ns()

    def record_failures(
        self,
        before: CheckpointId,
        after: CheckpointId,
        failures: Iterable[tuple[str, str, int]],
    ) -> None:
        """Record tool calls that failed between two checkpoints: call, reason and time of each."""
        from clew.model.failed_call import FailedCall

        found = [FailedCall(*one, self._id, before, after) for one in failures]
        with self._context() as context:
            context.store.failures.add(context.workspace, found)

    # State and files

    @property
    def state(self) -> object:
        """The state that the agent stored, a JSON value; None if it stored none."""
        from clew.operations.sessions.state import state_of

        return state_of(self.info)

    def set_state(self, state: object) -> None:
        """Replace the agent's state with any JSON value."""
        from clew.operations.sessions.state import set_state

        with self._context() as context:
            set_state(context, self.info, state)

    def read(self, path: str) -> None:
        """Record that the agent read a file."""
        self._touch(path, Touch.READ)

    def changed(self, path: str) -> None:
        """Record that the agent changed a file."""
        self._touch(path, Touch.CHANGED)

    def files(self) -> SessionFiles:
        """Return the files that the agent read and changed."""
        return self._workspace.sessions.files(self.id)

    def _touch(self, path: str, how: str) -> None:
        from clew.operations.sessions.files import touch

        with self._context() as context:
            touch(context, self.info, path, how)

    # Conversation

    def say(self, *messages: object) -> None:
        """Append messages, prompts or tool outputs, each a JSON value; stored immediately."""
        import json

        contents = [json.dumps(message).encode() for message in messages]
        with self._context() as context:
            context.store.sessions.say(self._id, contents)

    def messages(self) -> list[object]:
        """Return the current conversation, one JSON value for each message."""
        import json

        return [json.loads(line) for line in self.lines() if line.strip()]

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the current conversation; the last one may be incomplete."""
        from clew.operations.sessions.conversation import lines

        with self._context() as context:
            info = self.info
            yield from lines(info.conversation, context.store.objects.get)
            for _, content in context.store.sessions.pending(self._id):
                yield content

    def remove_last(self, count: int = 1) -> list[object]:
        """Remove the last messages from the conversation and return them, oldest first."""
        import json

        from clew.operations.sessions.rewrite_conversation import remove_last

        with self._workspace.writing_context() as context:
            return [json.loads(line) for line in remove_last(context, self.info, count)]

    def rewrite(self, messages: Iterable[object]) -> None:
        """Replace the conversation with these messages; checkpoints keep the earlier one."""
        import json

        from clew.operations.sessions.rewrite_conversation import rewrite

        contents = [json.dumps(message).encode() for message in messages]
        with self._workspace.writing_context() as context:
            rewrite(context, self.info, contents)

    # Tasks

    def tasks(self) -> list[Task]:
        """Return the current task list."""
        with self._context() as context:
            return context.store.tasks.of(self._id)

    def add_task(self, title: str) -> Task:
        """Append a task to the list."""
        from clew.operations.sessions.tasks import add_task

        with self._context() as context:
            return add_task(context, self.info, title)

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Replace the task list with the agent's own: title and status of each task."""
        from clew.operations.sessions.tasks import plan_tasks

        with self._context() as context:
            plan_tasks(context, self.info, tasks)

    def set_task(self, number: int, *, title: str = "", status: str = "") -> None:
        """Update one task from the agent's own list, or add it."""
        from clew.operations.sessions.tasks import set_task

        with self._context() as context:
            set_task(context, self.info, number, title, status)

    def start_task(self, number: int, note: str = "") -> Task:
        """Mark a task as in progress."""
        return self._mark(number, TaskStatus.IN_PROGRESS, note)

    def complete_task(self, number: int, note: str = "") -> Task:
        """Mark a task as completed."""
        return self._mark(number, TaskStatus.COMPLETED, note)

    def fail_task(self, number: int, note: str = "") -> Task:
        """Mark a task as failed."""
        return self._mark(number, TaskStatus.FAILED, note)

    def skip_task(self, number: int, note: str = "") -> Task:
        """Mark a task as skipped."""
        return self._mark(number, TaskStatus.SKIPPED, note)

    def resume(self) -> Resume:
        """Return the first incomplete task, and the checkpoint to continue from."""
        from clew.operations.sessions.tasks import resume

        with self._context() as context:
            return resume(context, self.info)

    def _mark(self, number: int, status: str, note: str) -> Task:
        from clew.operations.sessions.tasks import mark_task

        with self._context() as context:
            return mark_task(context, self.info, number, status, note)

    # Effects

    def effect(
        self,
        action: str,
        *,
        tool: str = "",
        arguments: object = None,
        reversible: bool = False,
        undo: str = "",
        again: bool = False,
    ) -> OpenEffect:
        """Record an action on the outside world before it runs; as a context manager, also its outcome."""
        from clew.operations.sessions.effects import record_effect

        with self._context() as context:
            act = Act(action, tool, arguments)
            effect = record_effect(
                context, self.info, act, reversible=reversible, undo=undo, again=again
            )
        return OpenEffect(self, effect)

    def settle(self, number: int, status: str, outcome: str = "") -> Effect:
        """Record the outcome of an effect: `done`, `failed` or `undone`."""
        from clew.operations.sessions.effects import settle

        with self._context() as context:
            return settle(context, number, status, outcome)

    def effects(self) -> list[Effect]:
        """Return the effects of this session, in order."""
        with self._context() as context:
            every = context.store.effects.of(context.workspace)
            return [effect for effect in every if effect.session == self.id]

    def gate(
        self,
        tool: str,
        arguments: object,
        *,
        ask: Callable[[str], bool] | None = None,
        again: bool = False,
    ) -> Decision:
        """Decide whether a tool call may run; an action on the outside world is recorded.

        Settle `decision.effect` after the call.  `ask` puts a question to a person; without it
        every question is answered with no.
        """
        return self._workspace.effects.gate(tool, arguments, session=self.id, ask=ask, again=again)

    def _context(self) -> AbstractContextManager[Context]:
        return self._workspace.reading_context()


class OpenEffect:
    """A recorded effect without an outcome."""

    def __init__(self, session: Session, effect: Effect) -> None:
        self._session = session
        self.effect = effect
        """The effect as last stored."""

    @property
    def number(self) -> int:
        """The effect's number in the workspace."""
        return self.effect.number

    def done(self, outcome: str = "") -> None:
        """Record that the action was done."""
        self.effect = self._session.settle(self.number, EffectOutcome.DONE, outcome)

    def failed(self, outcome: str = "") -> None:
        """Record that the action failed."""
        self.effect = self._session.settle(self.number, EffectOutcome.FAILED, outcome)

    def __enter__(self) -> OpenEffect:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Record it as done; after an error its outcome stays unknown."""
        if kind is None and not self.effect.is_settled:
            self.done()
