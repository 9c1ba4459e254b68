"""`enable`: take a first checkpoint and add clew's entries to an agent's settings.

All files are validated before anything is written: if one cannot be edited, none is.
The first checkpoint precedes the entries, so that no hook has to read every file and there is a
state without them; a second one, which costs almost nothing, contains them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import NamedTuple

from clew import opening
from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import (
    AGENTS,
    LOCAL,
    PROJECT,
    SCOPES,
    USER,
    Agent,
    hook_command,
)
from clew.agents.setup.git_ignore import ignore_command, is_ignored
from clew.agents.setup.paths import (
    SetupPart,
    bounds,
    clew_on_path,
    hook_parts,
    parts_of,
    this_clew,
)
from clew.agents.setup.receipts import Receipt
from clew.agents.setup.removal import remove_parts
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
    shared: bool | None


class _HookFiles(NamedTuple):
    """The file for an agent's hooks, and the other files that contain some."""

    target: SetupPart
    others: tuple[SetupPart, ...]
    is_left: bool
    """Whether hooks are left in the shared file because nothing else was requested."""


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
    shared: bool | None = None,
    machine: bool = False,
    gate: bool = False,
    skill: bool = False,
    instructions: bool = False,
    mcp: bool = False,
    store: str | None = None,
    machine_root: str = MACHINE,
    monitor: Monitor | None = None,
) -> Enabled:
    """Checkpoint an agent's work: in the project at `directory`, or in all of the user's projects.

    `shared` selects the project's file for the hooks: the shared one, or with False the one that only
    this user reads.  By default hooks stay in the shared file if they are in it, and are otherwise
    written to the local file, if the agent reads one.  They are in one of the files only: an agent
    runs the hooks of both.
    """
    chosen = require_agent(agent)
    require_scope(scope)
    _require_file(chosen, scope, shared)
    wanted = {
        Feature.HOOKS: True,
        Feature.MCP: mcp,
        Feature.SKILL: skill,
        Feature.INSTRUCTIONS: instructions,
    }
    features = tuple(feature for feature, is_wanted in wanted.items() if is_wanted)
    request = _Request(chosen, os.fspath(directory), scope, machine, gate, features, store, shared)
    workspace = _workspace(request, machine_root)
    if workspace is None:
        return _set_up(request, None, Monitor())
    with workspace:
        return _set_up(request, workspace, monitor or Monitor())


def _set_up(request: _Request, workspace: Workspace | None, monitor: Monitor) -> Enabled:
    root = settings_root(workspace, request.directory)
    hooks = _hook_files(request, root)
    list(_edits(request, hooks, root))  # raise before anything is changed
    saved = None
    if workspace is not None:
        saved = _save(workspace, f"before {request.agent.title} was enabled", monitor)
        if request.gate:
            workspace.settings.set("gate", "on")
    touched = tuple(_write(edit, request, root) for edit in list(_edits(request, hooks, root)))
    touched += tuple(_removed(hooks, request, root))
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
        tuple(_next_steps(request, hooks, workspace, root)),
    )


def require_agent(name: str) -> Agent:
    """Return the agent with this name, or raise BadOption."""
    if name not in AGENTS:
        raise BadOption("AGENT", f"not one of {', '.join(AGENTS)}: {name!r}")
    return AGENTS[name]


def require_scope(scope: str) -> None:
    if scope not in SCOPES:
        raise BadOption("scope", f"not one of {', '.join(SCOPES)}: {scope!r}")


def _require_file(agent: Agent, scope: str, shared: bool | None) -> None:
    if shared is None:
        return
    option = "--shared" if shared else "--local"
    if scope == USER:
        raise BadOption(option, "cannot be combined with --user")
    if not shared and not agent.local:
        raise BadOption(option, f"{agent.title} reads no local settings file in a project")


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


