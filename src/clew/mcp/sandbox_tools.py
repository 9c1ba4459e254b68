"""The tools that keep a moment and try things on it: save, verify, fork, try, bisect.

`save` runs no command, so that a client need not ask anybody before it; `save_and_verify` does.
"""

from __future__ import annotations

import os
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from pydantic import Field

from clew.filenames import as_argument, from_utf8
from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Command, Net, Ref, Serve, Timeout
from clew.mcp.command_approval import COPY, LIVE, NETWORK, Approval, ApprovalRequest
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import ADDS, FIRST, RUNS
from clew.model.fork_results import ForkResult
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.render import json, json_bisect, json_forks, json_sandbox
from clew.render.safe import safe_line
from clew.workspace import Workspace

_INTENT = Annotated[
    str,
    Field(description="What this moment is, like `login works`; by default git's last subject"),
]
_NAME = Annotated[str, Field(description="A name to find it by, which also keeps it from pruning")]
_DESCRIPTION = Annotated[str, Field(description="More about it")]
_META = Annotated[dict[str, str], Field(description="Values to keep with it")]
_SKIP = Annotated[bool, Field(description="Make no checkpoint if nothing changed")]
_DIRECTORY = Annotated[
    str, Field(description="Where its files go, a new directory; by default into the store")
]
_FORK_NAME = Annotated[str, Field(description="What it is called; by default as the directory is")]
_CONVERSATION = Annotated[bool, Field(description="With conversation and tasks of the session")]
_WAYS = Annotated[
    dict[str, str],
    Field(description='The ways to go, each a name and a command: {"bump": "npm update"}'),
]
_JOBS = Annotated[
    int, Field(ge=0, description="How many at a time; 0 for as many as there is room")
]
_GOOD = Annotated[
    str, Field(description="Where it passes; by default the newest known to, else the oldest")
]
_BAD = Annotated[str, Field(description="Where it fails; by default `@`")]
_REPEAT = Annotated[int, Field(ge=1, le=100, description="Run it so often on each; all must agree")]


