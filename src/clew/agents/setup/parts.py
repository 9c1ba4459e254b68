"""Each thing of ours as text: how it goes into a file, whether it is there, how it comes out."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from clew.agents.setup import blocks, hook_entries, server_entry
from clew.agents.setup.catalogue import Agent, is_of_machine, program_of
from clew.agents.setup.hook_entries import FoundHooks, Traces
from clew.agents.setup.json_spans import NotJson, read
from clew.agents.setup.texts import OWNED_MARKS, instructions, plugin, skill
from clew.errors import BadSettings
from clew.model.setup_results import What

_EMPTY = "{}\n"


class SettingsText(NamedTuple):
    """A file's text with something of ours in it."""

    text: str
    traces: Traces


def put(
    path: str, what: str, text: str | None, agent: Agent, command: str, traces: Traces
) -> SettingsText:
    """Return the file with one thing of ours in it; None is a file that is not there."""
    try:
        if what == What.HOOKS and agent.events:
            return SettingsText(*hook_entries.add(_json(text), agent, command, traces))
        if what == What.MCP and agent.mcp_path:
            return SettingsText(*server_entry.add(_json(text), agent, traces, program_of(command)))
        if what == What.MCP:
            return SettingsText(_with_toml(text, program_of(command)), traces)
        if what == What.INSTRUCTIONS:
            return SettingsText(_with_block(text, instructions(), blocks.MARKDOWN), traces)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(path, f"it is no TOML: {error}") from error
    except (NotJson, blocks.BrokenBlock) as error:
        raise BadSettings(path, str(error)) from error
    if text is not None and not _is_owned(text, what):
        raise BadSettings(path, "it is somebody's own")
    if what == What.SKILL:
        return SettingsText(skill(), traces)
    return SettingsText(plugin(is_of_machine(command), program_of(command)), traces)


def is_there(path: str, what: str, text: str, agent: Agent) -> bool:
    """Tell whether a thing of ours is in a file."""
    if what == What.HOOKS and agent.events:
        return bool(look(path, text, agent, "").events)
    if what == What.MCP and agent.mcp_path:
        return _read_safely(path, text) and server_entry.is_there(text, agent)
    if what == What.MCP:
        return blocks.has(text, blocks.TOML)
    if what == What.INSTRUCTIONS:
        return blocks.has(text, blocks.MARKDOWN)
    return _is_owned(text, what)


def take(path: str, what: str, text: str, agent: Agent, traces: Traces | None) -> str:
    """Return the file without a thing of ours; empty where it was nothing else."""
    try:
        if what == What.HOOKS and agent.events:
            return hook_entries.remove(text, agent, traces)
        if what == What.MCP and agent.mcp_path:
            return server_entry.remove(text, agent, traces)
        if what == What.MCP:
            return blocks.take(text, blocks.TOML)
        if what == What.INSTRUCTIONS:
            return blocks.take(text, blocks.MARKDOWN)
    except (NotJson, blocks.BrokenBlock) as error:
        raise BadSettings(path, str(error)) from error
    return ""


def look(path: str, text: str, agent: Agent, command: str) -> FoundHooks:
    """Return which hooks are there, of an agent that has them in its settings."""
    try:
        return hook_entries.look(text, agent, command)
    except NotJson as error:
        raise BadSettings(path, str(error)) from error


def is_nothing(text: str) -> bool:
    """Tell whether a file says nothing any more."""
    return re.fullmatch(r"\ufeff?\s*(?:\{\s*\})?\s*", text) is not None


def _json(text: str | None) -> str:
    return _EMPTY if text is None else text


def _with_block(text: str | None, body: str, marks: blocks.BlockMarkers) -> str:
    return blocks.put("", body, marks) + "\n" if text is None else blocks.put(text, body, marks)


def _with_toml(text: str | None, program: tuple[str, ...]) -> str:
    before = tomllib.loads(blocks.take(text or "", blocks.TOML))
    if server_entry.NAME in before.get("mcp_servers", {}):
        raise blocks.BrokenBlock("a server called clew is there already")
    written = _with_block(text, server_entry.toml_block(program), blocks.TOML)
    tomllib.loads(written)
    return written


def _is_owned(text: str, what: str) -> bool:
    return OWNED_MARKS[what] in text[:2000]


def _read_safely(path: str, text: str) -> bool:
    try:
        read(text)
    except NotJson as error:
        raise BadSettings(path, str(error)) from error
    return True
