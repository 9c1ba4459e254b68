"""An agent's tools, each preceded by a checkpoint of what they are about to change.

PraisonAI's documentation hands a service to `Agent(checkpoints=...)`, and its code has no such
parameter; `Checkpointing` gives an agent class one.  Nobody can tell which tool will change files,
so each is preceded by a look; a checkpoint is made where something is not in one already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clew.compat.praisonai.service import CheckpointService

_PLACES = ("path", "file_path", "filepath", "filename", "file", "destination", "dst")


class Checkpointing:
    """What an agent class is given; it stands before that class."""

    def __init__(
        self, *arguments: Any, checkpoints: CheckpointService | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.checkpoints = checkpoints

    def execute_tool(
        self, function_name: str, arguments: Mapping[str, Any], *rest: Any, **options: Any
    ) -> Any:
        """Take a checkpoint, then run a tool; a checkpoint that fails is an event of the service."""
        if self.checkpoints is not None:
            self.checkpoints.checkpoint_before(_described(function_name, arguments))
        there: Any = super()
        return there.execute_tool(function_name, arguments, *rest, **options)

    async def execute_tool_async(
        self, function_name: str, arguments: Mapping[str, Any], *rest: Any, **options: Any
    ) -> Any:
        """Do the same without holding up the event loop."""
        if self.checkpoints is not None:
            await self.checkpoints.before_change(_described(function_name, arguments))
        there: Any = super()
        return await there.execute_tool_async(function_name, arguments, *rest, **options)


def _described(tool: str, arguments: object) -> str:
    found = arguments if isinstance(arguments, Mapping) else {}
    place = next((found[name] for name in _PLACES if isinstance(found.get(name), str)), "")
    return f"{tool}: {place}" if place else tool
