"""Generated file detector: build output, caches, and files that git ignores.

Each changed path belongs to the topmost generated directory that contains it (`web/dist`).
Names that people also use for their own work (`build`, `target`, `out`) only count next to a
manifest that explains them, and files that git tracks are never generated.
Caches are not `direct`, so a story about caches alone says that only logs and caches changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.config_files import is_configuration
from clew.detectors.files.logs import is_log
from clew.detectors.files.source_languages import is_source
from clew.detectors.inherited import inherited
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple
from clew.policy.generated_names import (
    AMBIGUOUS,
    BUILD,
    CACHE,
    DIRECTORIES,
    DIRECTORY_ENDINGS,
    HOME_PLACES,
    IGNORED,
    NAMES,
    PLACES,
    SCATTERED_DIRECTORIES,
    SUFFIXES,
    TAG,
    TAG_SIGNATURE,
)

_MAX_SUBJECTS = 100
"""How many directories are listed one by one; the rest are combined."""
_MAX_TAGS = 2_000
"""How many directories are checked for a CACHEDIR.TAG."""
_MAX_QUESTIONS = 20_000
"""How many files in directories that are not ignored are checked against git's rules."""
_EVIDENCE = 3
_STATE = ".tfstate"
"""Nobody commits it, and nothing can make it again."""


class GeneratedGroup(NamedTuple):
    """Generated files that are reported together."""

    kind: str
    """`build`, `cache` or `ignored`."""
    directory: str
    """Empty for scattered files."""
    top: str = ""
    """The first directory of scattered files."""


