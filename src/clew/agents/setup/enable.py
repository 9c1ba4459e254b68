"""`enable`: a first checkpoint there and then, and our entries in an agent's settings.

Every file is looked at before anything is done: where one cannot be edited, nothing is.
The checkpoint comes before the entries, so that a hook never has to read everything, and so that
there is a moment without them; a second one, which costs next to nothing, has them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew import opening
from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import AGENTS, PROJECT, SCOPES, Agent, hook_command
from clew.agents.setup.places import bounds, clew_on_path, parts_of, this_clew
from clew.agents.setup.receipts import Receipt
from clew.errors import BadOption, NotAWorkspace
from clew.filenames import as_argument
from clew.model.save_result import SaveResult
from clew.model.setup_results import EditedFile, Enabled, SettingsChange, What
from clew.monitor import Monitor
from clew.workspace import Workspace

MACHINE = "/"


class _Asked(NamedTuple):
    """What somebody wants."""

    agent: Agent
    directory: str
    scope: str
    machine: bool
    gate: bool
    things: tuple[str, ...]
    store: str | None

    @property
    def command(self) -> str:
        return hook_command(self.agent, self.scope, this_clew(), self.machine)


class _PlannedEdit(NamedTuple):
    """A file as it will be."""

    path: str
    things: tuple[str, ...]
    before: str | None
    after: str
    receipt: Receipt


def enable(
    agent: str,
    directory: str | os.PathLike[str] = ".",
    *,
    scope: str = PROJECT,
    machine: bool = False,
    gate: bool = False,
    skill: bool = False,
    instructions: bool = False,
    mcp: bool = False,
    store: str | None = None,
    machine_root: str = MACHINE,
    monitor: Monitor | None = None,
) -> Enabled:
    """Have an agent's work kept: in the project at `directory`, or wherever a user starts it."""
    chosen = require_agent(agent)
    require_scope(scope)
    wanted = {What.HOOKS: True, What.MCP: mcp, What.SKILL: skill, What.INSTRUCTIONS: instructions}
    things = tuple(thing for thing, is_wanted in wanted.items() if is_wanted)
    asked = _Asked(chosen, os.fspath(directory), scope, machine, gate, things, store)
    workspace = _workspace(asked, machine_root)
    if workspace is None:
        return _set_up(asked, None, Monitor())
    with workspace:
        return _set_up(asked, workspace, monitor or Monitor())


def _set_up(asked: _Asked, workspace: Workspace | None, monitor: Monitor) -> Enabled:
    root = settings_root(workspace, asked.directory)
    list(_edits(asked, root))  # whatever is refused is refused before anything is done
    saved = None
    if workspace is not None:
        saved = _save(workspace, f"before {asked.agent.title} was enabled", monitor)
        if asked.gate:
            workspace.settings.set("gate", "on")
    touched = tuple(_written(edit, asked, root) for edit in list(_edits(asked, root)))
    if workspace is not None and any(one.change != SettingsChange.UNCHANGED for one in touched):
        _save(workspace, f"{asked.agent.title} enabled", monitor)
    return Enabled(
        asked.agent.name,
        asked.agent.title,
        asked.scope,
        asked.machine,
        asked.gate and workspace is not None,
        None if workspace is None else workspace.info,
        "" if workspace is None else workspace.store_path,
        saved,
        touched,
        tuple(_needs(asked, workspace, root)),
    )


def require_agent(name: str) -> Agent:
    """Return the agent called so, or raise BadOption."""
    if name not in AGENTS:
        raise BadOption("AGENT", f"not one of {', '.join(AGENTS)}: {name!r}")
    return AGENTS[name]


def require_scope(scope: str) -> None:
    if scope not in SCOPES:
        raise BadOption("scope", f"not one of {', '.join(SCOPES)}: {scope!r}")


