"""Output schemas of the tools: the shapes that the commands print, and `truncated`."""

from __future__ import annotations

from types import new_class
from typing import Annotated, NotRequired

from mcp.types import CallToolResult
from typing_extensions import TypedDict

from clew.render.shapes import history, restore, sandbox, sessions
from clew.render.shapes.forks import ForkOutput


class Bounded(TypedDict):
    truncated: NotRequired[list[str]]
    """what was left out to keep the answer short, one sentence each"""


def _bounded(shape: type) -> type:
    """Return `shape` with the field `truncated`."""
    return new_class(shape.__name__, (shape, Bounded))


Saved = Annotated[CallToolResult, _bounded(history.SaveOutput)]
Log = Annotated[CallToolResult, _bounded(history.LogOutput)]
Shown = Annotated[CallToolResult, _bounded(history.ShowOutput)]
Difference = Annotated[CallToolResult, _bounded(history.DiffOutput)]
Status = Annotated[CallToolResult, _bounded(history.StatusOutput)]
Found = Annotated[CallToolResult, _bounded(history.GoodOutput)]
Content = Annotated[CallToolResult, _bounded(history.CatOutput)]
Blamed = Annotated[CallToolResult, _bounded(history.BlameOutput)]
Restored = Annotated[CallToolResult, _bounded(restore.RestoreOutput)]
Verified = Annotated[CallToolResult, _bounded(sandbox.VerifyOutput)]
Drilled = Annotated[CallToolResult, _bounded(sandbox.DrillOutput)]
Forked = Annotated[CallToolResult, _bounded(ForkOutput)]
Attempts = Annotated[CallToolResult, _bounded(sandbox.TryOutput)]
Bisected = Annotated[CallToolResult, _bounded(sandbox.BisectOutput)]
Tasks = Annotated[CallToolResult, _bounded(sessions.TaskListOutput)]
TaskChange = Annotated[CallToolResult, _bounded(sessions.TaskOutput)]
Effects = Annotated[CallToolResult, _bounded(sessions.EffectListOutput)]
Effect = Annotated[CallToolResult, _bounded(sessions.EffectOutput)]