class Generated:
    """Reports how many generated files changed."""

    name = "files/generated"
    version = 3
    kinds: tuple[str, ...] = ("generated.changed",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        places = evidence.once(GeneratedPaths)
        groups: dict[GeneratedGroup, list[PathChange]] = {}
        for change in changes:
            group = places.group_of(change.path)
            if group is not None and not _has_own_detector(change, group):
                groups.setdefault(group, []).append(change)
        directories = places.directories_of(groups)
        for group, members in sorted(_merged(groups).items()):
            mine = [change for member in members for change in groups[member]]
            claims = [path for member in members for path in directories.get(member, ())]
            yield _finding(group, mine, claims)


def _has_own_detector(change: PathChange, group: GeneratedGroup) -> bool:
    """Return whether an ignored file has its own detector: a log, local settings, an edit.

    Only for a file that is ignored itself: in an ignored directory everything is generated.
    """
    if group.kind != IGNORED:
        return False
    if is_log(change.path):
        return True
    if group.directory or change.new is None:
        return False
    is_edit = change.old is not None and is_source(change.name) is True
    return is_edit or is_configuration(change) or change.name.endswith(_STATE)


def _finding(
    group: GeneratedGroup, changes: Sequence[PathChange], directories: Sequence[str]
) -> Finding:
    paths = [change.path for change in changes]
    fact = Fact(
        "generated.changed", group.kind, group.directory or common_directory(paths) or ".",
        after=str(len(paths)), direct=group.kind != CACHE, evidence=tuple(paths[:_EVIDENCE]),
        marks=_marks(changes),
    )  # fmt: skip
    return Finding((fact,), [*paths, *directories])


def _marks(changes: Sequence[PathChange]) -> tuple[str, ...]:
    """Return how many files were added, changed and deleted."""
    added = sum(change.is_added for change in changes)
    deleted = sum(change.is_deleted for change in changes)
    numbers = ((added, "added"), (len(changes) - added - deleted, "changed"), (deleted, "deleted"))
    return tuple(f"{number:,} {word}" for number, word in numbers if number)


def _merged(groups: Collection[GeneratedGroup]) -> dict[GeneratedGroup, list[GeneratedGroup]]:
    """Return the groups to report together: each alone, or too many by their first directory."""
    if len(groups) <= _MAX_SUBJECTS:
        return {group: [group] for group in groups}
    merged: dict[GeneratedGroup, list[GeneratedGroup]] = {}
    tops: set[str] = set()
    for group in sorted(groups):
        top = (group.directory or group.top).partition("/")[0]
        if len(tops) >= _MAX_SUBJECTS and top not in tops:
            top = ""
        tops.add(top)
        merged.setdefault(GeneratedGroup(group.kind, "", top), []).append(group)
    return merged


class GeneratedPaths:
    """Classifies directories as generated, each once; `evidence.once(GeneratedPaths)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._git = evidence.once(GitTracking)
        self._known: dict[str, GeneratedGroup | None] = {"": None}
        self._tags = _MAX_TAGS
        self._questions = _MAX_QUESTIONS

    def group_of(self, path: str) -> GeneratedGroup | None:
        """Return the group of a changed file; None if it is not generated."""
        if is_inside_git(path):
            return None
        parent, slash, name = path.rpartition("/")
        top = path.partition("/")[0] if slash else ""
        group = self.directory_group(parent)
        kind = NAMES.get(name) or SUFFIXES.get(name[name.rfind(".") :] if "." in name else "")
        kind = kind or (BUILD if name.startswith(".coverage.") and name.count(".") > 2 else None)
        kind = kind or (CACHE if name.endswith("~") else None)
        if group is None and kind is not None:
            group = GeneratedGroup(kind, "", top)
        if group is not None:
            return None if self._git.tracks(path) else group
        if self._questions <= 0:
            return None
        self._questions -= 1
        return GeneratedGroup(IGNORED, "", top) if self._git.ignores(path) else None

    def directories_of(self, groups: Collection[GeneratedGroup]) -> dict[GeneratedGroup, list[str]]:
        """Return the changed directories at or below those of the groups."""
        found: dict[GeneratedGroup, list[str]] = {}
        for path, change in self._evidence.changes.items():
            if change.is_directory and path not in self._evidence.claimed:
                group = self.directory_group(path)
                if group is not None and group in groups:
                    found.setdefault(group, []).append(path)
        return found

    def directory_group(self, directory: str) -> GeneratedGroup | None:
        """Return the group of a directory; None if it is not generated."""
        return inherited(self._known, directory, self._classify)

    def _classify(self, path: str) -> GeneratedGroup | None:
        parent, _, name = path.rpartition("/")
        if name == ".git" or path == "etc" or path.startswith("etc/"):
            return None
        if name in SCATTERED_DIRECTORIES:
            return GeneratedGroup(SCATTERED_DIRECTORIES[name], "", path.partition("/")[0])
        kind = (
            DIRECTORIES.get(name)
            or PLACES.get(path)
            or _by_suffix(path, name)
            or self._by_manifest(parent, name)
            or self._by_tag(path)
        )
        if kind is None:
            return GeneratedGroup(IGNORED, path) if self._git.ignores_directory(path) else None
        if _may_be_written_by_hand(name) and self._git.tracks_below(path):
            return None
        return GeneratedGroup(kind, path)

    def _by_manifest(self, parent: str, name: str) -> str | None:
        manifests = AMBIGUOUS.get(name)
        if manifests is None:
            return None
        for tree in (self._evidence.new, self._evidence.old):
            if not manifests.isdisjoint(tree.entries(parent)):
                return BUILD
        return None

    def _by_tag(self, path: str) -> str | None:
        """Return `build` or `cache` for a directory with a CACHEDIR.TAG."""
        if self._tags <= 0:
            return None
        self._tags -= 1
        tag = f"{path}/{TAG}"
        new = self._evidence.new
        # what only the old tree has is a change; its directories need not be read
        for tree in (new, self._evidence.old) if tag in self._evidence.changes else (new,):
            entry = tree.entry(tag)
            if entry is None or not entry.is_file:
                continue
            try:
                content = tree.read(tag, 1 << 16)
            except TooLarge:  # not a tag
                continue
            if content is not None and content.startswith(TAG_SIGNATURE):
                return BUILD if path.rpartition("/")[2] in AMBIGUOUS else CACHE
        return None


def _may_be_written_by_hand(name: str) -> bool:
    return name[0] not in "._" and name not in ("node_modules", "bower_components")


def _by_suffix(path: str, name: str) -> str | None:
    for ending, kind in DIRECTORY_ENDINGS.items():
        if name.endswith(ending):
            return kind
    parts = path.split("/")
    for length in (2, 3):
        kind = HOME_PLACES.get(tuple(parts[-length:]), "")
        if kind:
            return kind
    return None
