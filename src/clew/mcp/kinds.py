"""Tools as declared to clients: their annotations, and which are always loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

LOOKS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
"""Adds to history and removes nothing."""
MARKS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""Sets a status; repeating it changes nothing."""
RUNS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)
"""Runs a command, which may do anything."""
OVERWRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
STEPS_BACK = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
"""Overwrites, and goes one step further with every call."""

FIRST = {"anthropic/alwaysLoad": True}
"""For the few tools that an agent needs before it searches for others."""


class Tool(NamedTuple):
    """A tool and its description."""

    function: Callable[..., Any]
    title: str
    description: str
    kind: ToolAnnotations
    name: str | None = None
    """None is the name of the function."""
    meta: dict[str, Any] | None = None


def add_tools(server: MCPServer, *tools: Tool) -> None:
    """Register tools; each result has the structure that its return type declares."""
    for tool in tools:
        server.add_tool(
            tool.function, name=tool.name, title=tool.title, description=tool.description,
            annotations=tool.kind, meta=tool.meta, structured_output=True,
        )  # fmt: skip
