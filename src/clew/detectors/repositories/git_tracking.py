"""Git status of changed files: tracked or ignored.

Both trees are read, so that a file that was tracked until now is not classified as output.
Use `evidence.once(GitTracking)`; a repository's index is read on the first query about its paths.
"""

from __future__ import annotations

import posixpath

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.gitignore import Ignored
from clew.detectors.repositories.repositories import Repositories, Repository

_ANY_NAME = "a name that no pattern means\x01"


class GitTracking:
    """Tracked and ignored paths of every repository in the tree."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._repositories = evidence.once(Repositories)
        self._indexes = evidence.once(GitIndexes)
        self._tracked: dict[str, set[str]] = {}
        self._holding: dict[str, set[str]] = {}
        self._ignored: dict[str, Ignored] = {}

    def tracks(self, path: str) -> bool:
        """Return whether git tracks a file in either tree."""
        repository = self._repositories.of(path)
        return repository is not None and repository.relative(path) in self._index(repository)

    def tracks_below(self, directory: str) -> bool:
        """Return whether git tracks anything below a directory in either tree."""
        repository = self._repositories.of(directory)
        if repository is None:
            return False
        self._index(repository)
        return repository.relative(directory) in self._holding[repository.own]

    def ignores(self, path: str) -> bool:
        """Return whether git ignores a file that it does not track."""
        repository = self._repositories.of(path)
        if repository is None or not self._rules(repository).covers(repository.relative(path)):
            return False
        return not self.tracks(path)

    def ignores_directory(self, directory: str) -> bool:
        """Return whether a directory is ignored as a whole."""
        return self.ignores(f"{directory}/{_ANY_NAME}") and not self.tracks_below(directory)

    def _rules(self, repository: Repository) -> Ignored:
        rules = self._ignored.get(repository.own)
        if rules is None:
            new = self._evidence.new
            # a deleted repository can only be read from the old tree
            tree = new if new.entry(repository.own) is not None else self._evidence.old
            rules = Ignored(tree, repository.directory, repository.common)
            self._ignored[repository.own] = rules
        return rules

    def _index(self, repository: Repository) -> set[str]:
        known = self._tracked.get(repository.own)
        if known is None:
            known = self._tracked[repository.own] = set()
            # the git detector reports an index that cannot be read
            known.update(self._indexes.old(repository.own) or ())
            known.update(self._indexes.new(repository.own) or ())
            self._holding[repository.own] = _directories_above(known)
        return known


def _directories_above(paths: set[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        above = posixpath.dirname(path)
        while above and above not in found:
            found.add(above)
            above = posixpath.dirname(above)
    return found
