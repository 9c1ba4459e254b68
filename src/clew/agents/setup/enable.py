"""`enable`: take a first checkpoint and add clew's entries to an agent's settings.

All files are validated before anything is written: if one cannot be edited, none is.
The first checkpoint precedes the entries, so that no hook has to read every file and there is a
state without them; a second one, which costs almost nothing, contains them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew import opening
from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import AGENTS, PROJECT, SCOPES, Agent, hook_command
from clew.agents.setup.paths import bounds, clew_on_path, parts_of, this_clew
from clew.agents.setup.receipts import Receipt
from clew.errors import BadOption, NotAWorkspace
from clew.filenames import as_argument
from clew.model.save_result import SaveResult
from clew.model.setup_results import EditedFile, Enabled, Feature, SettingsChange
from clew.monitor import Monitor
from clew.workspace import Workspace

MACHINE = "/"


class _Request(NamedTuple):
    """The validated arguments of `enable`."""

    agent: Agent
    directory: str
    scope: str
    machine: bool
    gate: bool
    features: tuple[str, ...]
    store: str | None

    @property
    def command(self) -> str:
        return hook_command(self.agent, self.scope, this_clew(), self.machine)


class _PlannedEdit(NamedTuple):
    """A file with its new content."""

    path: str
    features: tuple[str, ...]
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
    """Checkpoint an agent's work: in the project at `directory`, or in all of the user's projects."""
    chosen = require_agent(agent)
    require_scope(scope)
    wanted = {
        Feature.HOOKS: True,
        Feature.MCP: mcp,
        Feature.SKILL: skill,
        Feature.INSTRUCTIONS: instructions,
    }
    features = tuple(feature for feature, is_wanted in wanted.items() if is_wanted)
    request = _Request(chosen, os.fspath(directory), scope, machine, gate, features, store)
    workspace = _workspace(request, machine_root)
    if workspace is None:
        return _set_up(request, None, Monitor())
    with workspace:
        return _set_up(request, workspace, monitor or Monitor())


def _set_up(request: _Request, workspace: Workspace | None, monitor: Monitor) -> Enabled:
    root = settings_root(workspace, request.directory)
    list(_edits(request, root))  # raise before anything is changed
    saved = None
    if workspace is not None:
        saved = _save(workspace, f"before {request.agent.title} was enabled", monitor)
        if request.gate:
            workspace.settings.set("gate", "on")
    touched = tuple(_write(edit, request, root) for edit in list(_edits(request, root)))
    if workspace is not None and any(one.change != SettingsChange.UNCHANGED for one in touched):
        _save(workspace, f"{request.agent.title} enabled", monitor)
    return Enabled(
        request.agent.name,
        request.agent.title,
        request.scope,
        request.machine,
        request.gate and workspace is not None,
        None if workspace is None else workspace.info,
        "" if workspace is None else workspace.store.path,
        saved,
        touched,
        tuple(_next_steps(request, workspace, root)),
    )


def require_agent(name: str) -> Agent:
    """Return the agent with this name, or raise BadOption."""
    if name not in AGENTS:
        raise BadOption("AGENT", f"not one of {', '.join(AGENTS)}: {name!r}")
    return AGENTS[name]


def require_scope(scope: str) -> None:
    if scope not in SCOPES:
        raise BadOption("scope", f"not one of {', '.join(SCOPES)}: {scope!r}")


def settings_root(workspace: Workspace | None, directory: str | os.PathLike[str]) -> str:
    """Return the root of a project's settings: its workspace's, unless that is a whole machine."""
    if workspace is None or workspace.info.machine:
        return os.path.realpath(directory)
    return as_argument(workspace.info.path)


def _workspace(request: _Request, machine_root: str) -> Workspace | None:
    if request.machine:
        return opening.init(machine_root, request.store, machine=True)[0]
    if request.scope == PROJECT:
        return opening.open(request.directory, request.store, create=True)
    try:
        return opening.open(request.directory, request.store)
    except NotAWorkspace:
        return None  # user settings apply outside workspaces too


def _save(workspace: Workspace, intent: str, monitor: Monitor) -> SaveResult:
    return workspace.save(intent, skip_unchanged=True, monitor=monitor)


def _edits(request: _Request, root: str) -> Iterator[_PlannedEdit]:
    """Yield each file with its new content, or raise BadAgentSettings."""
    agent = request.agent
    within = bounds(request.scope, root)
    places: dict[str, list[str]] = {}
    for part in parts_of(agent, request.scope, root):
        places.setdefault(part.path, []).append(part.what)
    for path, known in places.items():
        ours = tuple(what for what in known if what in request.features)
        if not ours:
            continue
        before = files.read(path, within).text
        files.require_writable(path, within)
        receipt = _receipt(path, known, before, agent)
        text, traces = before, receipt.traces
        for what in ours:
            text, traces = parts.add(path, what, text, agent, request.command, traces)
        assert text is not None
        agents = tuple(dict.fromkeys((*receipt.agents, agent.name)))
        yield _PlannedEdit(path, ours, before, text, receipt._replace(traces=traces, agents=agents))


def _receipt(path: str, features: Iterable[str], text: str | None, agent: Agent) -> Receipt:
    """Return the receipt of a file that already contains entries of ours, else a new one."""
    if text is not None and any(parts.contains(path, what, text, agent) for what in features):
        return receipts.find(path) or Receipt()
    return Receipt(created=text is None)


def _write(edit: _PlannedEdit, request: _Request, root: str) -> EditedFile:
    change = SettingsChange.UNCHANGED
    receipt = edit.receipt
    if edit.after != edit.before:
        change = SettingsChange.CREATED if edit.before is None else SettingsChange.CHANGED
        made = files.write(edit.path, edit.after, bounds(request.scope, root))
        receipt = receipt._replace(directories=tuple(dict.fromkeys((*receipt.directories, *made))))
    receipts.write(edit.path, receipt)
    return EditedFile(edit.path, edit.features, change, request.agent.name, request.scope)


def _next_steps(request: _Request, workspace: Workspace | None, root: str) -> Iterator[str]:
    """Yield the steps that the user still has to take."""
    agent, scope = request.agent, request.scope
    yield from (need for where, need in agent.needs if where in ("", scope))
    if scope == PROJECT and clew_on_path() is None:
        place = os.path.dirname(this_clew()[0])
        yield (
            "clew is not on the PATH, so the hooks do nothing: "
            f"add {place} to the PATH of {agent.title}"
        )
    if workspace is None:
        yield "Hooks do nothing outside a workspace: run `clew save` once in each project"
        if request.gate:
            yield "The gate is a workspace setting: run `clew config set gate on` in each project"
    elif scope == PROJECT and root != os.path.realpath(request.directory):
        yield f"Start {agent.title} in the directory of the settings: {root}"
    if request.store is not None:
        place = os.path.abspath(request.store)
        yield f"Hooks use the store that CLEW_HOME names: set CLEW_HOME={place}"
    if Feature.MCP in request.features and not agent.place(agent.mcp, scope):
        words = shlex.join((*this_clew(), "mcp"))
        yield f"Register the server with `{agent.program} mcp add --scope user clew -- {words}`"
