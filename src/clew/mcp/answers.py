"""Tool results: a short answer, or all that the command line prints as JSON, or its error object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

from clew.errors import BadOption, DuplicateEffect, NeedsConfirmation
from clew.mcp.bounds import bounded
from clew.mcp.short import restoring
from clew.mcp.short.fit import to_json
from clew.mcp.short.values import Full, Short
from clew.model.shorten import shorten
from clew.render.json import dumps

if TYPE_CHECKING:
    from clew.render.json_values import Json

Describe = Callable[[Exception, str], Mapping[str, object]]
"""Returns the error object for an exception of a command; the hints are the command line's."""

_LONGEST = 1_000
"""Characters of an error message, which may quote an argument."""

_NOT_CONFIRMED = (
    "Nothing was changed. Only a person can confirm: in the client, if it supports elicitation, "
    "or by running `clew` with --yes"
)


def answer(
    value: Json, shorten_value: Callable[[Full], Short], detail: bool, *truncated: str
) -> CallToolResult:
    """Return the result of a tool: short, or with `detail` all fields, in lists that are bounded.

    `truncated` lists what the caller has left out of a complete answer already.
    """
    if not detail:
        return _result(shorten_value(value))
    kept = bounded(json.loads(dumps(value)))
    if truncated:
        kept["truncated"] = [*truncated, *kept.get("truncated", [])]
    return _result(kept)


def refusal(error: Exception, verb: str, describe: Describe) -> CallToolResult:
    """Return the result of a failed tool: the error object of docs/json.md."""
    value = json.loads(dumps(describe(error, verb)))
    described = value["error"]
    described["message"] = shorten(described["message"], _LONGEST)
    described["hint"] = _hint(error) or described["hint"]
    if "preview" in value:
        value["preview"] = restoring.planned(value["preview"])
    if "conflicts" in value:
        value |= restoring.conflicting(value["conflicts"])
    return _result(bounded(value), is_error=True)


def _hint(error: Exception) -> str | None:
    """Return a hint for a model where the command line's does not apply to it."""
    match error:
        case NeedsConfirmation():
            return _NOT_CONFIRMED
        case BadOption():
            return "See the tool's description for valid arguments; nothing was done"
        case DuplicateEffect():
            return f"It is {error.reason}; to repeat it on purpose, set `again`"
        case _:
            return None


def _result(value: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    # Some clients give a model the text, others the structured content: both are the same.
    content = [TextContent(type="text", text=to_json(value))]
    if is_error:  # as text only: some clients validate even an error against the output schema
        return CallToolResult(content=list(content), is_error=True)
    return CallToolResult(content=list(content), structured_content=value)
