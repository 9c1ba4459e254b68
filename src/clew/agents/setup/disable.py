"""`disable`: remove clew's entries, and the files and directories created for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from clew import opening
from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import AGENTS, SCOPES, Agent
from clew.agents.setup.enable import require_agent, require_scope, settings_root
from clew.agents.setup.paths import bounds, parts_of
from clew.agents.setup.receipts import Receipt
from clew.errors import BadAgentSettings, ClewError
from clew.model.setup_results import Disabled, EditedFile, Feature, Left, SettingsChange

_SHARED = (Feature.SKILL, Feature.INSTRUCTIONS)
"""Parts that several agents read from one file."""


def disable(
    agent: str | None = None,
    directory: str | os.PathLike[str] = ".",
    *,
    scope: str | None = None,
    store: str | None = None,
) -> Disabled:
    """Remove the entries of one agent or of all, in the project, for the user, or both."""
    if scope is not None:
        require_scope(scope)
    chosen = list(AGENTS.values()) if agent is None else [require_agent(agent)]
    touched: list[EditedFile] = []
    left: list[Left] = []
    for root in project_roots(directory, store):
        for where in SCOPES if scope is None else (scope,):
            created: list[str] = []
            for one in chosen:
                found = [
                    _try_remove(path, features, one, where, root, created)
                    for path, features in _parts_by_path(one, where, root)
                ]
                touched += [result for result in found if isinstance(result, EditedFile)]
                left += [result for result in found if isinstance(result, Left)]
            files.remove_empty(created, bounds(where, root))
    gone = {one.path for one in touched}
    return Disabled(
        tuple(touched), tuple(one for one in dict.fromkeys(left) if one.path not in gone)
    )


def project_roots(directory: str | os.PathLike[str], store: str | None) -> list[str]:
    """Return the possible roots of a project's settings: the workspace's, and the directory."""
    here = os.path.realpath(directory)
    try:
        with opening.open(directory, store) as workspace:
            return list(dict.fromkeys((settings_root(workspace, directory), here)))
    except (ClewError, OSError):  # settings can be cleaned without a usable store
        return [here]


def _parts_by_path(agent: Agent, scope: str, root: str) -> Iterator[tuple[str, list[str]]]:
    places: dict[str, list[str]] = {}
    for part in parts_of(agent, scope, root):
        places.setdefault(part.path, []).append(part.what)
    yield from places.items()


def _try_remove(
    path: str, features: list[str], agent: Agent, scope: str, root: str, created: list[str]
) -> EditedFile | Left | None:
    try:
        return _remove_parts(path, features, agent, scope, root, created)
    except BadAgentSettings as error:
        return Left(path, error.reason)


def _remove_parts(
    path: str, features: list[str], agent: Agent, scope: str, root: str, created: list[str]
) -> EditedFile | Left | None:
    """Remove our part from one file, and append the directories created for it to `created`."""
    within = bounds(scope, root)
    text = files.read(path, within).text
    if text is None:
        return None
    there = [what for what in features if parts.contains(path, what, text, agent)]
    if not there:
        return None
    receipt = receipts.find(path)
    if receipt is not None and agent.name not in receipt.agents:
        return None  # other agents use it
    others = _other_agents(path, there, receipt, agent, scope, root)
    if others:
        if receipt is not None:
            receipts.write(path, receipt._replace(agents=others))
        return Left(path, f"needed by {' and '.join(others)}", needed=True)
    files.require_writable(path, within)
    after = text
    for what in there:
        after = parts.remove(path, what, after, agent, receipt.traces if receipt else None)
    is_ours = not os.path.islink(path) and (receipt is None or receipt.created)
    is_gone = is_ours and parts.is_empty(after)
    if is_gone:
        files.remove(path, within)
        created += _containing(path, receipt.directories if receipt else ())
    else:
        files.write(path, after, within)
    receipts.delete(path)
    change = SettingsChange.REMOVED if is_gone else SettingsChange.CHANGED
    return EditedFile(path, tuple(there), change, agent.name, scope)


def _containing(path: str, directories: Iterable[str]) -> list[str]:
    """Return the directories that contain a file; a receipt is not trusted with others."""
    there = os.path.realpath(path)
    return [one for one in directories if there.startswith(one.rstrip("/") + "/")]


def _other_agents(
    path: str, features: list[str], receipt: Receipt | None, agent: Agent, scope: str, root: str
) -> tuple[str, ...]:
    """Return the other agents that still need our part of a shared file."""
    if not set(features) <= set(_SHARED):
        return ()
    if receipt is not None:
        return tuple(name for name in receipt.agents if name != agent.name)
    return tuple(
        other.name
        for other in AGENTS.values()
        if other is not agent
        and any(part.path == path for part in parts_of(other, scope, root))
        and _has_hooks(other, scope, root)
    )


def _has_hooks(agent: Agent, scope: str, root: str) -> bool:
    for part in parts_of(agent, scope, root):
        if part.what == Feature.HOOKS:
            text = files.read(part.path, bounds(scope, root)).text
            return text is not None and parts.contains(part.path, part.what, text, agent)
    return False
