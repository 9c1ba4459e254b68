"""Checkpoints before an agent's tools.

PraisonAI documents `Agent(checkpoints=...)` and `Agent(checkpoint_service=...)`, but its code has
neither parameter; `Checkpointing` adds both to an agent class.  Any tool may change files, so the workspace is scanned before each; a
checkpoint is taken if something is unsaved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from clew.compat.praisonai.service import CheckpointService

_PATH_ARGUMENTS = ("path", "file_path", "filepath", "filename", "file", "destination", "dst")


class Checkpointing:
    """Mixin for an agent class; it precedes that class in the MRO."""

    def __init__(
        self,
        *arguments: Any,
        checkpoints: CheckpointService | None = None,
        checkpoint_service: CheckpointService | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.checkpoints = checkpoints if checkpoints is not None else checkpoint_service

    @property
    def checkpoint_service(self) -> CheckpointService | None:
        """The service, under its other documented name."""
        return self.checkpoints

    def execute_tool(
        self, function_name: str, arguments: Mapping[str, Any], *rest: Any, **options: Any
    ) -> Any:
        """Take a checkpoint, then run a tool; a checkpoint that fails is an event of the service."""
        if self.checkpoints is not None:
            self.checkpoints.checkpoint_before(_describe(function_name, arguments))
        agent: Any = super()
        return agent.execute_tool(function_name, arguments, *rest, **options)

    async def execute_tool_async(
        self, function_name: str, arguments: Mapping[str, Any], *rest: Any, **options: Any
    ) -> Any:
        """Do the same without blocking the event loop."""
        if self.checkpoints is not None:
            await self.checkpoints.before_change(_describe(function_name, arguments))
        agent: Any = super()
        return await agent.execute_tool_async(function_name, arguments, *rest, **options)


@cache
def agent_class() -> Any:
    """Return PraisonAI's `Agent` with `checkpoints=`; raise ModuleNotFoundError without PraisonAI."""
    theirs = import_module("praisonaiagents").Agent
    return type("Agent", (Checkpointing, theirs), {"__doc__": theirs.__doc__})


def _describe(tool: str, arguments: object) -> str:
    found = arguments if isinstance(arguments, Mapping) else {}
    place = next((found[name] for name in _PATH_ARGUMENTS if isinstance(found.get(name), str)), "")
    return f"{tool}: {place}" if place else tool
