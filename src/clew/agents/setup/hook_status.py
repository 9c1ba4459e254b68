"""Hook status: whether clew's entries in the settings of agents are what `enable` wrote.

Hooks can be current, outdated, unreadable, missing or absent.  They are missing if a receipt names
them: git, a restore or an editor has removed them since.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import (
    AGENTS,
    LOCAL,
    PROJECT,
    SCOPES,
    USER,
    Agent,
    hook_command,
    program_of,
)
from clew.agents.setup.git_ignore import ignore_command, is_ignored
from clew.agents.setup.json_spans import NotJson, read
from clew.agents.setup.paths import SetupPart, bounds, own_programs, parts_of
from clew.agents.setup.receipts import Receipt
from clew.agents.setup.texts import plugin, program_in
from clew.errors import BadAgentSettings
from clew.model.setup_results import Check, CheckOutcome, Feature, HookStatus, SetupState

_PLUGINS = "enabledPlugins"
_ALL_OFF = "disableAllHooks"
_READ_ALL_OFF = ("claude-code", "qwen")
_PLUGIN_TITLE = "Claude Code's plugin"
_OPTIONS = {Feature.MCP: "--mcp", Feature.SKILL: "--skill", Feature.INSTRUCTIONS: "--instructions"}
_WORDS = {
    Feature.MCP: "MCP server",
    Feature.SKILL: "skill",
    Feature.INSTRUCTIONS: "instructions",
}


class _Hooks(NamedTuple):
    """The hooks found in one file."""

    state: str
    machine: bool = False
    commands: tuple[str, ...] = ()
    problem: str = ""
    remedy: str = ""


class SettingsStatus(NamedTuple):
    """The hooks of all agents, and the checks of their settings."""

    hooks: list[HookStatus]
    checks: list[Check]


_OFF = _Hooks(SetupState.OFF)


def hooks(root: str) -> list[HookStatus]:
    """Return every file that contains hooks or should; starts no process."""
    return settings_status([root], asks_git=False).hooks


def settings_status(roots: list[str], *, asks_git: bool = True) -> SettingsStatus:
    """Return every file that contains hooks or should, and what is wrong with it.

    Without `asks_git`, not whether git ignores a file that should be.
    """
    found = SettingsStatus([], [])
    seen: set[tuple[str, str, str]] = set()
    for root in roots:
        for agent in AGENTS.values():
            for scope in SCOPES:
                new = [
                    part
                    for part in parts_of(agent, scope, root)
                    if (agent.name, part.what, part.path) not in seen
                ]
                seen.update((agent.name, part.what, part.path) for part in new)
                _add_status(found, agent, scope, new, root, asks_git)
    for agent in AGENTS.values():
        found.checks.extend(_doubled(agent, found.hooks))
    return found


def hooks_check(agent: str) -> str:
    """Return the name of the check of an agent's settings."""
    return f"settings/{agent}"


def enable_command(
    agent: Agent, scope: str, machine: bool = False, options: tuple[str, ...] = ()
) -> str:
    """Return the command that writes an agent's entries again; `scope` may be LOCAL."""
    where = {USER: ("--user",), PROJECT: ("--shared",) if agent.local else ()}.get(scope, ())
    words = ("clew", "enable", agent.name, *where, *(("--machine",) if machine else ()), *options)
    return " ".join(words)


