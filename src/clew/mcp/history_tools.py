"""The tools that look: log, show, status, diff, good, blame."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from pydantic import AfterValidator, Field

from clew.filenames import from_utf8
from clew.mcp import results
from clew.mcp.answers import answer
from clew.mcp.arguments import Limit, NewerRef, OlderRef, Paths, Ref
from clew.mcp.executor import ToolExecutor
from clew.mcp.kinds import FIRST, LOOKS
from clew.model.results import Difference
from clew.monitor import Monitor
from clew.render import json
from clew.workspace import Workspace

_GREP = Annotated[str, Field(description="Only those whose intent or name contains this")]
_PATH = Annotated[
    str, Field(description="Only those that changed this path"), AfterValidator(from_utf8)
]
_VERDICT = Annotated[
    str, Field(description="Only those that are passing, failing, unknown, flaky or none")
]
_SINCE = Annotated[str, Field(description="Only those since then: a time, or like 2h")]
_THING = Annotated[
    str, Field(description="A path, a package, a service, a table, a key or a port; `apt:nginx`")
]
_PATCH = Annotated[
    bool, Field(description="With the changed lines of text files, secrets left out")
]
_WITH_PATHS = Annotated[bool, Field(description="List the paths behind each line of the story")]


class HistoryTools:
    """Tools that change nothing."""

    def __init__(self, desk: ToolExecutor) -> None:
        self._desk = desk

    async def log(
        self,
        context: Context,
        limit: Limit = 20,
        grep: _GREP = "",
        path: _PATH = "",
        verdict: _VERDICT = "",
        since: _SINCE = "",
    ) -> results.Log:
        found = await self._desk.work(
            context,
            lambda workspace, _: workspace.log(
                limit=limit + 1,
                grep=grep or None,
                path=path or None,
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
        told = await self._desk.work(
            context, lambda workspace, monitor: workspace.show(ref, paths=paths, monitor=monitor)
        )
        return answer(json.shown(told))

    async def status(self, context: Context) -> results.Status:
        found = await self._desk.work(
            context,
            lambda workspace, monitor: (
                workspace.status(monitor=monitor),
                workspace.interrupted_restore(),
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

        return answer(json.difference(*await self._desk.work(context, body)))

    async def good(self, context: Context) -> results.Found:
        found = await self._desk.work(
            context, lambda workspace, monitor: workspace.good(monitor=monitor)
        )
        return answer(json.found(found))

    async def blame(self, context: Context, thing: _THING) -> results.Blamed:
        found = await self._desk.work(context, lambda workspace, _: workspace.blame(thing))
        return answer(json.blamed(found))


def add_looking(server: MCPServer, desk: ToolExecutor) -> None:
    """Give the server its tools that change nothing."""
    tools = HistoryTools(desk)
    for tool, title, description, meta in (
        (tools.log, "Timeline", _LOG, FIRST),
        (tools.show, "One checkpoint", _SHOW, None),
        (tools.status, "Changes since the last checkpoint", _STATUS, FIRST),
        (tools.diff, "Differences between two moments", _DIFF, None),
        (tools.good, "Newest checkpoint that passes", _GOOD, None),
        (tools.blame, "When something changed", _BLAME, None),
    ):
        server.add_tool(
            tool, title=title, description=description, annotations=LOOKS, meta=meta,
            structured_output=True,
        )  # fmt: skip


_LOG = """\
List the checkpoints of this workspace, newest first: what each was meant to be, what really \
happened, whether its check passed. Look here before you restore; then `show` one or `restore` it."""
_SHOW = "Show one checkpoint in full: what really happened since the one before it, and its checks."
_STATUS = """\
Show what changed on disk since the last checkpoint, whatever changed it, and what that means. \
Use it to see whether your work is saved; `save` keeps it."""
_DIFF = """\
Show what differs between two checkpoints, or between one and the workspace as it is now: files, \
packages, services, tables. `patch` adds changed lines; `paths` narrows it."""
_GOOD = """\
Name the newest checkpoint whose check passes. When something is broken and you cannot see why, \
`restore` with ref `good` goes back there."""
_BLAME = "Tell when, and under which intent, a path, package, service, table, key or port changed."
