"""Tools that overwrite files after confirmation: restore, undo, adopt."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from pydantic import Field

from clew.mcp import results
from clew.mcp.arguments import REF_MEANING, Detail, Favour, Paths
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import FIRST, OVERWRITES, STEPS_BACK, Tool, add_tools
from clew.mcp.restore_approval import with_confirmation
from clew.model.restore_results import RestoreResult
from clew.monitor import Monitor
from clew.workspace import Confirm, Workspace

_PARTS = Annotated[
    list[str],
    Field(description="Any of `files`, `conversation`, `tasks` (default: all that apply)"),
]
_KEEP_MINE = Annotated[
    bool, Field(description="Keep edits since the last checkpoint by merging them")
]
_RESTORED = Annotated[str, Field(description=f"{REF_MEANING}; empty with `before_failure`")]
_BEFORE_FAILURE = Annotated[
    bool, Field(description="Restore the checkpoint before the last tool call that failed")
]
_SESSION = Annotated[str, Field(description="With `before_failure`: id of the session of the call")]
_STEPS = Annotated[int, Field(ge=1, description="Number of steps")]
_FORK = Annotated[
    str, Field(description="A fork: its name, its directory, or the id of its workspace")
]

RestoreAnswer = results.Restored | InputRequiredResult


def add_restore_tools(server: MCPServer, executor: ToolExecutor) -> None:
    """Register the tools that change the workspace's files."""

    async def restore(
        context: Context,
        ref: _RESTORED = "",
        paths: Paths = [],  # noqa: B006 - never changed; the schema shows it as the default
        parts: _PARTS = [],  # noqa: B006 - the same
        keep_mine: _KEEP_MINE = False,
        favour: Favour = "",
        before_failure: _BEFORE_FAILURE = False,
        session: _SESSION = "",
        detail: Detail = False,
    ) -> RestoreAnswer:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.restore(
                ref or None,
                paths=paths,
                parts=parts,
                keep_mine=keep_mine,
                favour=favour or None,
                before_failure=before_failure,
                session=session or None,
                confirm=confirm,
                monitor=monitor,
            )

        return await with_confirmation(executor, context, act, detail=detail)

    async def undo(context: Context, steps: _STEPS = 1, detail: Detail = False) -> RestoreAnswer:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.undo(steps, confirm=confirm, monitor=monitor)

        return await with_confirmation(executor, context, act, detail=detail)

    async def adopt(
        context: Context,
        fork: _FORK,
        paths: Paths = [],  # noqa: B006 - never changed; the schema shows it as the default
        favour: Favour = "",
        detail: Detail = False,
    ) -> RestoreAnswer:
        def act(workspace: Workspace, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
            return workspace.forks.adopt(
                fork, paths=paths, favour=favour or None, confirm=confirm, monitor=monitor
            )

        return await with_confirmation(executor, context, act, detail=detail)

    add_tools(
        server,
        Tool(restore, "Restore a checkpoint", _RESTORE, OVERWRITES, meta=FIRST),
        Tool(undo, "Undo", _UNDO, STEPS_BACK),
        Tool(adopt, "Adopt a fork", _ADOPT, OVERWRITES),
    )


_RESTORE = """\
Restore the workspace to a checkpoint, or only some paths of it. The current state is saved first, \
and `undo` restores it. A person must confirm before anything is overwritten; otherwise nothing is \
changed. `effects` in the result are external actions that were not undone: do not repeat them."""
_UNDO = """\
Undo the last save, restore or unsaved edits. The current state is saved first. \
A person must confirm before anything is overwritten."""
_ADOPT = """\
Merge the changes of a fork into the workspace. If there are conflicts, they are listed and nothing \
is changed. A person must confirm before anything is overwritten."""
