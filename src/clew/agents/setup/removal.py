"""Removal of clew's entries from one settings file, and of the file if `enable` created it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from clew.agents.setup import files, parts, receipts
from clew.agents.setup.catalogue import AGENTS, Agent
from clew.agents.setup.paths import bounds, hook_parts, parts_of
from clew.agents.setup.receipts import Receipt
from clew.model.setup_results import EditedFile, Feature, Left, SettingsChange

_SHARED = (Feature.SKILL, Feature.INSTRUCTIONS)
"""Parts that several agents read from one file."""


def remove_parts(
    path: str, features: list[str], agent: Agent, scope: str, root: str, created: list[str]
) -> EditedFile | Left | None:
    """Remove our parts from one file, and append the directories created for it to `created`.

    Return None if there are none.  Raise BadAgentSettings if the file cannot be edited.
    """
    within = bounds(scope, root)
    text = files.read(path, within).text
    there = [] if text is None else [w for w in features if parts.contains(path, w, text, agent)]
    if text is None or not there:
        receipts.forget(path, agent.name)  # git, or an editor, removed the entries
        return None
    receipt = receipts.find(path)
    if receipt is not None and agent.name not in receipt.agents:
        return None  # other agents use it
    others = _other_agents(path, there, receipt, agent, scope, root)
    if others:
        if receipt is not None:
            receipts.write(path, receipt.without(agent.name))
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
    for part in hook_parts(agent, scope, root):
        text = files.read(part.path, bounds(scope, root)).text
        if text is not None and parts.contains(part.path, part.what, text, agent):
            return True
    return False
