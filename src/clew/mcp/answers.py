"""What goes back to the client: the JSON that the command line prints, or its error object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

from clew.errors import BadOption, EffectRepeats, NeedsConfirmation
from clew.mcp.bounds import bounded
from clew.render.json import dumps

if TYPE_CHECKING:
    from clew.render.json_values import Json

Describe = Callable[[Exception, str], Mapping[str, object]]
"""Gives the error object of what a verb raised; the hints are the command line's."""

_LONGEST = 1_000
"""Characters of a message, which may quote what was given."""

_NOBODY_SAID_YES = (
    "Nothing was changed. Only a person can say yes: they are asked where the client can ask, "
    "or run `clew` with --yes themselves"
)


def answer(value: Json, *cut: str) -> CallToolResult:
    """Return a result as the command line prints it; `cut` says what was left out already."""
    kept = bounded(json.loads(dumps(value)))
    if cut:
        kept["cut"] = [*cut, *kept.get("cut", [])]
    return _result(kept)


def refusal(error: Exception, verb: str, describe: Describe) -> CallToolResult:
    """Return what went wrong, as the error object of docs/json.md."""
    value = json.loads(dumps(describe(error, verb)))
    described = value["error"]
    described["message"] = _shortened(described["message"])
    described["hint"] = _hint(error) or described["hint"]
    return _result(bounded(value), is_error=True)


def _hint(error: Exception) -> str | None:
    """Return the next step where the command line's would be of no use to a model."""
    match error:
        case NeedsConfirmation():
            return _NOBODY_SAID_YES
        case BadOption():
            return "The tool's description says what may be given; nothing was done"
        case EffectRepeats():
            return f"It is {error.reason}; if it is to be repeated on purpose, set `again`"
        case _:
            return None


def _shortened(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"


def _result(value: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    content = [TextContent(type="text", text=json.dumps(value))]
    if is_error:  # as text only: some clients hold even an error to the schema of the answer
        return CallToolResult(content=list(content), is_error=True)
    return CallToolResult(content=list(content), structured_content=value)
