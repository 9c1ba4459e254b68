"""Capability: record what a Pydantic AI agent does.

    before_run              the prompt
    wrap_tool_execute       apply the gate; checkpoint if the tool may delete or overwrite files
    before_model_request    end of a batch of calls: checkpoint if files changed
    wrap_run                the agent stopped, or its run was aborted

Each run has its own instance; each conversation has its own session.
The results of a batch are in the history when the model is called again, so the batch ends there and
its checkpoint contains them.
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

from clew.agents.pydantic_ai.messages import record_messages
from clew.agents.serial_executor import SerialExecutor
from clew.agents.watch import Call, EndedCall, Watch
from clew.policy.approval.decision import Decision
from clew.workspace.workspace import Workspace

AGENT = "pydantic-ai"
Ask = Callable[[str], bool]

_NOTHING: tuple[Watch | None, str] = (None, "")
_NOT_ENDED = "did not finish"


class Clew(AbstractCapability[Any]):
    """Checkpoints the files and the conversation of an agent's runs."""

    def __init__(
        self, watched: Workspace | Watch, *, ask: Ask | None = None, approval: bool = False
    ) -> None:
        """Record runs in a workspace, one session per conversation, or in the session of a watch.

        Questions of the gate go to `ask`, which is called in a thread, or with `approval` become
        deferred calls; otherwise the answer is no.
        """
        self.watched = watched
        self.ask = ask
        self.approval = approval
        self.executor = SerialExecutor(
            watched if isinstance(watched, Workspace) else watched.workspace, AGENT
        )
        self._started: set[str] = set()

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """Return an instance for this run."""
        return _Run(self)

    def begin(self, conversation: str, prompt: str) -> tuple[Watch | None, str]:
        """Return the watch of a conversation, and a message for its model."""
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
    """The capability of one run."""

    def __init__(self, owner: Clew) -> None:
        self._owner = owner
        self._executor = owner.executor
        self._watch: Watch | None = None
        self._batch = asyncio.Lock()
        self._begun: list[str] = []
        self._running: dict[str, Call] = {}
        self._ended: list[EndedCall] = []

    # Called by Pydantic AI

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """A run starts."""
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
        """Run, and save the final state, also after an error."""
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
        """The model is called next: a batch of calls has ended."""
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
        """Apply the gate, call the tool, and record the result."""
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

    # Internals

    async def _before(self, call: Call, *, approved: bool) -> Decision:
        watch, ask = self._watch, _yes if approved else self._owner.ask
        if watch is None:
            return Decision(True)
        async with self._batch:  # no call of a batch starts before the checkpoint that precedes it
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
                record_messages(watch.session, messages)
            return watch.after(*ended) if ended else ""

        return await self._executor.try_run(keep, "")

    async def _finish(self, messages: Sequence[ModelMessage] | None) -> None:
        """Save the end of a run; of an aborted one, the conversation up to the last request."""
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
    """Return the exception of a tool, also if Pydantic AI wrapped it."""
    cause = error.__cause__ if isinstance(error, (ToolRetryError, ToolFailedError)) else None
    raised = cause or error
    return f"{type(raised).__name__}: {raised}"


def _yes(question: str) -> bool:
    return True
