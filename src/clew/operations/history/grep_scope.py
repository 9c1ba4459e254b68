"""The scope of a search of contents: some paths, without generated directories and `.git`."""

from __future__ import annotations

from collections.abc import Sequence

from clew.diff.trees import lookup
from clew.model.ids import ObjectId
from clew.model.path import is_within, join, name_of, parent_of
from clew.model.tree import Get
from clew.policy.generated_names import (
    AMBIGUOUS,
    DIRECTORIES,
    DIRECTORY_ENDINGS,
    SCATTERED_DIRECTORIES,
)

_GENERATED = frozenset(
    name.encode() for name in (*DIRECTORIES, *SCATTERED_DIRECTORIES, ".git", "site-packages")
)
_ENDINGS = tuple(ending.encode() for ending in DIRECTORY_ENDINGS)
_EXPLAINED = {
    name.encode(): tuple(beside.encode() for beside in besides)
    for name, besides in AMBIGUOUS.items()
}
_ENVIRONMENTS = (b"venv", b"env", b"virtualenv")
_ENVIRONMENT_MARK = b"pyvenv.cfg"


class GrepScope:
    """Which directories and files are searched; a directory is decided once for all checkpoints."""

    def __init__(self, get: Get, within: Sequence[bytes], *, generated: bool) -> None:
        """`within` are the paths to search, all if there are none; a named path is never generated."""
        self._get = get
        self._within = tuple(within)
        self._is_generated_too = generated
        self._known: dict[bytes, bool] = {}
        self.skipped: list[bytes] = []
        """Generated directories that were left out."""

    def holds(self, path: bytes) -> bool:
        """Return whether a file is searched."""
        return not self._within or any(is_within(path, one) for one in self._within)

    def skips(self, root: ObjectId, path: bytes) -> bool:
        """Return whether nothing below a directory of the tree `root` is searched."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._skips(root, path)
        return known

    def _skips(self, root: ObjectId, path: bytes) -> bool:
        if not path or any(is_within(one, path) for one in self._within):
            return False
        if not self.holds(path):
            return True
        if self._is_generated_too or not self._is_generated(root, path):
            return False
        self.skipped.append(path)
        return True

    def _is_generated(self, root: ObjectId, path: bytes) -> bool:
        name = name_of(path)
        if name in _GENERATED or name.endswith(_ENDINGS):
            return True
        if name in _ENVIRONMENTS:
            return lookup(root, join(path, _ENVIRONMENT_MARK), self._get) is not None
        above = parent_of(path)
        return any(
            lookup(root, join(above, beside), self._get) is not None
            for beside in _EXPLAINED.get(name, ())
        )
