"""Our MCP server in an agent's settings: one member of an object, put in and taken out.

An entry called `clew` that starts something else is somebody's own, and stays.
The server starts in the project's directory, so `PYTHONPATH`, which may lead there, is emptied.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import NamedTuple

from clew.agents.setup import json_edit
from clew.agents.setup.catalogue import Agent
from clew.agents.setup.hook_entries import NO_TRACES, Path, Traces
from clew.agents.setup.json_spans import NotJson, read

NAME = "clew"
BY_NAME = ("clew",)
_WORD = "mcp"
_ENVIRONMENT = {"PYTHONPATH": ""}


class Registered(NamedTuple):
    """Text with our server in it."""

    text: str
    traces: Traces


def entry(agent: Agent, program: tuple[str, ...] = BY_NAME) -> dict[str, object]:
    """Return how an agent is told to start `clew mcp`."""
    first, *more = (*program, _WORD)
    if agent.name == "opencode":
        command = [first, *more]
        return {"type": "local", "command": command, "environment": _ENVIRONMENT, "enabled": True}
    return {"command": first, "args": more, "env": _ENVIRONMENT}


def toml_block(program: tuple[str, ...] = BY_NAME) -> str:
    """Return the same for Codex."""
    first, *more = (*program, _WORD)
    # As JSON, both are TOML too.
    command, args = (json.dumps(value, ensure_ascii=False) for value in (first, more))
    return f'[mcp_servers.{NAME}]\ncommand = {command}\nargs = {args}\nenv = {{ PYTHONPATH = "" }}'


def is_there(text: str, agent: Agent) -> bool:
    """Tell whether our server is registered."""
    found = json_edit.find(text, (*agent.mcp_path, NAME))
    return found is not None and _is_ours(found.value)


def add(
    text: str, agent: Agent, traces: Traces = NO_TRACES, program: tuple[str, ...] = BY_NAME
) -> Registered:
    """Return the text with our server registered."""
    root = read(text)
    if root.members is None:
        raise NotJson("it is no object", text, root.start)
    path = agent.mcp_path
    servers = json_edit.find(text, path)
    if servers is None:
        edit = json_edit.add(text, (), path[0], {NAME: entry(agent, program)})
        return Registered(edit.text, _noted(traces, (), edit.blank, made=path))
    if servers.members is None:
        raise NotJson(f"{path[0]} is not an object", text, servers.start)
    there = servers.member(NAME)
    if there is None:
        edit = json_edit.add(text, path, NAME, entry(agent, program))
        return Registered(edit.text, _noted(traces, path, edit.blank))
    if not _is_ours(there.node.value):
        raise NotJson("another server is called clew", text, there.start)
    if there.node.value == entry(agent, program):
        return Registered(text, traces)
    return Registered(json_edit.replace(text, there.node, entry(agent, program)), traces)


def remove(text: str, agent: Agent, traces: Traces | None) -> str:
    """Return the text without our server, nor the object that we made for it."""
    if not is_there(text, agent):
        return text
    known = traces or NO_TRACES
    path = agent.mcp_path
    text = _without_member(text, path, NAME, known.blank(path))
    emptied = json_edit.find(text, path)
    assert emptied is not None
    is_made = traces is None or _pointer(path) in known.made
    return (
        text
        if emptied.value or not is_made
        else _without_member(text, (), path[0], known.blank(()))
    )


def _without_member(text: str, above: Path, key: str, blank: str) -> str:
    parent = json_edit.find(text, above)
    assert parent is not None
    keys = [member.key for member in parent.members or ()]
    return json_edit.remove(text, above, keys.index(key), blank)


def _is_ours(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    command, args = value.get("command"), value.get("args", [])
    words = (
        [*command]
        if isinstance(command, list)
        else [command, *args]
        if isinstance(args, list)
        else []
    )
    names = [os.path.basename(word) if isinstance(word, str) else "" for word in words]
    return ("clew", _WORD) in pairwise(names)


def _noted(traces: Traces, path: Path, blank: str | None, made: Path = ()) -> Traces:
    blanks = dict(traces.blanks)
    if blank is not None:
        blanks.setdefault(_pointer(path), blank)
    more = (_pointer(made),) if made else ()
    return Traces((*traces.made, *more), tuple(blanks.items()))


def _pointer(path: Path) -> str:
    return "".join(f"/{step}" for step in path)