def settings_root(workspace: Workspace | None, directory: str | os.PathLike[str]) -> str:
    """Return where a project's settings are: the root of its workspace, unless that is a machine."""
    if workspace is None or workspace.info.machine:
        return os.path.realpath(directory)
    return as_argument(workspace.info.path)


def _workspace(asked: _Asked, machine_root: str) -> Workspace | None:
    if asked.machine:
        return opening.init(machine_root, asked.store, machine=True)[0]
    if asked.scope == PROJECT:
        return opening.open(asked.directory, asked.store, create=True)
    try:
        return opening.open(asked.directory, asked.store)
    except NotAWorkspace:
        return None  # a person's settings hold wherever an agent is started


def _save(workspace: Workspace, intent: str, monitor: Monitor) -> SaveResult:
    return workspace.save(intent, skip_unchanged=True, monitor=monitor)


def _edits(asked: _Asked, root: str) -> Iterator[_PlannedEdit]:
    """Yield each file as it will be, or raise BadSettings."""
    agent = asked.agent
    within = bounds(asked.scope, root)
    places: dict[str, list[str]] = {}
    for part in parts_of(agent, asked.scope, root):
        places.setdefault(part.path, []).append(part.what)
    for path, known in places.items():
        ours = tuple(what for what in known if what in asked.things)
        if not ours:
            continue
        before = files.look(path, within).text
        files.require_ours(path, within)
        receipt = _receipt(path, known, before, agent)
        text, traces = before, receipt.traces
        for what in ours:
            text, traces = parts.put(path, what, text, agent, asked.command, traces)
        assert text is not None
        agents = tuple(dict.fromkeys((*receipt.agents, agent.name)))
        yield _PlannedEdit(path, ours, before, text, receipt._replace(traces=traces, agents=agents))


def _receipt(path: str, things: Iterable[str], text: str | None, agent: Agent) -> Receipt:
    """Return what is known of a file in which something of ours is already, else a fresh receipt."""
    if text is not None and any(parts.is_there(path, what, text, agent) for what in things):
        return receipts.find(path) or Receipt()
    return Receipt(created=text is None)


def _written(edit: _PlannedEdit, asked: _Asked, root: str) -> EditedFile:
    change = SettingsChange.UNCHANGED
    receipt = edit.receipt
    if edit.after != edit.before:
        change = SettingsChange.CREATED if edit.before is None else SettingsChange.CHANGED
        made = files.write(edit.path, edit.after, bounds(asked.scope, root))
        receipt = receipt._replace(directories=tuple(dict.fromkeys((*receipt.directories, *made))))
    receipts.keep(edit.path, receipt)
    return EditedFile(edit.path, edit.things, change, asked.agent.name, asked.scope)


def _needs(asked: _Asked, workspace: Workspace | None, root: str) -> Iterator[str]:
    """Yield what somebody still has to do."""
    agent, scope = asked.agent, asked.scope
    yield from (need for where, need in agent.needs if where in ("", scope))
    if scope == PROJECT and clew_on_path() is None:
        place = os.path.dirname(this_clew()[0])
        yield (
            "clew is not on the PATH, so that the hooks would be silent: "
            f"add {place} to it where {agent.title} is started"
        )
    if workspace is None:
        yield "Hooks keep nothing outside of workspaces: run `clew save` once in each project"
        if asked.gate:
            yield "The gate belongs to a workspace: `clew config set gate on` in each project"
    elif scope == PROJECT and root != os.path.realpath(asked.directory):
        yield f"Start {agent.title} in the directory that the settings belong to: {root}"
    if asked.store is not None:
        place = os.path.abspath(asked.store)
        yield f"Hooks look for history where CLEW_HOME says: set CLEW_HOME={place}"
    if What.MCP in asked.things and not agent.place(agent.mcp, scope):
        words = shlex.join((*this_clew(), "mcp"))
        yield f"Register the server with `{agent.program} mcp add --scope user clew -- {words}`"
