"""Middleware for deepagents: prompts, messages, the plan, other tools, and the end of a run."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage, message_to_dict

from clew.agents.deepagents.backend import ClewBackend, call_id
from clew.agents.watch import Call, EndedCall
from clew.model.task import TaskStatus

if TYPE_CHECKING:
    from langchain.agents.middleware.types import ToolCallRequest

_BACKEND_TOOLS = frozenset(
    ("ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "execute", "task")
)
"""Tools whose changes are reported by the backend, or by the subagent of a task."""
_TODOS = "write_todos"
_STATUS = {"in_progress": TaskStatus.IN_PROGRESS, "completed": TaskStatus.COMPLETED}
_OWN_MESSAGE = "clew"
"""The name of messages from clew."""


class ClewMiddleware(AgentMiddleware[Any, Any, Any]):
    """`create_deep_agent(..., backend=backend, middleware=[ClewMiddleware(backend)])`."""

    def __init__(self, backend: ClewBackend) -> None:
        super().__init__()
        self._watching = backend.clew
        self._recorded_ids: set[str] = set()

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record the prompt."""
        self._watching.prompted(_prompt(state["messages"]))
        return None

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await to_thread(self.before_agent, state, runtime)

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record new messages, and pass a pending message to the model."""
        self._record(state["messages"])
        news = self._watching.news()
        return {"messages": [HumanMessage(news, name=_OWN_MESSAGE)]} if news else None

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await to_thread(self.before_model, state, runtime)

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record the model's message before its calls run."""
        self._record(state["messages"])
        return None

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await to_thread(self.after_model, state, runtime)

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record the end of the run."""
        self._record(state["messages"])
        self._watching.stopped()
        return None

    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return await to_thread(self.after_agent, state, runtime)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
        """Watch a tool call; for tools of the backend, only set the call id."""
        call = _call(request)
        with _with_call_id(call):
            if call.tool in _BACKEND_TOOLS:
                return handler(request)
            decision = self._watching.before(call)
            if not decision.allowed:
                return _refusal(call, decision.reason)
            try:
                result = handler(request)
            except BaseException as error:
                self._watching.after(EndedCall(call, str(error) or type(error).__name__))
                raise
            self._ended(call, result)
            return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[..., Awaitable[Any]]
    ) -> Any:
        call = _call(request)
        with _with_call_id(call):
            if call.tool in _BACKEND_TOOLS:
                return await handler(request)
            decision = await to_thread(self._watching.before, call)
            if not decision.allowed:
                return _refusal(call, decision.reason)
            try:
                result = await handler(request)
            except BaseException as error:
                self._watching.after(EndedCall(call, str(error) or type(error).__name__))
                raise
            await to_thread(self._ended, call, result)
            return result

    def _ended(self, call: Call, result: Any) -> None:
        failed = isinstance(result, ToolMessage) and result.status == "error"
        if call.tool == _TODOS and not failed:
            self._watching.plan(_plan(call.arguments))
        self._watching.after(EndedCall(call, str(result.content) if failed else None))

    def _record(self, messages: list[BaseMessage]) -> None:
        """Record the messages that are new, each once."""
        new = [one for one in messages if one.id and one.id not in self._recorded_ids]
        self._recorded_ids.update(one.id for one in new if one.id)
        if new:
            self._watching.record_messages([message_to_dict(one) for one in new])


@contextmanager
def _with_call_id(call: Call) -> Iterator[None]:
    token = call_id.set(call.id)
    try:
        yield
    finally:
        call_id.reset(token)


def _call(request: ToolCallRequest) -> Call:
    call = request.tool_call
    return Call(call["name"], call["args"], call["id"] or "")


def _refusal(call: Call, reason: str) -> ToolMessage:
    return ToolMessage(f"Not run: {reason}", name=call.tool, tool_call_id=call.id, status="error")


def _prompt(messages: list[BaseMessage]) -> str:
    """Return the last message of the user."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and message.name != _OWN_MESSAGE:
            return message.text
    return ""


def _plan(arguments: object) -> list[tuple[str, str]]:
    todos = arguments.get("todos") if isinstance(arguments, dict) else None
    return [
        (str(todo.get("content", "")), _STATUS.get(str(todo.get("status")), TaskStatus.PENDING))
        for todo in todos or ()
        if isinstance(todo, dict)
    ]
