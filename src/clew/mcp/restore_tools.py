"""The tools that overwrite files: restore, undo, adopt.  A person is asked first."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from pydantic import Field

from clew.mcp import results
from clew.mcp.arguments import Favour, Paths, Ref
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import FIRST, OVERWRITES, STEPS_BACK
from clew.mcp.restore_approval import with_a_yes
from clew.model.restore_results import RestoreResult
from clew.monitor import Monitor
from clew.workspace import Confirm, Workspace

_PARTS = Annotated[
    list[str],
    Field(description="Of `files`, `conversation`, `tasks`; by default all that applies"),
]
_KEEP_MINE = Annotated[
    bool, Field(description="Keep what was edited since the last checkpoint, by merging it")
]
_STEPS = Annotated[int, Field(ge=1, description="How many steps")]
_FORK = Annotated[str, Field(description="A fork: its name, its directory, or its workspace's id")]

Going = results.Restored | InputRequiredResult


def add_going_back(server: MCPServer, desk: ToolExecutor) -> None:
    """Give the server its tools that change the workspace's files."""

    async def restore(
        context: Context,
        ref: Ref,
        paths: Paths = [],  # noqa: B006 - never changed; the schema shows it as the default
        parts: _PARTS = [],  # noqa: B006 - the same
        keep_mine: _KEEP_MINE = False,
        favour: Favour = "",
    ) -> Going:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.restore(
                ref,
                paths=paths,
                parts=parts,
                keep_mine=keep_mine,
                favour=favour or None,
                confirm=confirm,
                monitor=monitor,
            )

        return await with_a_yes(desk, context, act)

    async def undo(context: Context, steps: _STEPS = 1) -> Going:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.undo(steps, confirm=confirm, monitor=monitor)

        return await with_a_yes(desk, context, act)

    async def adopt(
        context: Context,
        fork: _FORK,
        paths: Paths = [],  # noqa: B006 - never changed; the schema shows it as the default
        favour: Favour = "",
    ) -> Going:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.forks.adopt(
                fork, paths=paths, favour=favour or None, confirm=confirm, monitor=monitor
            )

        return await with_a_yes(desk, context, act)

    server.add_tool(
        restore, title="Go back", description=_RESTORE, annotations=OVERWRITES, meta=FIRST,
        structured_output=True,
    )  # fmt: skip
    server.add_tool(
        undo, title="Undo", description=_UNDO, annotations=STEPS_BACK, structured_output=True
    )
    server.add_tool(
        adopt, title="Adopt a fork", description=_ADOPT, annotations=OVERWRITES,
        structured_output=True,
    )  # fmt: skip


_RESTORE = """\
Make the workspace exactly what a checkpoint holds, or only some paths of it. What is there now is \
saved first, so `undo` takes it back. A person is asked before anything is overwritten; without \
their yes nothing is changed. `effects` in the result are acts outside that still stand: do not \
repeat them."""
_UNDO = """\
Take back the last save, restore or unsaved edits. What is there now is saved first. \
A person is asked before anything is overwritten."""
_ADOPT = """\
Bring what a fork changed into the workspace, merging text. Where both changed the same thing all \
conflicts are listed and nothing is changed. A person is asked before anything is overwritten."""
