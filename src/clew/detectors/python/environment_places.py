"""Where a virtual environment was made: its scripts name that place, and work nowhere else.

The path from the root of the machine also tells where the root of the tree is, which is not known
otherwise: an environment `web/.venv` that was made at `/home/u/shop/web/.venv` is in `/home/u/shop`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.detectors.detector import Evidence, Tree
from clew.detectors.python.python_environments import PythonEnvironment, join

_SCRIPTS = ("bin/activate", "Scripts/activate")
_LIMIT = 64 << 10
_PLACE = re.compile(
    rb"^[ \t]*+(?:export )?VIRTUAL_ENV=([\"']?)(/[^\"'\n$`]{1,1000}+)\1[ \t]*+$", re.M
)


def place_of_tree(tree: Tree, root: str) -> str | None:
    """Return the path of the root of a tree, as an environment in it knows it; None if unknown."""
    made = _made_at(tree, root)
    if made is None or not made.endswith(f"/{root}"):
        return None
    return made[: -len(root) - 1]


def moved_environments(
    evidence: Evidence, environments: Iterable[PythonEnvironment]
) -> dict[str, str]:
    """Return, by their root, where environments were that still name that place."""
    known = [one for one in environments if one.is_virtual]
    gone = {_script(evidence.old, one.root): one.root for one in known if one.is_removed}
    gone.pop(None, None)
    found: dict[str, str] = {}
    for one in known:
        before = gone.get(_script(evidence.new, one.root)) if one.is_new else None
        # one that was moved back to where it was made works again
        if before is not None and place_of_tree(evidence.old, before) is not None:
            found[one.root] = before
    return found


def _script(tree: Tree, root: str) -> object:
    """Return the content of the script that names the place; equal ones have the same."""
    for name in _SCRIPTS:
        entry = tree.entry(join(root, name))
        if entry is not None and entry.is_file and entry.size:
            return entry.content
    return None


def _made_at(tree: Tree, root: str) -> str | None:
    for name in _SCRIPTS:
        entry = tree.entry(join(root, name))
        if entry is not None and entry.is_file and entry.size <= _LIMIT:
            found = _PLACE.search(tree.read(join(root, name), _LIMIT) or b"")
            return found[2].decode("utf-8", "surrogateescape") if found else None
    return None
