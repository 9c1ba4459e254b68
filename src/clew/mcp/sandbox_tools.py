"""Tools that add to history: save, verify, drill, fork, try, bisect.

`save` runs no command, so a client can allow it without asking; `save_and_verify` runs one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Generic, NamedTuple, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from clew.filenames import as_argument, from_utf8
from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import AllowSockets, Command, Detail, Net, Ref, Serve, Timeout
from clew.mcp.command_approval import COPY, LIVE, NETWORK, Approval, ApprovalRequest
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import ADDS, FIRST, RUNS, Tool, add_tools
from clew.mcp.short import history, sandbox
from clew.mcp.short.values import Full, Short
from clew.model.fork_results import ForkResult
from clew.model.sandbox_results import DrillResult
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.render import json, json_bisect, json_forks, json_sandbox
from clew.render.safe import safe_line
from clew.workspace import Workspace

if TYPE_CHECKING:
    from clew.render.json_values import Json

T = TypeVar("T")

_INTENT = Annotated[
    str,
    Field(
        description="What this checkpoint is, like `login works` (default: the subject of git's last commit)"
    ),
]
_NAME = Annotated[str, Field(description="A name; a named checkpoint is never pruned")]
_DESCRIPTION = Annotated[str, Field(description="A longer description")]
_META = Annotated[dict[str, str], Field(description="Keys and values to store with it")]
_SKIP = Annotated[bool, Field(description="Create no checkpoint if nothing changed")]
_DRILLED = Annotated[
    str, Field(description="The checkpoint (default: the newest good one, else a random one)")
]
_RANDOM = Annotated[bool, Field(description="Choose a random checkpoint")]
_DIRECTORY = Annotated[
    str, Field(description="A new directory for its files (default: in the store)")
]
_FORK_NAME = Annotated[str, Field(description="Its name (default: the name of the directory)")]
_CONVERSATION = Annotated[bool, Field(description="Include the session's conversation and tasks")]
_ATTEMPTS = Annotated[
    dict[str, str],
    Field(description='The commands to try, by name: {"bump": "npm update"}'),
]
_JOBS = Annotated[int, Field(ge=0, description="Number of parallel runs; 0 for as many as fit")]
_GOOD = Annotated[
    str,
    Field(
        description="A checkpoint where it passes (default: the newest known, otherwise the oldest)"
    ),
]
_BAD = Annotated[str, Field(description="A checkpoint where it fails (default: `@`)")]
_REPEAT = Annotated[
    int, Field(ge=1, le=100, description="Number of runs on each checkpoint; all must agree")
]


class View(NamedTuple, Generic[T]):
    """How a result is answered."""

    value: Callable[[T], Json]
    """Returns all that the command line prints."""
    shorten: Callable[[Full], Short]
    detail: bool


class SandboxTools:
    """Tools that add to history; a command needs approval before it runs."""

    def __init__(self, executor: ToolExecutor, approval: Approval) -> None:
        self._executor = executor
        self._approval = approval

    async def save(
        self,
        context: Context,
        intent: _INTENT = "",
        name: _NAME = "",
        description: _DESCRIPTION = "",
        meta: _META = {},  # noqa: B006 - never changed; the schema shows it as the default
        skip_unchanged: _SKIP = False,
        detail: Detail = False,
    ) -> results.Saved:
        def body(workspace: Workspace, monitor: Monitor) -> SaveResult:
            return workspace.save(
                intent or None,
                name=name or None,
                description=description,
                meta=meta,
                skip_unchanged=skip_unchanged,
                monitor=monitor,
            )

        result = await self._executor.work(context, body, create=True)
        return answer(json.saved(result), history.saved, detail)

    async def save_and_verify(
        self,
        context: Context,
        command: Command = "",
        intent: _INTENT = "",
        name: _NAME = "",
        description: _DESCRIPTION = "",
        timeout: Timeout = "",
        meta: _META = {},  # noqa: B006 - never changed; the schema shows it as the default
        detail: Detail = False,
    ) -> results.Saved | InputRequiredResult:
        def body(workspace: Workspace, monitor: Monitor) -> SaveResult:
            return workspace.save(
                intent or None,
                name=name or None,
                description=description,
                verify=command or None,
                check=not command,
                timeout=timeout or None,
                meta=meta,
                monitor=monitor,
            )

        request = ApprovalRequest(_RUN_ONE, (), (f"It runs {LIVE}.",), _optional(command))
        # A new workspace has no check of its own.
        view = View(json.saved, history.saved, detail)
        return await self._approved(context, request, body, view, create=bool(command))

    async def verify(
        self,
        context: Context,
        ref: Ref,
        command: Command = "",
        timeout: Timeout = "",
        network: Net = "",
        serve: Serve = "",
        allow_sockets: AllowSockets = [],  # noqa: B006 - as above
        detail: Detail = False,
    ) -> results.Verified | InputRequiredResult:
        request = ApprovalRequest(
            _RUN_ONE,
            _optional(serve),
            _in_a_copy(ref, network),
            _optional(command),
            tuple(allow_sockets),
        )
        return await self._approved(
            context,
            request,
            lambda workspace, monitor: workspace.verify(
                ref,
                command or None,
                timeout=timeout or None,
                network=network or None,
                allow_sockets=allow_sockets,
                serve=serve or None,
                monitor=monitor,
            ),
            View(json_sandbox.judged, sandbox.judged, detail),
        )

    async def drill(
        self,
        context: Context,
        ref: _DRILLED = "",
        random: _RANDOM = False,
        detail: Detail = False,
    ) -> results.Drilled:
        def body(workspace: Workspace, monitor: Monitor) -> DrillResult:
            # The command of a verdict may be any command: only the workspace's own check is run.
            own = bool(workspace.settings.all()["verify"])
            return workspace.drill(ref or None, random=random, check=own, monitor=monitor)

        result = await self._executor.work(context, body)
        return answer(json_sandbox.drilled(result), sandbox.drilled, detail)

    async def fork(
        self,
        context: Context,
        ref: Ref,
        directory: _DIRECTORY = "",
        name: _FORK_NAME = "",
        conversation: _CONVERSATION = False,
        detail: Detail = False,
    ) -> results.Forked | InputRequiredResult:
        def body(workspace: Workspace, monitor: Monitor) -> ForkResult:
            place = (
                os.path.join(as_argument(workspace.info.path), from_utf8(directory))
                if directory
                else None
            )
            return workspace.forks.create(
                ref, place, name=name or None, conversation=conversation, monitor=monitor
            )

        request = ApprovalRequest(
            _MAKE_DIRECTORY, _optional(directory), (f"The checkpoint: {safe_line(ref)}",)
        )
        view = View(json_forks.forked, sandbox.forked, detail)
        return await self._approved(context, request, body, view)

    async def try_commands(
        self,
        context: Context,
        ref: Ref,
        attempts: _ATTEMPTS,
        verify: Command = "",
        jobs: _JOBS = 0,
        timeout: Timeout = "",
        network: Net = "",
        allow_sockets: AllowSockets = [],  # noqa: B006 - as above
        detail: Detail = False,
    ) -> results.Attempts | InputRequiredResult:
        request = ApprovalRequest(
            _RUN_ALL,
            tuple(attempts.values()),
            _in_a_copy(ref, network),
            _optional(verify),
            tuple(allow_sockets),
        )
        return await self._approved(
            context,
            request,
            lambda workspace, monitor: workspace.try_commands(
                ref,
                attempts,
                verify=verify or None,
                jobs=jobs or None,
                timeout=timeout or None,
                network=network or None,
                allow_sockets=allow_sockets,
                monitor=monitor,
            ),
            View(json_sandbox.board, sandbox.board, detail),
        )

    async def bisect(
        self,
        context: Context,
        command: Command = "",
        good: _GOOD = "",
        bad: _BAD = "",
        repeat: _REPEAT = 1,
        timeout: Timeout = "",
        network: Net = "",
        serve: Serve = "",
        allow_sockets: AllowSockets = [],  # noqa: B006 - as above
        detail: Detail = False,
    ) -> results.Bisected | InputRequiredResult:
        details = _in_a_copy(f"{good or 'good'}..{bad or '@'}", network)
        request = ApprovalRequest(
            _RUN_ONE, _optional(serve), details, _optional(command), tuple(allow_sockets)
        )
        return await self._approved(
            context,
            request,
            lambda workspace, monitor: workspace.bisect(
                good or None,
                bad or None,
                command=command or None,
                repeat=repeat,
                timeout=timeout or None,
                network=network or None,
                allow_sockets=allow_sockets,
                serve=serve or None,
                monitor=monitor,
            ),
            View(json_bisect.ended, sandbox.ended, detail),
        )

    async def _approved(
        self,
        context: Context,
        request: ApprovalRequest,
        body: Callable[[Workspace, Monitor], T],
        view: View[T],
        *,
        create: bool = False,
    ) -> CallToolResult | InputRequiredResult:
        """Run `body` with approval, and return its result as JSON, or the question to the client."""
        found = await self._approval.work(context, request, body, create=create)
        if isinstance(found, InputRequiredResult):
            return found
        return answer(view.value(found), view.shorten, view.detail)


def _optional(word: str) -> tuple[str, ...]:
    return (word,) if word else ()


def _in_a_copy(ref: str, network: str) -> tuple[str, ...]:
    shared = f", {NETWORK}" if network else ""
    return (f"It runs {COPY}{shared}.", f"The checkpoint: {safe_line(ref)}")


def add_sandbox_tools(server: MCPServer, executor: ToolExecutor, *, allow_commands: bool) -> None:
    """Register the tools that add to history."""
    tools = SandboxTools(executor, Approval(executor, allow_all=allow_commands))
    add_tools(
        server,
        Tool(tools.save, "Save a checkpoint", _SAVE, ADDS, meta=FIRST),
        Tool(tools.save_and_verify, "Save and verify", _SAVE_AND_VERIFY, RUNS),
        Tool(tools.verify, "Verify a checkpoint", _VERIFY, RUNS),
        Tool(tools.drill, "Prove a restore", _DRILL, RUNS),
        Tool(tools.fork, "Fork a workspace", _FORK, ADDS),
        Tool(tools.try_commands, "Try several commands", _TRY, RUNS, name="try"),
        Tool(tools.bisect, "Find the first bad checkpoint", _BISECT, RUNS),
    )


_RUN_ONE = "The agent wants to run this command:"
_RUN_ALL = "The agent wants to run these commands:"
_MAKE_DIRECTORY = (
    "The agent wants to create this directory (relative to the workspace) and write files to it:"
)
_SAVE = """\
Capture the whole workspace, ignored files and .git included. Save before anything risky; when \
something works, use `save_and_verify` to record whether a check passes. `restore` restores it."""
_SAVE_AND_VERIFY = """\
Capture the workspace, then run a check in it and record whether it passes. Without `command` it is \
the workspace's own check, which needs no approval; any other command needs a person's approval."""
_VERIFY = """\
Run a check in a private copy of a checkpoint, isolated from the workspace. \
Use it to find out whether an old checkpoint works before you `restore` it. A command other than \
the workspace's own check needs a person's approval."""
_DRILL = """\
Prove that a checkpoint can be restored: restore it to a private copy, compare every byte with the \
record, and run the workspace's own check there. The workspace is not changed. Use it before you \
rely on an old checkpoint; `show` has the date of the last drill."""
_FORK = """\
Create a new workspace from a checkpoint, in a separate directory, to work on something else there. \
`adopt` merges its changes back. If `path_references` lists files that name this workspace's path, run \
programs of the fork with `clew enter NAME -- COMMAND`, or they write here. \
A directory outside the store needs a person's approval."""
_TRY = """\
Run several commands from one checkpoint, each in a private copy, in parallel, and compare the \
results. The workspace is not changed; each result is a fork that `adopt` can merge. \
The commands need a person's approval."""
_BISECT = """\
Find the first checkpoint on which a check fails, by running it in private copies. \
Use it when something broke and you do not know when; it may take minutes. A command other than \
the workspace's own check needs a person's approval."""
