"""The server: registers every tool, and turns exceptions into error objects."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, Tool
from pydantic import ValidationError

from clew import __version__
from clew.errors import BadOption
from clew.mcp.answers import Describe, refusal
from clew.mcp.executor import ToolExecutor
from clew.mcp.history_tools import add_history_tools
from clew.mcp.lean import lean
from clew.mcp.restore_tools import add_restore_tools
from clew.mcp.sandbox_tools import add_sandbox_tools
from clew.mcp.session_tools import add_session_tools
from clew.policy.redaction.redact import redact_words

_INSTRUCTIONS = """\
clew records the history of this workspace: every file, whatever changed it. \
Call `save` before anything risky, `save_and_verify` when something works, `log` to list checkpoints, and \
`restore` with ref `good` before you try again from a broken state. \
Answers are short: fields that are empty or as usual are left out, ids have eight digits, and \
`truncated` says what else is missing; `detail` answers with all fields of the command's --json. \
An error has `kind`, `message` and `hint`; nothing was changed unless it says so."""


class ClewServer(MCPServer):
    """MCP server whose tools fail with the error object of docs/json.md."""

    def __init__(
        self, executor: ToolExecutor, describe: Describe, *, allow_commands: bool = False
    ) -> None:
        """Serve the workspace of `executor`; with `allow_commands` no command needs approval."""
        super().__init__(
            "clew",
            title="clew",
            version=__version__,
            instructions=_INSTRUCTIONS,
            log_level="ERROR",
        )
        self._describe = describe
        add_sandbox_tools(self, executor, allow_commands=allow_commands)
        add_history_tools(self, executor)
        add_restore_tools(self, executor)
        add_session_tools(self, executor)

    async def list_tools(self) -> list[Tool]:
        """Return the tools, with lean schemas."""
        return [_lean(tool) for tool in await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return the result of a tool, or its error."""
        try:
            await self._check_arguments(name, arguments)
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            return refusal(_cause(error), name, self._describe)
        except BadOption as error:
            return refusal(error, name, self._describe)

    async def _check_arguments(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse unknown arguments: a misspelt `paths` must not become a restore of everything."""
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            raise BadOption(
                redact_words(name)[:100], f"no such tool; available: {', '.join(tools)}"
            )
        known = tools[name].get("properties", {})
        for key, value in arguments.items():
            if key not in known:
                words = ", ".join(known) or "none"
                raise BadOption(redact_words(key)[:100], f"no such argument; available: {words}")
            if _has_nul(value):
                raise BadOption(key, "text must not contain a NUL")


def _lean(tool: Tool) -> Tool:
    output = tool.output_schema
    return tool.model_copy(
        update={
            "input_schema": lean(tool.input_schema),
            "output_schema": None if output is None else lean(output),
        }
    )


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
