"""The tools for what belongs to a session and to the outside world: tasks and effects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Number, OfSession
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import ADDS, LOOKS, MARKS
from clew.render import json_effects, json_tasks

_TITLE = Annotated[str, Field(description="What is to be done")]
_STATUS = Annotated[
    Literal["in-progress", "completed", "failed", "skipped"], Field(description="How far it is")
]
_NOTE = Annotated[str, Field(description="What is to be said about it")]
_STANDING = Annotated[
    bool, Field(description="Only those that stand although a restore made them forgotten")
]
_WHAT = Annotated[str, Field(description="What is done, in words or as a command line")]
_TOOL = Annotated[str, Field(description="The tool that does it")]
_GIVEN = Annotated[Any, Field(description="What the tool is given; kept, and never shown")]
_REVERSIBLE = Annotated[bool, Field(description="Another act can take it back")]
_UNDO = Annotated[str, Field(description="The act that would take it back")]
_AGAIN = Annotated[bool, Field(description="Repeat on purpose what was done already")]
_BECAME = Annotated[Literal["done", "failed", "undone"], Field(description="What became of it")]
_OUTCOME = Annotated[str, Field(description="More about that")]


class KeepingTrack:
    """Tools about tasks and effects."""

    def __init__(self, desk: ToolExecutor) -> None:
        self._desk = desk

    async def tasks(self, context: Context, session: OfSession = "") -> results.Tasks:
        found = await self._desk.work(
            context, lambda workspace, _: workspace.tasks.list(session=session or None)
        )
        return answer(json_tasks.listed(found))

    async def add_task(
        self, context: Context, title: _TITLE, session: OfSession = ""
    ) -> results.TaskChange:
        change = await self._desk.work(
            context, lambda workspace, _: workspace.tasks.add(title, session=session or None)
        )
        return answer(json_tasks.changed(change))

    async def mark_task(
        self,
        context: Context,
        number: Number,
        status: _STATUS,
        note: _NOTE = "",
        session: OfSession = "",
    ) -> results.TaskChange:
        change = await self._desk.work(
            context,
            lambda workspace, _: workspace.tasks.mark(
                number, status, note=note, session=session or None
            ),
        )
        return answer(json_tasks.changed(change))

    async def effects(self, context: Context, standing: _STANDING = False) -> results.Effects:
        found = await self._desk.work(
            context, lambda workspace, _: workspace.effects.list(standing=standing)
        )
        return answer(json_effects.listed(found))

    async def record_effect(
        self,
        context: Context,
        what: _WHAT,
        tool: _TOOL = "",
        arguments: _GIVEN = None,
        reversible: _REVERSIBLE = False,
        undo: _UNDO = "",
        again: _AGAIN = False,
        session: OfSession = "",
    ) -> results.Effect:
        effect = await self._desk.work(
            context,
            lambda workspace, _: workspace.effects.record(
                what,
                tool=tool,
                arguments=arguments,
                reversible=reversible,
                undo=undo,
                again=again,
                session=session or None,
            ),
        )
        return answer(json_effects.one(effect))

    async def settle_effect(
        self, context: Context, number: Number, status: _BECAME, outcome: _OUTCOME = ""
    ) -> results.Effect:
        effect = await self._desk.work(
            context, lambda workspace, _: workspace.effects.settle(number, status, outcome=outcome)
        )
        return answer(json_effects.one(effect))


def add_keeping_track(server: MCPServer, desk: ToolExecutor) -> None:
    """Give the server its tools about tasks and effects."""
    tools = KeepingTrack(desk)
    for tool, title, description, kind in (
        (tools.tasks, "Task list", _TASKS, LOOKS),
        (tools.add_task, "Add a task", _ADD_TASK, ADDS),
        (tools.mark_task, "Mark a task", _MARK_TASK, MARKS),
        (tools.effects, "Acts outside", _EFFECTS, LOOKS),
        (tools.record_effect, "Announce an act outside", _RECORD, ADDS),
        (tools.settle_effect, "Say what became of an act", _SETTLE, MARKS),
    ):
        server.add_tool(
            tool, title=title, description=description, annotations=kind,
            structured_output=True,
        )  # fmt: skip


_TASKS = "List the tasks of the session at work. A restore brings the list back with the files."
_ADD_TASK = "Put a task at the end of the session's list; where there is no session, one is begun."
_MARK_TASK = "Say how far a task is. A task ends once."
_EFFECTS = """\
List acts on the outside world (deployments, messages, payments) that no restore takes back. \
Read it after a restore, so that nothing is done twice."""
_RECORD = """\
Write down an act on the outside world before you do it; `settle_effect` says afterwards what became \
of it. The same act again is refused if a restore made it forgotten, unless `again` is set."""
_SETTLE = "Say what became of an act that `record_effect` announced."
