"""Run hooks: record what an SDK agent does.

    on_agent_start      the prompt
    on_tool_start       apply the gate; checkpoint if the tool may delete or overwrite files
    on_tool_end         record the end of the call
    on_llm_start        end of a batch of calls: checkpoint if files changed
    on_agent_end        the agent stopped

The results of a batch are in the session when the model is called again, so the batch ends there and
its checkpoint contains them.  A hook cannot refuse a call, only stop the run: `gated` returns a tool
that reports a refusal to the model instead.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from agents import (
    Agent,
    FunctionTool,
    ModelResponse,
    RunContextWrapper,
    RunHooks,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    UserError,
)
from agents.items import TResponseInputItem
from agents.run_context import AgentHookContext
from agents.version import __version__

from clew.agents.openai_agents.session import AGENT, ClewSession
from clew.agents.openai_agents.tool_calls import Queue, call_of, last_prompt, why_failed
from clew.agents.serial_executor import SerialExecutor
from clew.agents.watch import Call, EndedCall, Watch
from clew.policy.approval.decision import Decision
from clew.workspace.workspace import Workspace

Ask = Callable[[str], bool]

_NOT_ENDED = "did not finish"


class ClewHooks(RunHooks[Any]):
    """Hooks for the runs of one session, one run at a time."""

    def __init__(
        self, watched: Workspace | Watch, *, session_id: str = "", ask: Ask | None = None
    ) -> None:
        """Record runs in a workspace; `session_id` names a new or an existing session.

        `ask` puts a question of the gate to a user; it is called in a thread.
        """
        if isinstance(watched, Workspace):
            watched = Watch.begin(watched, agent=AGENT, version=__version__, native=session_id)
        self.watch = watched
        self.executor = SerialExecutor(watched.workspace, AGENT)
        self.conversation = ClewSession(
            session_id or watched.session.id, watched.workspace, session=watched.session
        )
        """The session to run with, so that checkpoints contain the conversation."""
        self._ask = ask
        self._queue = Queue()
        self._batch = asyncio.Lock()
        self._begun: list[str] = []
        self._running: dict[str, Call] = {}
        self._ended: list[EndedCall] = []
        self._failures: dict[str, str] = {}
        self._is_started = False
        self._is_handed_over = False
        self._news = ""

    # Called by the SDK

    async def on_agent_start(self, context: AgentHookContext[Any], agent: Any) -> None:
        """A run starts, or another agent continues it."""
        if self._is_handed_over:
            self._is_handed_over = False
            return
        await self._finish_aborted()  # of an earlier run that was aborted
        prompt = last_prompt(context.turn_input)
        self._news = await self.executor.try_run(lambda: self._begin(prompt), "")

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],
        system_prompt: str | None,
        input_items: list[TResponseInputItem],
    ) -> None:
        """The model is called next: a batch of calls has ended."""
        await self._end_batch()
        if self._news:  # in every request of the run: it is not stored in the session
            input_items.append({"role": "developer", "content": self._news})

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        """The model has answered: its calls are known."""
        self._queue = Queue(response.output)
        self._batch, self._begun = asyncio.Lock(), []

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Any, tool: Tool) -> None:
        """A call starts; if the gate refuses it, stop the run."""
        call = self._queue.started(tool) or call_of(context, tool)
        if call.key in self._running:
            return  # the guardrail has applied the gate
        decision = await self._before(call)
        if not decision.allowed:
            raise UserError(f"Refused: {decision.reason}")

    async def on_tool_end(
        self, context: RunContextWrapper[Any], agent: Any, tool: Tool, result: object
    ) -> None:
        """A call has ended."""
        call = self._queue.ended(tool) or call_of(context, tool)
        self._running.pop(call.key, None)
        failed = self._failures.pop(call.key, None) or why_failed(tool, result)
        self._ended.append(EndedCall(call, failed))

    async def on_handoff(
        self, context: RunContextWrapper[Any], from_agent: Any, to_agent: Any
    ) -> None:
        """Another agent continues the run."""
        self._is_handed_over = True

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        """The run has ended with an answer."""
        await self._end_batch()
        await self.executor.try_run(self.watch.stopped, None)

    # For programs

    def gated(self, tool: FunctionTool) -> FunctionTool:
        """Return a copy of a tool whose calls the gate can refuse, with the reason for the model."""
        gated = copy.copy(tool)
        guardrail = ToolInputGuardrail[Any](self._guard, name="clew")
        gated.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), guardrail]
        return gated

    def tell_failure(self, context: RunContextWrapper[Any], error: Exception) -> str:
        """Record a failure and return a message about it for the model.

        For `function_tool(failure_error_function=hooks.tell_failure)`; without it a failure is
        recognised by the SDK's default message.
        """
        identifier = getattr(context, "tool_call_id", "")
        self._failures[identifier] = f"{type(error).__name__}: {error}"
        return f"The tool failed: {error}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Save what an aborted run left; a completed run has left nothing."""
        await self._finish_aborted()

    # Internals

    def _begin(self, prompt: str) -> str:
        news = ""
        if not self._is_started:
            news = self.watch.started()
            self._is_started = True
        return self.watch.prompted(prompt) or news

    async def _before(self, call: Call) -> Decision:
        async with self._batch:  # no call of a batch starts before the checkpoint that precedes it
            is_first = not self._begun
            self._begun.append(call.key)
            decision = await self.executor.try_run(
                lambda: self.watch.before(call, ask=self._ask, alone=is_first), Decision(True)
            )
        if decision.allowed:
            self._running[call.key] = call
        return decision

    async def _guard(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        call = call_of(context, None)
        decision = await self._before(call)
        if decision.allowed:
            return ToolGuardrailFunctionOutput.allow()
        self._ended.append(EndedCall(call, f"refused: {decision.reason}"))
        return ToolGuardrailFunctionOutput.reject_content(f"Refused: {decision.reason}")

    async def _end_batch(self) -> None:
        ended, self._ended = self._ended, []
        begun, self._begun = self._begun, []
        if ended:
            ended.sort(key=lambda one: begun.index(one.call.key) if one.call.key in begun else 0)
            news = await self.executor.try_run(lambda: self.watch.after(*ended), "")
            self._news = news or self._news

    async def _finish_aborted(self) -> None:
        """Record the end of a run that raised, for which no more hooks were called."""
        left = [
            EndedCall(call, self._failures.get(key, _NOT_ENDED))
            for key, call in self._running.items()
        ]
        is_left = bool(left or self._ended)
        self._running, self._failures, self._news = {}, {}, ""
        self._ended += left
        await self._end_batch()
        if is_left:
            await self.executor.try_run(self.watch.stopped, None)
