"""Places: what is known of all files of a directory, found once for each directory.

Most questions about a lost file have the same answer for its neighbours, and some cost much.
"""

from __future__ import annotations

from clew.detectors.detector import Evidence
from clew.detectors.files.generated import GeneratedGroup, GeneratedPaths
from clew.detectors.files.logs import is_log_directory
from clew.detectors.losses.builders import Builders
from clew.detectors.losses.disposable import is_disposable_directory
from clew.detectors.losses.servers import Servers
from clew.detectors.repositories.git_contents import GitContents, Keeper
from clew.model.entry import EntryKind
from clew.policy.generated_names import BUILD, CACHE

_TELLING = frozenset(("cur", "new", "mail", "sessions", "screenshots", ".ssh"))
"""Names of directories that decide what their files are."""


class Place:
    """One directory."""

    __slots__ = ("group", "is_made", "is_ordinary", "is_others", "keeper", "kinds", "path")

    def __init__(
        self, path: str, *, is_others: bool, is_made: bool,
        group: GeneratedGroup | None, keeper: Keeper | None,
    ) -> None:  # fmt: skip
        self.path = path
        self.is_others = is_others
        """Whether its files are disposable, or a server's or git's own."""
        self.is_made = is_made
        """Whether its files are caches or build output that can be made again."""
        self.group = group
        self.keeper = keeper
        """The repository around it, if that still exists."""
        self.is_ordinary = path.rpartition("/")[2] not in _TELLING and not is_log_directory(path)
        """Whether the suffix of a file's name decides what it is."""
        self.kinds: dict[str, str] = {}
        """What its files are, by name; filled by `names.py`."""


class Places:
    """Every directory that was asked for; `evidence.once(Places)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._generated = evidence.once(GeneratedPaths)
        self._builders = evidence.once(Builders)
        self._git = evidence.once(GitContents)
        self._servers = evidence.once(Servers)
        self._known: dict[str, Place] = {}
        self._elsewhere: dict[str, bool] = {"": False}

    def of(self, directory: str) -> Place:
        """Return what is known of a directory."""
        found = self._known.get(directory)
        if found is None:
            found = self._known[directory] = self._place(directory)
        return found

    def is_elsewhere(self, directory: str) -> bool:
        """Return whether a directory is now excluded from the tree, a mount, or a link."""
        missing: list[str] = []
        while directory not in self._elsewhere:
            missing.append(directory)
            entry = self._evidence.new.entry(directory)
            if entry is not None:
                is_link = entry.kind == EntryKind.SYMLINK
                self._elsewhere[directory] = is_link or not entry.is_covered
                break
            directory = directory.rpartition("/")[0]
        found = self._elsewhere[directory]
        self._elsewhere.update(dict.fromkeys(missing, found))
        return found

    def _place(self, directory: str) -> Place:
        is_others = (
            "/.git/" in f"/{directory}/"
            or is_disposable_directory(directory, is_machine=self._evidence.machine)
            or self._servers.own(directory)
        )
        group = None if is_others else self._generated.directory_group(directory)
        is_made = self._builders.is_made(directory) or (
            group is not None and self._can_be_made(group)
        )
        keeper = None if is_others else self._git.keeper(directory)
        return Place(directory, is_others=is_others, is_made=is_made, group=group, keeper=keeper)

    def _can_be_made(self, group: GeneratedGroup) -> bool:
        if group.kind == CACHE:
            return True
        return group.kind == BUILD and self._builders.can_build(group.directory)
