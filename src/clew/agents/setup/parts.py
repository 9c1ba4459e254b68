"""Setup parts as text: add one to a file, detect it, and remove it."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from clew.agents.setup import blocks, hook_entries, server_entry
from clew.agents.setup.catalogue import Agent, is_of_machine, program_of
from clew.agents.setup.hook_entries import FoundHooks, Traces
from clew.agents.setup.json_spans import NotJson, read
from clew.agents.setup.texts import OWNED_MARKS, instructions, plugin, skill
from clew.errors import BadAgentSettings
from clew.model.setup_results import Feature

_EMPTY = "{}\n"


class SettingsText(NamedTuple):
    """A file's text with one of our parts added."""

    text: str
    traces: Traces


def add(
    path: str, what: str, text: str | None, agent: Agent, command: str, traces: Traces
) -> SettingsText:
    """Return the text with one part added; `text` is None if the file does not exist."""
    try:
        if what == Feature.HOOKS and agent.events:
            return SettingsText(*hook_entries.add(_or_empty_object(text), agent, command, traces))
        if what == Feature.MCP and agent.mcp_path:
            return SettingsText(
                *server_entry.add(_or_empty_object(text), agent, traces, program_of(command))
            )
        if what == Feature.MCP:
            return SettingsText(_with_toml(text, program_of(command)), traces)
        if what == Feature.INSTRUCTIONS:
            return SettingsText(_with_block(text, instructions(), blocks.MARKDOWN), traces)
    except tomllib.TOMLDecodeError as error:
        raise BadAgentSettings(path, f"not valid TOML: {error}") from error
    except (NotJson, blocks.BrokenBlock) as error:
        raise BadAgentSettings(path, str(error)) from error
    if text is not None and not _is_owned(text, what):
        raise BadAgentSettings(path, "not created by clew")
    if what == Feature.SKILL:
        return SettingsText(skill(), traces)
    return SettingsText(plugin(is_of_machine(command), program_of(command)), traces)


def contains(path: str, what: str, text: str, agent: Agent) -> bool:
    """Return whether a file contains one of our parts."""
    if what == Feature.HOOKS and agent.events:
        return bool(find_hooks(path, text, agent, "").events)
    if what == Feature.MCP and agent.mcp_path:
        _require_json(path, text)
        return server_entry.contains(text, agent)
    if what == Feature.MCP:
        return blocks.contains(text, blocks.TOML)
    if what == Feature.INSTRUCTIONS:
        return blocks.contains(text, blocks.MARKDOWN)
    return _is_owned(text, what)


def remove(path: str, what: str, text: str, agent: Agent, traces: Traces | None) -> str:
    """Return the text without one of our parts; empty if nothing else was in it."""
    try:
        if what == Feature.HOOKS and agent.events:
            return hook_entries.remove(text, agent, traces)
        if what == Feature.MCP and agent.mcp_path:
            return server_entry.remove(text, agent, traces)
        if what == Feature.MCP:
            return blocks.remove(text, blocks.TOML)
        if what == Feature.INSTRUCTIONS:
            return blocks.remove(text, blocks.MARKDOWN)
    except (NotJson, blocks.BrokenBlock) as error:
        raise BadAgentSettings(path, str(error)) from error
    return ""


def find_hooks(path: str, text: str, agent: Agent, command: str) -> FoundHooks:
    """Return the hooks in the settings of an agent."""
    try:
        return hook_entries.find(text, agent, command)
    except NotJson as error:
        raise BadAgentSettings(path, str(error)) from error


def is_empty(text: str) -> bool:
    """Return whether a text is empty or an empty JSON object."""
    return re.fullmatch(r"\ufeff?\s*(?:\{\s*\})?\s*", text) is not None


def _or_empty_object(text: str | None) -> str:
    return _EMPTY if text is None else text


def _with_block(text: str | None, body: str, marks: blocks.BlockMarkers) -> str:
    return blocks.add("", body, marks) + "\n" if text is None else blocks.add(text, body, marks)


def _with_toml(text: str | None, program: tuple[str, ...]) -> str:
    before = tomllib.loads(blocks.remove(text or "", blocks.TOML))
    if server_entry.NAME in before.get("mcp_servers", {}):
        raise blocks.BrokenBlock("another server is named clew")
    written = _with_block(text, server_entry.toml_block(program), blocks.TOML)
    tomllib.loads(written)
    return written


def _is_owned(text: str, what: str) -> bool:
    return OWNED_MARKS[what] in text[:2000]


def _require_json(path: str, text: str) -> None:
    try:
        read(text)
    except NotJson as error:
        raise BadAgentSettings(path, str(error)) from error
