"""Plain copies: checkpoints that Chimera itself wrote below a directory.

They are read and never written.  Chimera did not copy directories that can be regenerated, so a
restore neither restores nor deletes those, at any depth.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from uuid import uuid4

from clew.errors import RestoreError

PLACES = (os.path.join(".chimera", "checkpoints"), ".chimera_checkpoints")
"""Where Chimera writes its checkpoints, and where older versions did."""

NOT_COPIED = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", ".virtualenv", "site-packages", ".eggs", "node_modules",
    "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache", ".idea",
    ".vscode", ".chimera", ".chimera_checkpoints", ".antigravitycli", ".next", ".nuxt",
    ".svelte-kit", ".gradle", ".astro", "dist", "build", "target",
})  # fmt: skip
"""Names of directories that Chimera does not copy."""

_NUMBER = re.compile("[0-9]{1,18}")

MayChange = Callable[[str], bool]
"""Whether an existing path may be overwritten or deleted: it is in the rescue checkpoint."""


def find(directory: str, checkpoint_id: str) -> str | None:
    """Return the copy with an id, or None."""
    if _NUMBER.fullmatch(checkpoint_id):
        for place in PLACES:
            copy = os.path.join(directory, place, checkpoint_id)
            if _is_directory(copy):
                return copy
    return None


def highest_id(directory: str) -> int:
    """Return the highest id of a copy, -1 if there is none."""
    found = [-1]
    for place in PLACES:
        path = os.path.join(directory, place)
        if os.path.isdir(path):
            found += [int(name) for name in os.listdir(path) if _NUMBER.fullmatch(name)]
    return max(found)


def restore(copy: str, directory: str, may_change: MayChange) -> None:
    """Make a directory equal to a copy, except for what Chimera does not copy."""
    _restore(copy, directory, "", may_change)


def _restore(copy: str, directory: str, inside: str, may_change: MayChange) -> None:
    wanted = {name for name in os.listdir(copy) if not _is_left_out(copy, name)}
    for name in os.listdir(directory):
        if name not in wanted and not _is_left_out(directory, name):
            _delete(directory, os.path.join(inside, name), name, may_change)
    for name in wanted:
        source, target = os.path.join(copy, name), os.path.join(directory, name)
        path = os.path.join(inside, name)
        if _is_directory(source):
            if not _is_directory(target):
                _delete(directory, path, name, may_change)
                if os.path.lexists(target):
                    continue
                os.mkdir(target)
            _restore(source, target, path, may_change)
            shutil.copystat(source, target)
        elif not os.path.lexists(target) or may_change(path):
            _replace(source, target, directory)


def _delete(directory: str, path: str, name: str, may_change: MayChange) -> None:
    """Delete an entry, except for what Chimera does not copy and what is not in the rescue."""
    target = os.path.join(directory, name)
    if _is_directory(target):
        for inner in os.listdir(target):
            if not _is_left_out(target, inner):
                _delete(target, os.path.join(path, inner), inner, may_change)
        if not os.listdir(target):
            os.rmdir(target)
    elif os.path.lexists(target) and may_change(path):
        os.unlink(target)


def _replace(source: str, target: str, directory: str) -> None:
    if _is_directory(target):
        raise RestoreError(f"Cannot restore: an excluded path is in the way: {target!r}")
    fresh = os.path.join(directory, f".clew-{uuid4().hex}")
    try:
        shutil.copy2(source, fresh, follow_symlinks=False)
        os.replace(fresh, target)
    except BaseException:
        if os.path.lexists(fresh):
            os.unlink(fresh)
        raise


def _is_left_out(directory: str, name: str) -> bool:
    return name in NOT_COPIED and _is_directory(os.path.join(directory, name))


def _is_directory(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
