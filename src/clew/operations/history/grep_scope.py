"""The scope of a search of contents: some paths, without generated directories and `.git`."""

from __future__ import annotations

from collections.abc import Sequence

from clew.diff.trees import lookup
from clew.model.ids import ObjectId
from clew.model.path import is_within, parent_of
from clew.model.tree import Get, read_directory
from clew.policy.generated import GeneratedPlaces, ambiguous, is_explained


class GrepScope:
    """Which directories and files are searched; a directory is decided once for all checkpoints."""

    def __init__(self, get: Get, within: Sequence[bytes], *, generated: bool) -> None:
        """`within` are the paths to search, all if there are none; a named path is never generated."""
        self._get = get
        self._within = tuple(within)
        self._is_generated_too = generated
        self._known: dict[bytes, bool] = {}
        self._places = GeneratedPlaces(named=self._within)
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
        if self._places.of(path, is_directory=True) is not None:
            return True
        inside = self._names(root, path)
        if path not in ambiguous(path + b"/" + name for name in inside):
            return False
        return is_explained(path, self._names(root, parent_of(path)), inside)

    def _names(self, root: ObjectId, directory: bytes) -> set[bytes]:
        entry = lookup(root, directory, self._get)
        if entry is None or not entry.is_directory:
            return set()
        return {one.name for one in read_directory(entry.content, self._get)}
