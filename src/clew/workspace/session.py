"""A session in the hands of whoever runs the agent: its conversation, its tasks, its effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.model.effect import Act, Effect, EffectOutcome
from clew.model.session import SessionInfo, Touch
from clew.model.task import Task, TaskStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType

    from clew.model.save_result import SaveResult
    from clew.model.session_results import Resume, SessionFiles
    from clew.operations.context import Context
    from clew.policy.approval.decision import Decision
    from clew.workspace.workspace import Workspace


class Session:
    """One run of an agent in a workspace; `ws.sessions.open(...)` returns one."""

    def __init__(self, workspace: Workspace, info: SessionInfo) -> None:
        self._workspace = workspace
        self._id = info.id

    @property
    def info(self) -> SessionInfo:
        """What is known of it now."""
        return self._workspace.sessions.info(self.id)

    @property
    def id(self) -> str:
        """Its id, as text."""
        return self._id.hex()

    def save(self, intent: str | None = None, *, skip_unchanged: bool = False) -> SaveResult:
        """Capture the workspace, with the position of this session."""
        return self._workspace.save(intent, skip_unchanged=skip_unchanged, session=self.id)

    def keep_position(self) -> tuple[str, ...]:
        """Take what was said and ticked off into the store; the next checkpoint carries it.

        Return what went wrong.
        """
        return self._workspace.sessions.keep_position(self.id)

    def attach(self) -> None:
        """Let every checkpoint of the workspace carry it."""
        self._workspace.sessions.attach(self.id)

    # What the agent keeps and touches

    @property
    def state(self) -> object:
        """What the agent handed over of its own, a JSON value; None where it never did."""
        from clew.operations.sessions.state import state_of

        return state_of(self.info)

    def set_state(self, state: object) -> None:
        """Hand over the agent's own state, any JSON value, in place of the one before."""
        from clew.operations.sessions.state import set_state

        with self._context() as context:
            set_state(context, self.info, state)

    def read(self, path: str) -> None:
        """Note that the agent read a file."""
        self._touch(path, Touch.READ)

    def changed(self, path: str) -> None:
        """Note that the agent changed a file."""
        self._touch(path, Touch.CHANGED)

    def files(self) -> SessionFiles:
        """Return which files the agent read and changed."""
        return self._workspace.sessions.files(self.id)

    def _touch(self, path: str, how: str) -> None:
        from clew.operations.sessions.files import touch

        with self._context() as context:
            touch(context, self.info, path, how)

    # Conversation

    def say(self, *messages: object) -> None:
        """Add messages, prompts or tool outputs, each a JSON value; kept at once."""
        import json

        contents = [json.dumps(message).encode() for message in messages]
        with self._context() as context:
            context.store.sessions.say(self._id, contents)

    def messages(self) -> list[object]:
        """Return the conversation as it stands, one JSON value a message."""
        import json

        return [json.loads(line) for line in self.lines() if line.strip()]

    def lines(self) -> Iterator[bytes]:
        """Yield the conversation as it stands line by line; the last one may be cut short."""
        from clew.operations.sessions.conversation import lines

        with self._context() as context:
            info = self.info
            yield from lines(info.conversation, context.store.objects.get)
            for _, content in context.store.sessions.pending(self._id):
                yield content

    def remove_last(self, count: int = 1) -> list[object]:
        """Take the last messages out of the conversation and return them, oldest first."""
        import json

        from clew.operations.sessions.rewrite_conversation import remove_last

        with self._workspace.writing_context() as context:
            return [json.loads(line) for line in remove_last(context, self.info, count)]

    def rewrite(self, messages: Iterable[object]) -> None:
        """Make the conversation exactly these messages; checkpoints keep it as it was."""
        import json

        from clew.operations.sessions.rewrite_conversation import rewrite

        contents = [json.dumps(message).encode() for message in messages]
        with self._workspace.writing_context() as context:
            rewrite(context, self.info, contents)

    # Tasks

    def tasks(self) -> list[Task]:
        """Return the task list as it stands."""
        with self._context() as context:
            return context.store.tasks.of(self._id)

    def add_task(self, title: str) -> Task:
        """Put a task at the end of the list."""
        from clew.operations.sessions.tasks import add_task

        with self._context() as context:
            return add_task(context, self.info, title)

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Write the agent's own list, title and status of each, in place of the one before."""
        from clew.operations.sessions.tasks import plan_tasks

        with self._context() as context:
            plan_tasks(context, self.info, tasks)

    def set_task(self, number: int, *, title: str = "", status: str = "") -> None:
        """Say what the agent's own list says of one task, which may be new."""
        from clew.operations.sessions.tasks import set_task

        with self._context() as context:
            set_task(context, self.info, number, title, status)

    def start_task(self, number: int, note: str = "") -> Task:
        """Say that a task is being worked on."""
        return self._mark(number, TaskStatus.IN_PROGRESS, note)

    def complete_task(self, number: int, note: str = "") -> Task:
        """Say that a task is done."""
        return self._mark(number, TaskStatus.COMPLETED, note)

    def fail_task(self, number: int, note: str = "") -> Task:
        """Say that a task could not be done."""
        return self._mark(number, TaskStatus.FAILED, note)

    def skip_task(self, number: int, note: str = "") -> Task:
        """Say that a task will not be done."""
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
        what: str,
        *,
        tool: str = "",
        arguments: object = None,
        reversible: bool = False,
        undo: str = "",
        again: bool = False,
    ) -> OpenEffect:
        """Write down what is about to be done outside; `with` it, and its end is written too."""
        from clew.operations.sessions.effects import record_effect

        with self._context() as context:
            act = Act(what, tool, arguments)
            effect = record_effect(
                context, self.info, act, reversible=reversible, undo=undo, again=again
            )
        return OpenEffect(self, effect)

    def settle(self, number: int, status: str, outcome: str = "") -> Effect:
        """Say what became of an effect: `done`, `failed` or `undone`."""
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
        """Tell whether a tool may be called so; an act on the outside world is written down.

        Settle `decision.effect` when it has run.  `ask` puts a question to a person; without it
        the answer to every question is no.
        """
        return self._workspace.effects.gate(tool, arguments, session=self.id, ask=ask, again=again)

    def _context(self) -> AbstractContextManager[Context]:
        return self._workspace.reading_context()


class OpenEffect:
    """An effect that has been announced and has no outcome yet."""

    def __init__(self, session: Session, effect: Effect) -> None:
        self._session = session
        self.effect = effect
        """As it was last known."""

    @property
    def number(self) -> int:
        """Its number in the workspace."""
        return self.effect.number

    def done(self, outcome: str = "") -> None:
        """Say that it happened."""
        self.effect = self._session.settle(self.number, EffectOutcome.DONE, outcome)

    def failed(self, outcome: str = "") -> None:
        """Say that it did not happen."""
        self.effect = self._session.settle(self.number, EffectOutcome.FAILED, outcome)

    def __enter__(self) -> OpenEffect:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Call it done, unless something was raised: then nobody knows, and it stays unknown."""
        if kind is None and not self.effect.is_settled:
            self.done()
