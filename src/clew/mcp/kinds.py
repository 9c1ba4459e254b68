"""Tool annotations for clients, and the tools that are always loaded."""

from __future__ import annotations

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
