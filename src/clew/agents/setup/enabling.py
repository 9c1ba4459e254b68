"""`enable`: a first checkpoint there and then, and our entries in an agent's settings.

Every file is looked at before anything is done: where one cannot be edited, nothing is.
The checkpoint comes before the entries, so that a hook never has to read everything, and so that
there is a moment without them; a second one, which costs next to nothing, has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew import opening
from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import AGENTS, PROJECT, SCOPES, Agent, hook_command
from clew.agents.setup.places import clew_on_path, parts_of, this_clew
from clew.agents.setup.receipts import Receipt
from clew.errors import BadOption, NotAWorkspace
from clew.model.saving import SaveResult
from clew.model.setup_results import Change, Enabled, Touched, What
from clew.monitor import Monitor
from clew.workspace import Workspace

MACHINE = "/"


class _Edit(NamedTuple):
    """A file as it will be."""

    path: str
    whats: tuple[str, ...]
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
    whats = [what for what, is_wanted in wanted.items() if is_wanted]
    monitor = monitor or Monitor()
    workspace = _workspace(directory, scope, machine, store, machine_root)
    try:
        root = settings_root(workspace, directory)
        command = hook_command(chosen, scope, this_clew(), machine)

        def plan() -> list[_Edit]:
            return list(_edits(chosen, scope, root, whats, command))

        plan()  # whatever is refused is refused before anything is done
        saved = None if workspace is None else _first(workspace, chosen, monitor)
        if gate and workspace is not None:
            workspace.set_config("gate", "on")
        touched = [_written(edit, chosen, scope) for edit in plan()]
        if workspace is not None and any(one.change != Change.UNCHANGED for one in touched):
            workspace.save(f"{chosen.title} enabled", skip_unchanged=True, monitor=monitor)
        return Enabled(
            chosen.name,
            chosen.title,
            scope,
            machine,
            gate and workspace is not None,
            None if workspace is None else workspace.info,
            "" if workspace is None else workspace.store_path,
            saved,
            tuple(touched),
            tuple(_needs(chosen, scope, whats, workspace, root, directory, store)),
        )
    finally:
        if workspace is not None:
            workspace.close()


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
    return os.fsdecode(workspace.info.path)


def _workspace(
    directory: str | os.PathLike[str],
    scope: str,
    machine: bool,
    store: str | None,
    machine_root: str,
) -> Workspace | None:
    if machine:
        return opening.init(machine_root, store, machine=True)[0]
    if scope == PROJECT:
        return opening.open(directory, store, create=True)
    try:
        return opening.open(directory, store)
    except NotAWorkspace:
        return None  # a person's settings hold wherever an agent is started


def _first(workspace: Workspace, agent: Agent, monitor: Monitor) -> SaveResult:
    return workspace.save(f"before {agent.title} was enabled", skip_unchanged=True, monitor=monitor)


def _edits(
    agent: Agent, scope: str, root: str, whats: Iterable[str], command: str
) -> Iterator[_Edit]:
    """Yield each file as it will be, or raise BadSettings."""
    places: dict[str, list[str]] = {}
    everything = list(parts_of(agent, scope, root))
    for part in everything:
        if part.what in whats:
            places.setdefault(part.path, []).append(part.what)
    for path, ours in places.items():
        before = files.look(path).text
        files.require_ours(path)
        known = [part.what for part in everything if part.path == path]
        receipt = _receipt(path, known, before, agent)
        text: str | None = before
        traces = receipt.traces
        for what in ours:
            text, traces = parts.put(path, what, text, agent, command, traces)
        assert text is not None
        agents = tuple(dict.fromkeys((*receipt.agents, agent.name)))
        yield _Edit(path, tuple(ours), before, text, receipt._replace(traces=traces, agents=agents))


def _receipt(path: str, whats: Iterable[str], text: str | None, agent: Agent) -> Receipt:
    """Return what is known of a file in which something of ours is already, else a fresh receipt."""
    if text is not None and any(parts.is_there(path, what, text, agent) for what in whats):
        return receipts.find(path) or Receipt()
    return Receipt(created=text is None)


def _written(edit: _Edit, agent: Agent, scope: str) -> Touched:
    change = Change.UNCHANGED
    receipt = edit.receipt
    if edit.after != edit.before:
        change = Change.CREATED if edit.before is None else Change.CHANGED
        made = files.write(edit.path, edit.after)
        receipt = receipt._replace(directories=tuple(dict.fromkeys((*receipt.directories, *made))))
    receipts.keep(edit.path, receipt)
    return Touched(edit.path, edit.whats, change, agent.name, scope)


def _needs(
    agent: Agent,
    scope: str,
    whats: Iterable[str],
    workspace: Workspace | None,
    root: str,
    directory: str | os.PathLike[str],
    store: str | None,
) -> Iterator[str]:
    """Yield what somebody still has to do."""
    for where, need in agent.needs:
        if where in ("", scope):
            yield need
    if clew_on_path() is None and (scope == PROJECT or not agent.events or What.MCP in whats):
        yield (
            f"clew is not on the PATH, so that the hooks would be silent: "
            f"add {os.path.dirname(this_clew()[0])} to it where {agent.title} is started"
        )
    if workspace is None:
        yield "Hooks keep nothing outside of workspaces: run `clew save` once in each project"
    elif scope == PROJECT and root != os.path.realpath(directory):
        yield f"Start {agent.title} in the directory that the settings belong to: {root}"
    if store is not None:
        yield f"Hooks look for history where CLEW_HOME says: set CLEW_HOME={os.path.abspath(store)}"
    if What.MCP in whats and not agent.place(agent.mcp, scope):
        yield f"Register the server with `{agent.program} mcp add --scope user clew -- clew mcp`"
