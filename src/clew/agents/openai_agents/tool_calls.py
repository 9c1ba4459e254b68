"""Calls from hook arguments: the SDK passes ids and arguments for function tools only."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from agents import FunctionTool, Tool, default_tool_error_function
from agents.run_context import RunContextWrapper

from clew.agents.watch import Call

_TYPES = {
    "shell_call": "shell",
    "local_shell_call": "local_shell",
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
}


class Queue:
    """Calls of one model response for which hooks get no arguments; they run in order."""

    def __init__(self, output: Sequence[object] = ()) -> None:
        self._waiting: defaultdict[str, list[Call]] = defaultdict(list)
        self._running: defaultdict[str, list[Call]] = defaultdict(list)
        for item in output:
            found = _plain(item)
            kind = _TYPES.get(str(found.get("type")))
            if kind is not None:
                call = Call(kind, _arguments(found), str(found.get("call_id") or ""))
                self._waiting[kind].append(call)

    def started(self, tool: Tool | None) -> Call | None:
        """Return the next call of a tool that is not a function."""
        kind = _kind(tool)
        if not self._waiting[kind]:
            return None
        call = self._waiting[kind].pop(0)
        self._running[kind].append(call)
        return call

    def ended(self, tool: Tool | None) -> Call | None:
        """Return the oldest running call of such a tool."""
        running = self._running[_kind(tool)]
        return running.pop(0) if running else None


def call_of(context: RunContextWrapper[Any], tool: Tool | None) -> Call:
    """Return the call of a hook or a guardrail."""
    name = getattr(context, "tool_name", "") or getattr(tool, "name", "") or _kind(tool)
    text = getattr(context, "tool_arguments", None)
    identifier = getattr(context, "tool_call_id", "")
    try:
        return Call(name, json.loads(text) if text else None, identifier)
    except (ValueError, RecursionError):
        return Call(name, text, identifier)


def why_failed(tool: Tool, result: object) -> str | None:
    """Return the reason of a failure that a result shows."""
    if not isinstance(tool, FunctionTool) or not isinstance(result, str):
        return None
    if result == _DEFAULT_WORDS:
        return "raised an exception"
    if tool.timeout_seconds is not None and result.startswith(f"Tool '{tool.name}' timed out"):
        return "timed out"
    return None


def last_prompt(items: Sequence[object]) -> str:
    """Return the text of the last user message."""
    for item in reversed(items):
        found = _plain(item)
        if found.get("role") == "user":
            return _text(found.get("content"))
    return ""


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [_plain(part).get("text") for part in content] if isinstance(content, list) else []
    return " ".join(part for part in parts if isinstance(part, str))


def _kind(tool: Tool | None) -> str:
    if tool is None or isinstance(tool, FunctionTool):
        return ""
    named = type(tool).__name__.removesuffix("Tool")
    words = "".join(f"_{one.lower()}" if one.isupper() else one for one in named)
    return words.lstrip("_")


def _arguments(item: dict[str, Any]) -> object:
    """Return the arguments of a call, named as by other agents' tools."""
    action = _plain(item.get("action")) or _plain(item.get("operation"))
    commands = action.get("commands")
    if isinstance(commands, list):
        return {"command": "\n".join(str(line) for line in commands)}
    return action


def _plain(item: object) -> dict[str, Any]:
    if isinstance(item, dict):
        return item
    dump = getattr(item, "model_dump", None)
    found = dump(exclude_none=True) if callable(dump) else None
    return found if isinstance(found, dict) else {}


_DEFAULT_WORDS = default_tool_error_function(RunContextWrapper(None), Exception())