def _add_status(
    found: SettingsStatus,
    agent: Agent,
    scope: str,
    candidates: list[SetupPart],
    root: str,
    asks_git: bool,
) -> None:
    within = bounds(scope, root)
    name = hooks_check(agent.name)
    states = {
        part: _status(agent, part, within) for part in candidates if part.what == Feature.HOOKS
    }
    is_present = any(hooks.state != SetupState.OFF for hooks in states.values())
    for part, hooks in states.items():
        receipt = receipts.find(part.path)
        if hooks.state == SetupState.OFF and not is_present and _promises(receipt, agent, part):
            hooks = _missing(agent, part, receipt is not None and receipt.machine)
        if hooks.state != SetupState.OFF:
            found.hooks.append(
                HookStatus(
                    agent.name, agent.title, scope, part.path, hooks.state, hooks.machine,
                    hooks.commands,
                )
            )  # fmt: skip
            found.checks.append(
                Check(name, CheckOutcome.FAILED, hooks.problem, hooks.remedy)
                if hooks.problem
                else Check(name, CheckOutcome.PASSED, f"The hooks are complete: {part.path}")
            )
        if hooks.state == SetupState.ENABLED and part.scope == LOCAL:
            found.checks.extend(_unignored(agent, part.path, root) if asks_git else ())
        if agent.name == "claude-code" and _setting(part.path, _PLUGINS, _names_plugin):
            found.hooks.append(_plugin_status(agent, scope, part.path))
        if agent.name in _READ_ALL_OFF and _setting(
            part.path, _ALL_OFF, lambda is_on: is_on is True
        ):
            found.checks.append(
                Check(
                    name,
                    CheckOutcome.FAILED,
                    f"{agent.title} runs no hooks, because {_ALL_OFF} is set in {part.path}",
                    f"Remove {_ALL_OFF} from {part.path}",
                )
            )
    for part in candidates:
        if part.what != Feature.HOOKS:
            found.checks.extend(_lost_part(agent, part, within))


def _plugin_status(agent: Agent, scope: str, path: str) -> HookStatus:
    command = hook_command(agent, PROJECT, (), machine=False)
    return HookStatus(
        agent.name, _PLUGIN_TITLE, scope, path, SetupState.ENABLED, commands=(command,)
    )


def _status(agent: Agent, part: SetupPart, within: str | None) -> _Hooks:
    path = part.path
    try:
        text = files.read(path, within).text
        return _OFF if text is None else _hooks(agent, part, text)
    except BadAgentSettings as error:
        if not _mentions_clew(path):
            return _OFF
        return _unreadable(str(error), "Fix the file, or restore its previous version")
    except OSError as error:
        return _unreadable(
            f"{error.strerror}: {path!r}", "Check the owner and permissions of that path"
        )


def _unreadable(problem: str, remedy: str) -> _Hooks:
    return _Hooks(SetupState.UNREADABLE, problem=problem, remedy=remedy)


def _hooks(agent: Agent, part: SetupPart, text: str) -> _Hooks:
    if not agent.events:
        return _opencode_plugin(agent, part, text)
    found = parts.find_hooks(part.path, text, agent, "")
    if not found.events:
        return _OFF
    program = program_of(found.commands[0])
    if program[0].startswith("/") and not os.access(program[0], os.X_OK):
        return _missing_program(agent, part, found.machine, program[0])
    # Hooks in a local file are those of the shared file if they were moved by hand.
    is_by_name = part.scope == PROJECT or (part.scope == LOCAL and program == ("clew",))
    scope = PROJECT if is_by_name else USER
    command = hook_command(agent, scope, program, found.machine)
    current = parts.find_hooks(part.path, text, agent, command).current
    events = {event.name for event in agent.events}
    if not set(current) == events == set(found.events) or found.commands != (command,):
        return _outdated(agent, part, found.machine)
    if not _may_run(part, program):
        return _other_program(agent, part, found.machine, program[0])
    return _Hooks(SetupState.ENABLED, found.machine, found.commands)


def _opencode_plugin(agent: Agent, part: SetupPart, text: str) -> _Hooks:
    if not parts.contains(part.path, Feature.HOOKS, text, agent):
        return _OFF
    program = program_in(text)
    if program[0].startswith("/") and not os.access(program[0], os.X_OK):
        return _missing_program(agent, part, "--machine" in text, program[0])
    for machine in (False, True):
        if text == plugin(machine, program):
            if not _may_run(part, program):
                return _other_program(agent, part, machine, program[0])
            words = (*program, "hook", agent.name, *(("--machine",) if machine else ()))
            return _Hooks(SetupState.ENABLED, machine, (shlex.join(words),))
    return _outdated(agent, part, "--machine" in text)


def _missing_program(agent: Agent, part: SetupPart, machine: bool, program: str) -> _Hooks:
    what = f"The hooks of {agent.title} start a clew that does not exist: {program}"
    return _bad(SetupState.OUTDATED, agent, part, machine, what)


def _may_run(part: SetupPart, program: tuple[str, ...]) -> bool:
    return part.scope == USER or program in own_programs()


def _other_program(agent: Agent, part: SetupPart, machine: bool, program: str) -> _Hooks:
    what = f"The hooks of {agent.title} start another clew, which was not tried: {program}"
    return _bad(SetupState.OUTDATED, agent, part, machine, what)


