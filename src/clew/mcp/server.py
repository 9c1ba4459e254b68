"""The server: every tool, and one place where what goes wrong becomes an error object."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from clew import __version__
from clew.errors import BadOption
from clew.mcp.answers import Describe, refusal
from clew.mcp.executor import ToolExecutor
from clew.mcp.history_tools import add_looking
from clew.mcp.restore_tools import add_going_back
from clew.mcp.sandbox_tools import add_trying
from clew.mcp.session_tools import add_keeping_track
from clew.policy.redaction.redact import redact_words

_INSTRUCTIONS = """\
clew keeps the history of this workspace: every file, whatever changed it. \
Call `save` before anything risky, `save_and_verify` when something works, `log` to see what there is, and \
`restore` with ref `good` before you try again from a broken state. \
Results are the JSON of the command line; `cut` in one says what was left out. \
An error has `kind`, `message` and `hint`; nothing was changed unless it says so."""


class ClewServer(MCPServer):
    """A server whose tools refuse with the error object of docs/json.md."""

    def __init__(
        self, desk: ToolExecutor, describe: Describe, *, allow_commands: bool = False
    ) -> None:
        """Serve the workspace of a desk; with `allow_commands` no command needs a yes."""
        super().__init__(
            "clew",
            title="clew",
            version=__version__,
            instructions=_INSTRUCTIONS,
            log_level="ERROR",
        )
        self._describe = describe
        add_trying(self, desk, allow_commands=allow_commands)
        add_looking(self, desk)
        add_going_back(self, desk)
        add_keeping_track(self, desk)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return what the tool answers, or why it does not."""
        try:
            await self._require_sense(name, arguments)
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            return refusal(_cause(error), name, self._describe)
        except BadOption as error:
            return refusal(error, name, self._describe)

    async def _require_sense(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse what no tool takes: a misspelt `paths` must not become a restore of everything."""
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            raise BadOption(redact_words(name)[:100], f"no such tool; there are {', '.join(tools)}")
        known = tools[name].get("properties", {})
        for key, value in arguments.items():
            if key not in known:
                words = ", ".join(known) or "none"
                raise BadOption(redact_words(key)[:100], f"no such argument; there are {words}")
            if _has_nul(value):
                raise BadOption(key, "no text can hold a NUL")


def _cause(error: ToolError) -> Exception:
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        first = cause.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "arguments"
        return BadOption(where, first["msg"].removesuffix("."))
    return cause if isinstance(cause, Exception) else error


def _has_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))
