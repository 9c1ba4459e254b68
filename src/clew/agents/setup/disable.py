"""`disable`: remove clew's entries, and the files and directories created for them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from clew import opening
from clew.agents.setup import files
from clew.agents.setup.catalogue import AGENTS, SCOPES, Agent
from clew.agents.setup.enable import require_agent, require_scope, settings_root
from clew.agents.setup.paths import bounds, parts_of
from clew.agents.setup.removal import remove_parts
from clew.errors import BadAgentSettings, ClewError
from clew.model.setup_results import Disabled, EditedFile, Left


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
        return remove_parts(path, features, agent, scope, root, created)
    except BadAgentSettings as error:
        return Left(path, error.reason)