def _outdated(agent: Agent, part: SetupPart, machine: bool) -> _Hooks:
    what = f"The hooks of {agent.title} are of another clew version: {part.path}"
    return _bad(SetupState.OUTDATED, agent, part, machine, what)


def _bad(state: str, agent: Agent, part: SetupPart, machine: bool, what: str) -> _Hooks:
    remedy = f"Run `{enable_command(agent, part.scope, machine)}` again"
    return _Hooks(state, machine, problem=what, remedy=remedy)


def _missing(agent: Agent, part: SetupPart, machine: bool) -> _Hooks:
    scope = " --user" if part.scope == USER else ""
    return _Hooks(
        SetupState.MISSING,
        machine,
        problem=f"The hooks of {agent.title} were removed from {part.path}",
        remedy=(
            f"Run `{enable_command(agent, part.scope, machine)}` again,"
            f" or `clew disable {agent.name}{scope}` if that was intended"
        ),
    )


def _promises(receipt: Receipt | None, agent: Agent, part: SetupPart) -> bool:
    """Return whether `enable` wrote a part; receipts of older versions do not list features."""
    if receipt is None or agent.name not in receipt.agents:
        return False
    return receipt.has(agent.name, part.what) or not receipt.features


def _lost_part(agent: Agent, part: SetupPart, within: str | None) -> Iterator[Check]:
    """Yield a check if a part other than the hooks was written and is no longer there."""
    receipt = receipts.find(part.path)
    if receipt is None or not receipt.has(agent.name, part.what):
        return
    try:
        text = files.read(part.path, within).text
        if text is not None and parts.contains(part.path, part.what, text, agent):
            return
    except (BadAgentSettings, OSError):
        pass  # the agent cannot read it either
    user = " --user" if part.scope == USER else ""
    word = _WORDS[part.what]
    yield Check(
        hooks_check(agent.name),
        CheckOutcome.FAILED,
        f"The {word} of {agent.title} was removed from {part.path}",
        f"Run `clew enable {agent.name}{user} {_OPTIONS[part.what]}` again",
    )


def _unignored(agent: Agent, path: str, root: str) -> Iterator[Check]:
    if is_ignored(path, root) is False:
        yield Check(
            f"gitignore/{agent.name}",
            CheckOutcome.WARNING,
            f"git does not ignore {path}, which is yours alone",
            f"Run `{ignore_command(path, root)}` in {root}",
        )


def _doubled(agent: Agent, statuses: list[HookStatus]) -> Iterator[Check]:
    """Yield a check if an agent would run each hook more than once."""
    there = [
        one
        for one in statuses
        if one.agent == agent.name and one.state in (SetupState.ENABLED, SetupState.OUTDATED)
    ]
    for machine in (False, True):
        same = [one for one in there if one.machine == machine]
        if len(same) > 1:
            files_ = " and ".join(one.path for one in same)
            yield Check(
                f"duplicates/{agent.name}",
                CheckOutcome.FAILED,
                f"{agent.title} runs each hook {len(same)} times, from {files_}",
                _single(agent, same),
            )


def _single(agent: Agent, same: list[HookStatus]) -> str:
    if any(one.title == _PLUGIN_TITLE for one in same):
        return f"Run `clew disable {agent.name}`, or remove the plugin"
    if len({one.scope for one in same}) == 1:
        return f"Run `clew enable {agent.name} --local` or `clew enable {agent.name} --shared`"
    return f"Run `clew disable {agent.name} --project` or `clew disable {agent.name} --user`"


def _mentions_clew(path: str) -> bool:
    """Return whether a file that cannot be parsed contains, or contained, entries of ours."""
    if receipts.find(path) is not None:
        return True
    return files.mentions(path, b"clew hook")


def _setting(path: str, key: str, is_wanted: Callable[[object], bool]) -> bool:
    """Return whether settings have a value; False if they cannot be read."""
    try:
        value = read(files.read(path).text or "{}").value
    except (BadAgentSettings, NotJson, OSError):
        return False
    return isinstance(value, dict) and is_wanted(value.get(key))


def _names_plugin(plugins: object) -> bool:
    return isinstance(plugins, dict) and any(
        name.startswith("clew@") and is_on is True for name, is_on in plugins.items()
    )
