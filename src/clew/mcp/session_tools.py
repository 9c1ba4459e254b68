"""Tools for tasks and effects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Detail, Number, OfSession
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import ADDS, LOOKS, MARKS, Tool, add_tools
from clew.mcp.short import sessions
from clew.render import json_effects, json_tasks

_TITLE = Annotated[str, Field(description="What is to be done")]
_STATUS = Annotated[
    Literal["in-progress", "completed", "failed", "skipped"], Field(description="The new status")
]
_NOTE = Annotated[str, Field(description="A note")]
_OUTSTANDING = Annotated[
    bool, Field(description="Only effects that a restore removed from history and did not undo")
]
_ACTION = Annotated[str, Field(description="The action, as text or as a command line")]
_TOOL = Annotated[str, Field(description="The tool that performs it")]
_GIVEN = Annotated[Any, Field(description="The arguments of the tool; stored, never shown")]
_REVERSIBLE = Annotated[bool, Field(description="Whether another action can undo it")]
_UNDO = Annotated[str, Field(description="The action that would undo it")]
_AGAIN = Annotated[bool, Field(description="Repeat on purpose an action that was done already")]
_BECAME = Annotated[Literal["done", "failed", "undone"], Field(description="The result")]
_OUTCOME = Annotated[str, Field(description="Details of the result")]


class SessionTools:
    """Tools for tasks and effects."""

    def __init__(self, executor: ToolExecutor) -> None:
        self._executor = executor

    async def tasks(
        self, context: Context, session: OfSession = "", detail: Detail = False
    ) -> results.Tasks:
        found = await self._executor.work(
            context, lambda workspace, _: workspace.tasks.list(session=session or None)
        )
        return answer(json_tasks.listed(found), sessions.tasks, detail)

    async def add_task(
        self,
        context: Context,
        title: _TITLE,
        session: OfSession = "",
        detail: Detail = False,
    ) -> results.TaskChange:
        change = await self._executor.work(
            context, lambda workspace, _: workspace.tasks.add(title, session=session or None)
        )
        return answer(json_tasks.changed(change), sessions.task, detail)

    async def mark_task(
        self,
        context: Context,
        number: Number,
        status: _STATUS,
        note: _NOTE = "",
        session: OfSession = "",
        detail: Detail = False,
    ) -> results.TaskChange:
        change = await self._executor.work(
            context,
            lambda workspace, _: workspace.tasks.mark(
                number, status, note=note, session=session or None
            ),
        )
        return answer(json_tasks.changed(change), sessions.task, detail)

    async def effects(
        self, context: Context, outstanding: _OUTSTANDING = False, detail: Detail = False
    ) -> results.Effects:
        found = await self._executor.work(
            context, lambda workspace, _: workspace.effects.list(outstanding=outstanding)
        )
        return answer(json_effects.listed(found), sessions.effects, detail)

    async def record_effect(
        self,
        context: Context,
        action: _ACTION,
        tool: _TOOL = "",
        arguments: _GIVEN = None,
        reversible: _REVERSIBLE = False,
        undo: _UNDO = "",
        again: _AGAIN = False,
        session: OfSession = "",
        detail: Detail = False,
    ) -> results.Effect:
        effect = await self._executor.work(
            context,
            lambda workspace, _: workspace.effects.record(
                action,
                tool=tool,
                arguments=arguments,
                reversible=reversible,
                undo=undo,
                again=again,
                session=session or None,
            ),
        )
        return answer(json_effects.one(effect), sessions.effect, detail)

    async def settle_effect(
        self,
        context: Context,
        number: Number,
        status: _BECAME,
        outcome: _OUTCOME = "",
        detail: Detail = False,
    ) -> results.Effect:
        effect = await self._executor.work(
            context, lambda workspace, _: workspace.effects.settle(number, status, outcome=outcome)
        )
        return answer(json_effects.one(effect), sessions.effect, detail)


def add_session_tools(server: MCPServer, executor: ToolExecutor) -> None:
    """Register the tools for tasks and effects."""
    tools = SessionTools(executor)
    add_tools(
        server,
        Tool(tools.tasks, "Task list", _TASKS, LOOKS),
        Tool(tools.add_task, "Add a task", _ADD_TASK, ADDS),
        Tool(tools.mark_task, "Set the status of a task", _MARK_TASK, MARKS),
        Tool(tools.effects, "External effects", _EFFECTS, LOOKS),
        Tool(tools.record_effect, "Record an external effect", _RECORD, ADDS),
        Tool(tools.settle_effect, "Report the result of an effect", _SETTLE, MARKS),
    )


_TASKS = "List the tasks of the attached session. A restore restores the list with the files."
_ADD_TASK = (
    "Add a task to the end of the session's list; if no session is attached, one is started."
)
_MARK_TASK = "Set the status of a task. A finished task cannot be changed."
_EFFECTS = """\
List actions outside the workspace (deployments, messages, payments), which a restore cannot undo. \
Call it after a restore, so that nothing is done twice."""
_RECORD = """\
Record an action outside the workspace before you perform it; report its result with \
`settle_effect`. An action that was done already and that a restore removed from history is refused, \
unless `again` is set."""
_SETTLE = "Report the result of an effect that `record_effect` recorded."
