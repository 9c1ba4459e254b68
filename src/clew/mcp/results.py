"""Output schemas of the tools: the shapes of the short answers, which complete ones satisfy too."""

from __future__ import annotations

from typing import Annotated

from mcp.types import CallToolResult

from clew.mcp.short import shapes

Saved = Annotated[CallToolResult, shapes.Saved]
Log = Annotated[CallToolResult, shapes.Log]
Shown = Annotated[CallToolResult, shapes.Shown]
Difference = Annotated[CallToolResult, shapes.Difference]
Status = Annotated[CallToolResult, shapes.Status]
Found = Annotated[CallToolResult, shapes.Found]
Content = Annotated[CallToolResult, shapes.Content]
Blamed = Annotated[CallToolResult, shapes.Blamed]
Restored = Annotated[CallToolResult, shapes.Restored]
Verified = Annotated[CallToolResult, shapes.Verified]
Drilled = Annotated[CallToolResult, shapes.Drilled]
Forked = Annotated[CallToolResult, shapes.Forked]
Attempts = Annotated[CallToolResult, shapes.Attempts]
Bisected = Annotated[CallToolResult, shapes.Bisected]
Tasks = Annotated[CallToolResult, shapes.TaskList]
TaskChange = Annotated[CallToolResult, shapes.TaskChange]
Effects = Annotated[CallToolResult, shapes.EffectList]
Effect = Annotated[CallToolResult, shapes.EffectChange]
