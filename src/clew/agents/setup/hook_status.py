"""Hook status: whether the hooks in an agent's settings are current, outdated, unreadable or absent."""

from __future__ import annotations

import os
from typing import NamedTuple

from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import (
    AGENTS,
    SCOPES,
    USER,
    Agent,
    hook_command,
    program_of,
)
from clew.agents.setup.json_spans import NotJson, read
from clew.agents.setup.paths import bounds, parts_of
from clew.agents.setup.texts import plugin, program_in
from clew.errors import BadAgentSettings
from clew.model.setup_results import Feature, HookStatus, Problem, SetupState

_PLUGINS = "enabledPlugins"
_ENABLED_TWICE = Problem(
    "clew is enabled twice in Claude Code, as a plugin and in its settings",
    "Run `clew disable claude-code`, or remove the plugin",
)


class _Hooks(NamedTuple):
    """The hooks found in one file."""

    state: str
    machine: bool = False
    problem: Problem | None = None


_OFF = _Hooks(SetupState.OFF)


def hook_statuses(roots: list[str]) -> tuple[list[HookStatus], list[Problem]]:
    """Return the status of every agent with hooks or with a problem, and the problems."""
    found: dict[tuple[str, str], HookStatus] = {}
    problems: list[Problem] = []
    plugins: list[HookStatus] = []
    for root in roots:
        for agent in AGENTS.values():
            for scope in SCOPES:
                path = next(p.path for p in parts_of(agent, scope, root) if p.what == Feature.HOOKS)
                if (agent.name, path) in found:
                    continue
                hooks = _status(agent, scope, path, root)
                problems += [hooks.problem] if hooks.problem else []
                found[agent.name, path] = HookStatus(
                    agent.name, agent.title, scope, path, hooks.state, hooks.machine
                )
                if agent.name == "claude-code" and _has_plugin(path):
                    plugins.append(
                        HookStatus(
                            agent.name, f"{agent.title}'s plugin", scope, path, SetupState.ENABLED
                        )
                    )
    there = [one for one in found.values() if one.state != SetupState.OFF]
    if plugins and any(one.agent == "claude-code" for one in there):
        problems.append(_ENABLED_TWICE)
    return [*there, *plugins], problems


def _status(agent: Agent, scope: str, path: str, root: str) -> _Hooks:
    try:
        text = files.read(path, bounds(scope, root)).text
        return _OFF if text is None else _hooks(path, text, agent, scope)
    except BadAgentSettings as error:
        if not _mentions_clew(path):
            return _OFF
        return _unreadable(Problem(str(error), "Fix the file, or restore its previous version"))
    except OSError as error:
        return _unreadable(
            Problem(f"{error.strerror}: {path!r}", "Check the owner and permissions of that path")
        )


def _unreadable(problem: Problem) -> _Hooks:
    return _Hooks(SetupState.UNREADABLE, problem=problem)


def _hooks(path: str, text: str, agent: Agent, scope: str) -> _Hooks:
    if not agent.events:
        return _opencode_plugin(path, text, agent, scope)
    found = parts.find_hooks(path, text, agent, "")
    if not found.events:
        return _OFF
    program = program_of(found.command)
    if scope == USER and not os.access(program[0], os.X_OK):
        return _missing_program(agent, scope, found.machine, program[0])
    command = hook_command(agent, scope, program, found.machine)
    current = parts.find_hooks(path, text, agent, command).current
    if set(current) == {event.name for event in agent.events} == set(found.events):
        return _Hooks(SetupState.ENABLED, found.machine)
    return _outdated(path, agent, scope, found.machine)


def _opencode_plugin(path: str, text: str, agent: Agent, scope: str) -> _Hooks:
    if not parts.contains(path, Feature.HOOKS, text, agent):
        return _OFF
    program = program_in(text)
    if scope == USER and not os.access(program[0], os.X_OK):
        return _missing_program(agent, scope, "--machine" in text, program[0])
    for machine in (False, True):
        if text == plugin(machine, program):
            return _Hooks(SetupState.ENABLED, machine)
    return _outdated(path, agent, scope, "--machine" in text)


def _missing_program(agent: Agent, scope: str, machine: bool, program: str) -> _Hooks:
    what = f"The hooks of {agent.title} start a clew that does not exist: {program}"
    return _Hooks(SetupState.OUTDATED, machine, _reenable(agent, scope, machine, what))


def _outdated(path: str, agent: Agent, scope: str, machine: bool) -> _Hooks:
    what = f"The hooks of {agent.title} are of another clew version: {path}"
    return _Hooks(SetupState.OUTDATED, machine, _reenable(agent, scope, machine, what))


def _reenable(agent: Agent, scope: str, machine: bool, what: str) -> Problem:
    options = (" --user" if scope == USER else "") + (" --machine" if machine else "")
    return Problem(what, f"Run `clew enable {agent.name}{options}` again")


def _mentions_clew(path: str) -> bool:
    """Return whether a file that cannot be parsed contains, or contained, entries of ours."""
    if receipts.find(path) is not None:
        return True
    return files.mentions(path, b"clew hook")


def _has_plugin(path: str) -> bool:
    """Return whether settings of Claude Code enable our plugin."""
    try:
        value = read(files.read(path).text or "{}").value
    except (BadAgentSettings, NotJson, OSError):
        return False
    plugins = value.get(_PLUGINS) if isinstance(value, dict) else None
    return isinstance(plugins, dict) and any(
        name.startswith("clew@") and is_on is True for name, is_on in plugins.items()
    )