class SandboxTools:
    """Tools that add to history; those that run a command have it approved first."""

    def __init__(self, desk: ToolExecutor, approval: Approval) -> None:
        self._desk = desk
        self._approval = approval

    async def save(
        self,
        context: Context,
        intent: _INTENT = "",
        name: _NAME = "",
        description: _DESCRIPTION = "",
        meta: _META = {},  # noqa: B006 - never changed; the schema shows it as the default
        skip_unchanged: _SKIP = False,
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

        return answer(json.saved(await self._desk.work(context, body, create=True)))

    async def save_and_verify(
        self,
        context: Context,
        command: Command = "",
        intent: _INTENT = "",
        name: _NAME = "",
        description: _DESCRIPTION = "",
        timeout: Timeout = "",
        meta: _META = {},  # noqa: B006 - never changed; the schema shows it as the default
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

        request = ApprovalRequest(_RUN_ONE, (), (f"It runs {LIVE}.",), _given(command))
        # What is no workspace yet has no check of its own.
        saved = await self._approval.work(context, request, body, create=bool(command))
        return saved if isinstance(saved, InputRequiredResult) else answer(json.saved(saved))

    async def verify(
        self,
        context: Context,
        ref: Ref,
        command: Command = "",
        timeout: Timeout = "",
        net: Net = "",
        serve: Serve = "",
    ) -> results.Judged | InputRequiredResult:
        request = ApprovalRequest(_RUN_ONE, _given(serve), _in_a_copy(ref, net), _given(command))
        judged = await self._approval.work(
            context,
            request,
            lambda workspace, monitor: workspace.verify(
                ref,
                command or None,
                timeout=timeout or None,
                net=net or None,
                serve=serve or None,
                monitor=monitor,
            ),
        )
        if isinstance(judged, InputRequiredResult):
            return judged
        return answer(json_sandbox.judged(judged))

    async def fork(
        self,
        context: Context,
        ref: Ref,
        directory: _DIRECTORY = "",
        name: _FORK_NAME = "",
        conversation: _CONVERSATION = False,
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
            _MAKE_DIRECTORY, _given(directory), (f"The checkpoint: {safe_line(ref)}",)
        )
        forked = await self._approval.work(context, request, body)
        if isinstance(forked, InputRequiredResult):
            return forked
        return answer(json_forks.forked(forked))

    async def try_ways(
        self,
        context: Context,
        ref: Ref,
        ways: _WAYS,
        verify: Command = "",
        jobs: _JOBS = 0,
        timeout: Timeout = "",
        net: Net = "",
    ) -> results.Board | InputRequiredResult:
        request = ApprovalRequest(
            _RUN_ALL, tuple(ways.values()), _in_a_copy(ref, net), _given(verify)
        )
        board = await self._approval.work(
            context,
            request,
            lambda workspace, monitor: workspace.try_commands(
                ref,
                ways,
                verify=verify or None,
                jobs=jobs or None,
                timeout=timeout or None,
                net=net or None,
                monitor=monitor,
            ),
        )
        if isinstance(board, InputRequiredResult):
            return board
        return answer(json_sandbox.board(board))

    async def bisect(
        self,
        context: Context,
        command: Command = "",
        good: _GOOD = "",
        bad: _BAD = "",
        repeat: _REPEAT = 1,
        timeout: Timeout = "",
        net: Net = "",
        serve: Serve = "",
    ) -> results.Bisected | InputRequiredResult:
        details = _in_a_copy(f"{good or 'good'}..{bad or '@'}", net)
        request = ApprovalRequest(_RUN_ONE, _given(serve), details, _given(command))
        found = await self._approval.work(
            context,
            request,
            lambda workspace, monitor: workspace.bisect(
                good or None,
                bad or None,
                command=command or None,
                repeat=repeat,
                timeout=timeout or None,
                net=net or None,
                serve=serve or None,
                monitor=monitor,
            ),
        )
        if isinstance(found, InputRequiredResult):
            return found
        return answer(json_bisect.ended(found))


def _given(word: str) -> tuple[str, ...]:
    return (word,) if word else ()


def _in_a_copy(ref: str, net: str) -> tuple[str, ...]:
    network = f", {NETWORK}" if net else ""
    return (f"It runs {COPY}{network}.", f"The checkpoint: {safe_line(ref)}")


def add_trying(server: MCPServer, desk: ToolExecutor, *, allow_commands: bool) -> None:
    """Give the server its tools that add to history."""
    tools = SandboxTools(desk, Approval(desk, allow_all=allow_commands))
    for tool, name, title, description, kind, meta in (
        (tools.save, "save", "Save a checkpoint", _SAVE, ADDS, FIRST),
        (
            tools.save_and_verify,
            "save_and_verify",
            "Save and check",
            _SAVES_AND_VERIFIES,
            RUNS,
            None,
        ),
        (tools.verify, "verify", "Check a moment", _VERIFIES, RUNS, None),
        (tools.fork, "fork", "Fork a workspace", _FORKS, ADDS, None),
        (tools.try_ways, "try", "Try several ways", _TRIES, RUNS, None),
        (tools.bisect, "bisect", "Find the first bad checkpoint", _BISECTS, RUNS, None),
    ):
        server.add_tool(
            tool, name=name, title=title, description=description, annotations=kind, meta=meta,
            structured_output=True,
        )  # fmt: skip


_RUN_ONE = "The agent wants to run this command:"
_RUN_ALL = "The agent wants to run these commands:"
_MAKE_DIRECTORY = (
    "The agent wants to make this new directory (relative to the workspace) and fill it:"
)
_SAVE = """\
Capture the whole workspace as it is now, ignored files and .git included. Save before anything \
risky; when something works, `save_and_verify` also marks the moment good or bad. \
`restore` comes back to it."""
_SAVES_AND_VERIFIES = """\
Capture the workspace, then run a check in it and mark the moment good or bad. Without `command` it \
is the workspace's own check, which runs unasked; any other one runs once a person has said yes."""
_VERIFIES = """\
Run a check in a private copy of a checkpoint; the workspace is neither touched nor seen. \
Use it to learn whether an old moment worked, before you `restore` it. A person is asked before a \
command other than the workspace's own check runs."""
_FORKS = """\
Grow a new workspace from a checkpoint, in a directory of its own, to work on something else there. \
`adopt` brings what changes in it back. A person is asked before a directory outside is made."""
_TRIES = """\
Run several commands from one checkpoint, each in a private copy, side by side, and compare where \
they lead. The workspace is not touched; each result is a fork that `adopt` can bring in. \
A person is asked first."""
_BISECTS = """\
Find the first checkpoint on which a check fails, by running it in private copies. \
Use it when something broke and you do not know when; it may take minutes. A person is asked \
before a command other than the workspace's own check runs."""
