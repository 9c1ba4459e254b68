"""MCP server entry: add clew's server to an agent's settings and remove it.

An entry named `clew` that starts another program is not ours and is not changed.
The server starts in the project's directory, so `PYTHONPATH`, which may lead there, is emptied.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import NamedTuple

from clew.agents.setup import json_edit
from clew.agents.setup.catalogue import Agent
from clew.agents.setup.hook_entries import NO_TRACES, Path, Traces, pointer
from clew.agents.setup.json_spans import NotJson, read

NAME = "clew"
BY_NAME = ("clew",)
_WORD = "mcp"
_ENVIRONMENT = {"PYTHONPATH": ""}


class Registered(NamedTuple):
    """Text with our server registered."""

    text: str
    traces: Traces


def entry(agent: Agent, program: tuple[str, ...] = BY_NAME) -> dict[str, object]:
    """Return the entry that starts `clew mcp`."""
    first, *more = (*program, _WORD)
    if agent.name == "opencode":
        command = [first, *more]
        return {"type": "local", "command": command, "environment": _ENVIRONMENT, "enabled": True}
    return {"command": first, "args": more, "env": _ENVIRONMENT}


def toml_block(program: tuple[str, ...] = BY_NAME) -> str:
    """Return the same entry in TOML, for Codex."""
    first, *more = (*program, _WORD)
    # These JSON values are valid TOML.
    command, args = (json.dumps(value, ensure_ascii=False) for value in (first, more))
    return f'[mcp_servers.{NAME}]\ncommand = {command}\nargs = {args}\nenv = {{ PYTHONPATH = "" }}'


def contains(text: str, agent: Agent) -> bool:
    """Return whether our server is registered."""
    found = json_edit.find(text, (*agent.mcp_path, NAME))
    return found is not None and _is_ours(found.value)


def add(
    text: str, agent: Agent, traces: Traces = NO_TRACES, program: tuple[str, ...] = BY_NAME
) -> Registered:
    """Return the text with our server registered."""
    root = read(text)
    if root.members is None:
        raise NotJson("not a JSON object", text, root.start)
    path = agent.mcp_path
    servers = json_edit.find(text, path)
    if servers is None:
        edit = json_edit.add(text, (), path[0], {NAME: entry(agent, program)})
        return Registered(edit.text, _record(traces, (), edit.blank, made=path))
    if servers.members is None:
        raise NotJson(f"{path[0]} is not an object", text, servers.start)
    there = servers.member(NAME)
    if there is None:
        edit = json_edit.add(text, path, NAME, entry(agent, program))
        return Registered(edit.text, _record(traces, path, edit.blank))
    if not _is_ours(there.node.value):
        raise NotJson("another server is named clew", text, there.start)
    if there.node.value == entry(agent, program):
        return Registered(text, traces)
    return Registered(json_edit.replace(text, there.node, entry(agent, program)), traces)


def remove(text: str, agent: Agent, traces: Traces | None) -> str:
    """Return the text without our server and the object created for it."""
    if not contains(text, agent):
        return text
    known = traces or NO_TRACES
    path = agent.mcp_path
    text = _remove_member(text, path, NAME, known.blank(path))
    emptied = json_edit.find(text, path)
    assert emptied is not None
    is_made = traces is None or pointer(path) in known.made
    return (
        text if emptied.value or not is_made else _remove_member(text, (), path[0], known.blank(()))
    )


def _remove_member(text: str, above: Path, key: str, blank: str) -> str:
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


def _record(traces: Traces, path: Path, blank: str | None, made: Path = ()) -> Traces:
    blanks = dict(traces.blanks)
    if blank is not None:
        blanks.setdefault(pointer(path), blank)
    more = (pointer(made),) if made else ()
    return Traces((*traces.made, *more), tuple(blanks.items()))
