"""What sort of tool it is, as clients are told; and which ones are always in front of the model."""

from __future__ import annotations

from mcp.types import ToolAnnotations

LOOKS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
"""Adds to history, and takes nothing away."""
MARKS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""Says something that can be said twice."""
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
"""Overwrites, and goes further with every call."""

FIRST = {"anthropic/alwaysLoad": True}
"""For the few that an agent needs before it looks for any others."""
