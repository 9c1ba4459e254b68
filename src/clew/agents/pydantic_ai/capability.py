"""A capability: what an agent of Pydantic AI does, told to a watch.

    before_run              what a person said
    wrap_tool_execute       the gate is asked, a checkpoint taken if the tool may destroy, the end noted
    before_model_request    the batch of calls that ended since: a checkpoint if files changed
    wrap_run                the agent rests, or its run was cut short

Each run has its own; runs of one conversation have one session, and runs of two have two.
The results of a batch are in the history by the time the model is asked again, so a batch ends
there and its checkpoint carries them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from pydantic_ai import ApprovalRequired, CallDeferred, RunContext, ToolDefinition, ToolDenied
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapRunHandler, WrapToolExecuteHandler
from pydantic_ai.exceptions import SkipToolExecution, ToolFailedError, ToolRetryError
from pydantic_ai.messages import ModelMessage, SystemPromptPart, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult

from clew.agents.pydantic_ai.messages import keep_messages
from clew.agents.serial_executor import SerialExecutor
from clew.agents.watch import Call, EndedCall, Watch
from clew.policy.approval.decision import Decision
from clew.workspace.workspace import Workspace

AGENT = "pydantic-ai"
Ask = Callable[[str], bool]

_NOTHING: tuple[Watch | None, str] = (None, "")
_NOT_ENDED = "it did not come to its end"


class Clew(AbstractCapability[Any]):
    """Keeps the files and the conversation of an agent's runs."""

    def __init__(
        self, watched: Workspace | Watch, *, ask: Ask | None = None, approval: bool = False
    ) -> None:
        """Watch a workspace; a session is begun for each conversation, or `watched` is one.

        Questions of the gate go to `ask`, in a thread of its own, or with `approval` to whoever
        approves deferred calls; else the answer is no.
        """
        self.watched = watched
        self.ask = ask
        self.approval = approval
        self.executor = SerialExecutor(
            watched if isinstance(watched, Workspace) else watched.workspace, AGENT
        )
        self._started: set[str] = set()

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """Return one for this run alone."""
        return _Run(self)

    def begin(self, conversation: str, prompt: str) -> tuple[Watch | None, str]:
        """Return the watch of a conversation, and what its model must know."""
        watch = self.watched
        if isinstance(watch, Workspace):
            watch = Watch.begin(
                watch, agent=AGENT, version=version("pydantic-ai-slim"), native=conversation
            )
        news = ""
        if watch.session.id not in self._started:
            self._started.add(watch.session.id)
            news = watch.started()
        return watch, watch.prompted(prompt) or news


class _Run(AbstractCapability[Any]):
    """The same, for one run."""

    def __init__(self, owner: Clew) -> None:
        self._owner = owner
        self._executor = owner.executor
        self._watch: Watch | None = None
        self._batch = asyncio.Lock()
        self._begun: list[str] = []
        self._running: dict[str, Call] = {}
        self._ended: list[EndedCall] = []

    # What Pydantic AI calls

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """A run begins."""
        prompt, conversation = _text(ctx.prompt), ctx.conversation_id or ""
        begin = self._owner.begin
        self._watch, news = await self._executor.try_run(
            lambda: begin(conversation, prompt), _NOTHING
        )
        if news:
            ctx.enqueue(SystemPromptPart(news))

    async def wrap_run(
        self, ctx: RunContext[Any], *, handler: WrapRunHandler
    ) -> AgentRunResult[Any]:
        """Run, and keep what is there at the end, whatever kind of end it is."""
        try:
            result = await handler()
        except BaseException:
            await self._finish(None)
            raise
        await self._finish(result.all_messages())
        return result

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The model is asked next: a batch of calls has ended."""
        news = await self._end_batch(ctx.messages)
        if news:
            ctx.enqueue(SystemPromptPart(news))
        return request_context

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Ask the gate, call the tool, and note how it ended."""
        named = Call(call.tool_name, args, call.tool_call_id)
        decision = await self._before(named, approved=ctx.tool_call_approved)
        if not decision.allowed and self._owner.approval and not ctx.tool_call_approved:
            raise ApprovalRequired({"reason": decision.reason})
        if not decision.allowed:
            self._ended.append(EndedCall(named, f"refused: {decision.reason}"))
            return ToolDenied(f"Refused: {decision.reason}")
        try:
            result = await handler(args)
        except (SkipToolExecution, CallDeferred, ApprovalRequired):
            self._end(named)
            raise
        except Exception as error:
            self._end(named, _why(error))
            raise
        self._end(named)
        return result

    # Behind them

    async def _before(self, call: Call, *, approved: bool) -> Decision:
        watch, ask = self._watch, _yes if approved else self._owner.ask
        if watch is None:
            return Decision(True)
        async with self._batch:  # none of a batch starts before the moment before it is kept
            is_first = not self._begun
            self._begun.append(call.key)
            decision = await self._executor.try_run(
                lambda: watch.before(call, ask=ask, alone=is_first), Decision(True)
            )
        if decision.allowed:
            self._running[call.key] = call
        return decision

    def _end(self, call: Call, failed: str | None = None) -> None:
        self._running.pop(call.key, None)
        self._ended.append(EndedCall(call, failed))

    async def _end_batch(self, messages: Sequence[ModelMessage] | None) -> str:
        watch = self._watch
        if watch is None:
            return ""
        ended, self._ended = self._ended, []
        begun, self._begun = self._begun, []
        ended.sort(key=lambda one: begun.index(one.call.key) if one.call.key in begun else 0)

        def keep() -> str:
            if messages is not None:
                keep_messages(watch.session, messages)
            return watch.after(*ended) if ended else ""

        return await self._executor.try_run(keep, "")

    async def _finish(self, messages: Sequence[ModelMessage] | None) -> None:
        """Keep the end; of a run that was cut short, what was said up to the last request."""
        self._ended += [EndedCall(call, _NOT_ENDED) for call in self._running.values()]
        self._running.clear()
        await self._end_batch(messages)
        if self._watch is not None:
            await self._executor.try_run(self._watch.stopped, None)


def _text(prompt: str | Sequence[object] | None) -> str:
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    return " ".join(part for part in prompt if isinstance(part, str))


def _why(error: Exception) -> str:
    """Return what a tool raised, behind what Pydantic AI made of it."""
    cause = error.__cause__ if isinstance(error, (ToolRetryError, ToolFailedError)) else None
    raised = cause or error
    return f"{type(raised).__name__}: {raised}"


def _yes(question: str) -> bool:
    return True