def _hook_files(request: _Request, root: str) -> _HookFiles:
    """Return the file for the hooks, or raise BadAgentSettings if a file cannot be read."""
    agent, within = request.agent, bounds(request.scope, root)
    candidates = hook_parts(agent, request.scope, root)
    present = []
    for part in candidates:
        text = files.read(part.path, within).text
        if text is not None and parts.contains(part.path, part.what, text, agent):
            present.append(part)
    is_left = request.shared is None and any(part.scope == PROJECT for part in present)
    wanted = PROJECT if request.shared or is_left else LOCAL
    target = next((part for part in candidates if part.scope == wanted), candidates[0])
    others = tuple(part for part in present if part is not target)
    for part in others:
        files.require_writable(part.path, within)
    return _HookFiles(target, others, is_left and len(candidates) > 1)


def _edits(request: _Request, hooks: _HookFiles, root: str) -> Iterator[_PlannedEdit]:
    """Yield each file with its new content, or raise BadAgentSettings."""
    agent = request.agent
    within = bounds(request.scope, root)
    places: dict[str, list[SetupPart]] = {}
    for part in parts_of(agent, request.scope, root):
        if part.what != Feature.HOOKS or part == hooks.target:
            places.setdefault(part.path, []).append(part)
    for path, known in places.items():
        ours = tuple(part.what for part in known if part.what in request.features)
        if not ours:
            continue
        before = files.read(path, within).text
        files.require_writable(path, within)
        receipt = _receipt(path, [part.what for part in known], before, agent)
        text, traces = before, receipt.traces
        command = hook_command(agent, known[0].scope, this_clew(), request.machine)
        for what in ours:
            text, traces = parts.add(path, what, text, agent, command, traces)
        assert text is not None
        moved = () if path != hooks.target.path else hooks.others
        receipt = receipt._replace(
            directories=tuple(dict.fromkeys((*receipt.directories, *_directories(moved)))),
            traces=traces,
            agents=tuple(dict.fromkeys((*receipt.agents, agent.name))),
            features=tuple(dict.fromkeys((*receipt.features, *((agent.name, w) for w in ours)))),
            machine=request.machine,
        )
        yield _PlannedEdit(path, ours, before, text, receipt)


def _directories(moved: Iterable[SetupPart]) -> Iterator[str]:
    """Yield the directories created for files whose entries are moved."""
    for part in moved:
        receipt = receipts.find(part.path)
        yield from receipt.directories if receipt is not None else ()


def _removed(hooks: _HookFiles, request: _Request, root: str) -> Iterator[EditedFile]:
    """Remove the hooks from the files that must not contain them too."""
    created: list[str] = []
    for part in hooks.others:
        change = remove_parts(
            part.path, [Feature.HOOKS], request.agent, request.scope, root, created
        )
        if isinstance(change, EditedFile):
            yield change
    files.remove_empty(created, bounds(request.scope, root))


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
        receipt = receipt._replace(
            directories=tuple(dict.fromkeys((*receipt.directories, *made))), time_ns=0
        )
    receipts.write(edit.path, receipt)
    return EditedFile(edit.path, edit.features, change, request.agent.name, request.scope)


def _next_steps(
    request: _Request, hooks: _HookFiles, workspace: Workspace | None, root: str
) -> Iterator[str]:
    """Yield the steps that the user still has to take."""
    agent, scope = request.agent, request.scope
    yield from (need for where, need in agent.needs if where in ("", scope))
    if hooks.is_left:
        yield (
            f"The hooks stay in {agent.place(agent.settings, scope)}, which is shared: move them to"
            f" {agent.local} with `clew enable {agent.name} --local`"
        )
    if hooks.target.scope == LOCAL and is_ignored(hooks.target.path, root) is False:
        yield (
            f"git does not ignore {agent.local}, which is yours alone:"
            f" run `{ignore_command(hooks.target.path, root)}` in {root}"
        )
    if hooks.target.scope == PROJECT and clew_on_path() is None:
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
    if Feature.MCP in request.features and find_spec("mcp") is None:
        yield "The server needs an optional dependency: run `pip install 'clew[mcp]'`"
    if Feature.MCP in request.features and not agent.place(agent.mcp, scope):
        words = shlex.join((*this_clew(), "mcp"))
        yield f"Register the server with `{agent.program} mcp add --scope user clew -- {words}`"
