"""Read-only tools: log, show, status, diff, good, blame, cat."""

from __future__ import annotations

import os
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from pydantic import AfterValidator, Field

from clew.filenames import from_utf8
from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Limit, NewerRef, OlderRef, Paths, Ref
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import FIRST, LOOKS, Tool, add_tools
from clew.model.results import Difference
from clew.monitor import Monitor
from clew.policy.redaction.conceal import conceal_content
from clew.render import json
from clew.workspace import Workspace

_GREP = Annotated[str, Field(description="Only checkpoints whose intent or name contains this")]
_PATH = Annotated[
    str, Field(description="Only checkpoints that changed this path"), AfterValidator(from_utf8)
]
_VERDICT = Annotated[
    str,
    Field(
        description="Only checkpoints with this verdict: passing, failing, unknown, flaky or none"
    ),
]
_SINCE = Annotated[
    str, Field(description="Only checkpoints since a time, or within a duration like 2h")
]
_SUBJECT = Annotated[
    str, Field(description="A path, package, service, table, key or port, like `apt:nginx`")
]
_PATCH = Annotated[
    bool, Field(description="Include the changed lines of text files, secrets redacted")
]
_WITH_PATHS = Annotated[
    bool, Field(description="List the paths that each line of the story covers")
]


_FILE = Annotated[
    str,
    Field(description="The file, relative to the workspace's root or absolute"),
    AfterValidator(from_utf8),
]
_MOST_READ = 1 << 20
"""Bytes of a file that are read; an answer has fewer characters."""


class HistoryTools:
    """Tools that change nothing."""

    def __init__(self, executor: ToolExecutor) -> None:
        self._executor = executor

    async def log(
        self,
        context: Context,
        limit: Limit = 20,
        grep: _GREP = "",
        path: _PATH = "",
        verdict: _VERDICT = "",
        since: _SINCE = "",
    ) -> results.Log:
        found = await self._executor.work(
            context,
            lambda workspace, _: workspace.log(
                limit=limit + 1,
                grep=grep or None,
                path=path or (),
                verdict=verdict or None,
                since=since or None,
                tasks=True,
            ),
        )
        if len(found.checkpoints) <= limit:
            return answer(json.timeline(found))
        kept = found._replace(checkpoints=found.checkpoints[:limit])
        return answer(json.timeline(kept), f"checkpoints: the newest {limit}, and there are more")

    async def show(self, context: Context, ref: Ref, paths: _WITH_PATHS = False) -> results.Shown:
        details = await self._executor.work(
            context, lambda workspace, monitor: workspace.show(ref, paths=paths, monitor=monitor)
        )
        return answer(json.shown(details))

    async def status(self, context: Context) -> results.Status:
        found = await self._executor.work(
            context,
            lambda workspace, monitor: (
                workspace.status(monitor=monitor),
                workspace.interrupted_restore(),
                workspace.last_drill(),
            ),
        )
        return answer(json.status(*found))

    async def diff(
        self,
        context: Context,
        a: OlderRef = "",
        b: NewerRef = "",
        paths: Paths = [],  # noqa: B006 - never changed; the schema shows it as the default
        patch: _PATCH = False,
    ) -> results.Difference:
        def body(workspace: Workspace, monitor: Monitor) -> tuple[Difference, list[str] | None]:
            found = workspace.diff(a or None, b or None, paths=paths, story=True, monitor=monitor)
            return found, list(workspace.patch(found)) if patch else None

        return answer(json.difference(*await self._executor.work(context, body)))

    async def good(self, context: Context) -> results.Found:
        found = await self._executor.work(
            context, lambda workspace, monitor: workspace.good(monitor=monitor)
        )
        return answer(json.found(found))

    async def blame(self, context: Context, subject: _SUBJECT) -> results.Blamed:
        found = await self._executor.work(context, lambda workspace, _: workspace.blame(subject))
        return answer(json.blamed(found))

    async def cat(self, context: Context, ref: Ref, path: _FILE) -> results.Content:
        def body(workspace: Workspace, monitor: Monitor) -> tuple[bytes, int]:
            size = workspace.ls(ref, path, monitor=monitor).entries[0].size
            content = b""
            for piece in workspace.cat(ref, path, monitor=monitor):
                content += piece
                if len(content) > _MOST_READ:
                    break
            return content, max(size, len(content))

        content, size = await self._executor.work(context, body)
        kept = content[:_MOST_READ]
        value = json.content(os.fsencode(path), kept, conceal_content(path, kept))
        if size <= _MOST_READ:
            return answer(value)
        note = f"content: the first {_MOST_READ:,} of {size:,} bytes"
        return answer({**value, "size": size}, note)


def add_history_tools(server: MCPServer, executor: ToolExecutor) -> None:
    """Register the read-only tools."""
    tools = HistoryTools(executor)
    add_tools(
        server,
        Tool(tools.log, "Timeline", _LOG, LOOKS, meta=FIRST),
        Tool(tools.show, "One checkpoint", _SHOW, LOOKS),
        Tool(tools.status, "Changes since the last checkpoint", _STATUS, LOOKS, meta=FIRST),
        Tool(tools.diff, "Differences between two checkpoints", _DIFF, LOOKS),
        Tool(tools.good, "Newest checkpoint that passes", _GOOD, LOOKS),
        Tool(tools.blame, "When something changed", _BLAME, LOOKS),
        Tool(tools.cat, "A file of a checkpoint", _CAT, LOOKS),
    )


_LOG = """\
List the checkpoints of this workspace, newest first: the intent, what actually changed, and \
the verdict of each. Call it before you restore; then `show` or `restore` one."""
_SHOW = "Show one checkpoint in full: what changed since its parent, and its verdicts."
_STATUS = """\
Show what changed on disk since the last checkpoint, whatever changed it. \
Use it to see whether your work is saved; `save` saves it."""
_DIFF = """\
Show the differences between two checkpoints, or between one and the live workspace: files, \
packages, services, tables. `patch` adds the changed lines; `paths` limits it to some paths."""
_GOOD = """\
Find the newest checkpoint whose check passes. When something is broken and you cannot see why, \
restore it with `restore` and ref `good`."""
_BLAME = "Show in which checkpoints a path, package, service, table, key or port changed."
_CAT = """\
Read a file as it was in a checkpoint, without restoring it. What may be a secret is [redacted]; \
`restore` restores the file as it was."""
