"""The tools that keep a moment and try things on it: save, verify, fork, try, bisect."""

from __future__ import annotations

import os
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Command, Net, Ref, Serve, Timeout
from clew.mcp.desk import Desk
from clew.mcp.kinds import ADDS, FIRST
from clew.model.forking import ForkResult
from clew.model.saving import SaveResult
from clew.monitor import Monitor
from clew.render import json, json_bisecting, json_forks, json_trying
from clew.workspace import Workspace

_INTENT = Annotated[
    str,
    Field(description="What this moment is, like `login works`; by default git's last subject"),
]
_NAME = Annotated[str, Field(description="A name to find it by, which also keeps it from pruning")]
_DESCRIPTION = Annotated[str, Field(description="More about it")]
_VERIFY = Annotated[str, Field(description="Run this afterwards and note whether it passes")]
_CHECK = Annotated[bool, Field(description="Run the workspace's own check afterwards")]
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


class Trying:
    """Tools that add to history, and overwrite nothing."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def save(
        self,
        context: Context,
        intent: _INTENT = "",
        name: _NAME = "",
        description: _DESCRIPTION = "",
        verify: _VERIFY = "",
        check: _CHECK = False,
        timeout: Timeout = "",
        meta: _META = {},  # noqa: B006 - never changed; the schema shows it as the default
        skip_unchanged: _SKIP = False,
    ) -> results.Saved:
        def body(workspace: Workspace, monitor: Monitor) -> SaveResult:
            saved = workspace.save(
                intent or None,
                name=name or None,
                description=description,
                verify=verify or None,
                check=check,
                timeout=timeout or None,
                meta=meta,
                skip_unchanged=skip_unchanged,
                monitor=monitor,
            )
            workspace.prune_now_and_then(saved)
            return saved

        # What is no workspace yet has no check of its own.
        return answer(json.saved(await self._desk.work(context, body, create=not check)))

    async def verify(
        self,
        context: Context,
        ref: Ref,
        command: Command = "",
        timeout: Timeout = "",
        net: Net = "",
        serve: Serve = "",
    ) -> results.Judged:
        judged = await self._desk.work(
            context,
            lambda workspace, monitor: workspace.verify(
                ref,
                command or None,
                timeout=timeout or None,
                net=net or None,
                serve=serve or None,
                monitor=monitor,
            ),
        )
        return answer(json_trying.judged(judged))

    async def fork(
        self,
        context: Context,
        ref: Ref,
        directory: _DIRECTORY = "",
        name: _FORK_NAME = "",
        conversation: _CONVERSATION = False,
    ) -> results.Forked:
        def body(workspace: Workspace, monitor: Monitor) -> ForkResult:
            place = os.path.join(os.fsdecode(workspace.info.path), directory) if directory else None
            return workspace.fork(
                ref, place, name=name or None, conversation=conversation, monitor=monitor
            )

        return answer(json_forks.forked(await self._desk.work(context, body)))

    async def try_ways(
        self,
        context: Context,
        ref: Ref,
        ways: _WAYS,
        verify: Command = "",
        jobs: _JOBS = 0,
        timeout: Timeout = "",
        net: Net = "",
    ) -> results.Board:
        board = await self._desk.work(
            context,
            lambda workspace, monitor: workspace.try_ways(
                ref,
                ways,
                verify=verify or None,
                jobs=jobs or None,
                timeout=timeout or None,
                net=net or None,
                monitor=monitor,
            ),
        )
        return answer(json_trying.board(board))

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
    ) -> results.Bisected:
        found = await self._desk.work(
            context,
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
        return answer(json_bisecting.ended(found))


def add_trying(server: MCPServer, desk: Desk) -> None:
    """Give the server its tools that add to history, and overwrite nothing."""
    tools = Trying(desk)
    for tool, name, title, description, meta in (
        (tools.save, "save", "Save a checkpoint", _SAVE, FIRST),
        (tools.verify, "verify", "Check a moment", _VERIFIES, None),
        (tools.fork, "fork", "Fork a workspace", _FORKS, None),
        (tools.try_ways, "try", "Try several ways", _TRIES, None),
        (tools.bisect, "bisect", "Find the first bad checkpoint", _BISECTS, None),
    ):
        server.add_tool(
            tool, name=name, title=title, description=description, annotations=ADDS, meta=meta,
            structured_output=True,
        )  # fmt: skip


_SAVE = """\
Capture the whole workspace as it is now, ignored files and .git included. Save before anything \
risky and whenever something works; `verify` runs a check and marks the moment good or bad. \
`restore` comes back to it."""
_VERIFIES = """\
Run a check in a private copy of a checkpoint; the workspace is neither touched nor seen. \
Use it to learn whether an old moment worked, before you `restore` it."""
_FORKS = """\
Grow a new workspace from a checkpoint, in a directory of its own, to work on something else there. \
`adopt` brings what changes in it back."""
_TRIES = """\
Run several commands from one checkpoint, each in a private copy, side by side, and compare where \
they lead. The workspace is not touched; each result is a fork that `adopt` can bring in."""
_BISECTS = """\
Find the first checkpoint on which a check fails, by running it in private copies. \
Use it when something broke and you do not know when; it may take minutes."""
