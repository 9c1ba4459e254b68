"""Run hooks: what an agent of the SDK does, told to a watch.

    on_agent_start      what a person said
    on_tool_start       the gate is asked, and a checkpoint taken if the tool may destroy
    on_tool_end         noted
    on_llm_start        the batch of calls that ended since: a checkpoint if files changed
    on_agent_end        the agent rests

The results of a batch are in the session by the time the model is called again, so a batch ends
there and its checkpoint carries them.  A hook cannot refuse a call, only stop the run: `gated`
gives a tool that tells the model of a refusal instead.
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
from clew.agents.openai_agents.words import Queue, call_of, last_prompt, why_failed
from clew.agents.serial_executor import SerialExecutor
from clew.agents.watch import Call, EndedCall, Watch
from clew.policy.approval.decision import Decision
from clew.workspace.workspace import Workspace

Ask = Callable[[str], bool]

_NOT_ENDED = "it did not come to its end"


class ClewHooks(RunHooks[Any]):
    """Hooks of the runs of one session, one run at a time."""

    def __init__(
        self, watched: Workspace | Watch, *, session_id: str = "", ask: Ask | None = None
    ) -> None:
        """Watch a workspace; `session_id` names a session that may have been begun before.

        `ask` puts a question of the gate to a person, in a thread of its own.
        """
        if isinstance(watched, Workspace):
            watched = Watch.begin(watched, agent=AGENT, version=__version__, native=session_id)
        self.watch = watched
        self.executor = SerialExecutor(watched.workspace, AGENT)
        self.conversation = ClewSession(
            session_id or watched.session.id, watched.workspace, session=watched.session
        )
        """The session to run with, so that what is said is kept with the files."""
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

    # What the SDK calls

    async def on_agent_start(self, context: AgentHookContext[Any], agent: Any) -> None:
        """A run begins, or goes on with another agent."""
        if self._is_handed_over:
            self._is_handed_over = False
            return
        await self._give_up()  # of a run before that was cut short
        prompt = last_prompt(context.turn_input)
        self._news = await self.executor.try_run(lambda: self._begin(prompt), "")

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],
        system_prompt: str | None,
        input_items: list[TResponseInputItem],
    ) -> None:
        """The model is asked next: a batch of calls has ended."""
        await self._end_batch()
        if self._news:  # for the rest of the run, or the model forgets it with the next call
            input_items.append({"role": "developer", "content": self._news})

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        """The model has answered: what it calls is known."""
        self._queue = Queue(response.output)
        self._batch, self._begun = asyncio.Lock(), []

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Any, tool: Tool) -> None:
        """A call begins; where the gate refuses it, all that is left is to stop the run."""
        call = self._queue.started(tool) or call_of(context, tool)
        if call.key in self._running:
            return  # the guardrail asked already
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
        """Another agent goes on with the same run."""
        self._is_handed_over = True

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        """The run has an answer."""
        await self._end_batch()
        await self.executor.try_run(self.watch.stopped, None)

    # What a program may use

    def gated(self, tool: FunctionTool) -> FunctionTool:
        """Return a tool whose calls the gate can refuse, with the reason for the model."""
        gated = copy.copy(tool)
        guardrail = ToolInputGuardrail[Any](self._guard, name="clew")
        gated.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), guardrail]
        return gated

    def tell_failure(self, context: RunContextWrapper[Any], error: Exception) -> str:
        """Return what the model is told of a failure, having noted it.

        For `function_tool(failure_error_function=hooks.tell_failure)`; without it a failure is
        known by the SDK's own words for one.
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
        """Keep what a run that failed left behind; one that came to its end left nothing."""
        await self._give_up()

    # Behind them

    def _begin(self, prompt: str) -> str:
        news = ""
        if not self._is_started:
            news = self.watch.started()
            self._is_started = True
        return self.watch.prompted(prompt) or news

    async def _before(self, call: Call) -> Decision:
        async with self._batch:  # none of a batch starts before the moment before it is kept
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

    async def _give_up(self) -> None:
        """End what a run left behind that raised: its hooks were not called any more."""
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
