"""Code that went with its tests: by the names of files, directories and definitions.

`tests/test_refunds.py` belongs to `refunds.py` or a package `refunds`; a test that calls `refund()`
belongs to that function.  What was only moved is not gone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

from clew.detectors.checks.suite_facts import BRANCH, UNDONE
from clew.detectors.checks.suites import is_in_tests, language_of_suite
from clew.detectors.code.definitions import can_be_read, read_version
from clew.detectors.detector import Evidence, PathChange, TooLarge
from clew.detectors.files.source_git_status import COMMITTED, REVERTED, GitStatus
from clew.detectors.files.source_languages import is_source
from clew.detectors.repositories.git_refs import Refs
from clew.detectors.repositories.repositories import Repositories, Repository
from clew.model.ids import ObjectId

_MAX_FILES = 60
_MAX_BYTES = 512 << 10
_FILE_LIMIT = 512 << 10
_AFFIX = re.compile(
    r"^(?:tests?[_-]|spec[_-])|[_-](?:tests?|spec)$|\.(?:test|spec|cy|e2e|it)$|(?<=[a-z0-9])(?:Tests?|TestCase|Spec|IT)$"
    r"|^Test(?=[A-Z])"
)
_SHORT = 3
"""Names of this length or less do not identify anything."""


class RemovedCode:
    """Sources that are gone, looked up when tests are gone."""

    def __init__(self, evidence: Evidence, suites: Collection[str] | None = None) -> None:
        """`suites` are the changed files that hold tests; None if there are too many to tell."""
        self._evidence = evidence
        self._suites = None if suites is None else frozenset(suites)
        self._statuses: dict[str, tuple[GitStatus, bool]] = {}

    @cached_property
    def _deleted(self) -> list[PathChange]:
        """Deleted source files that hold no tests."""
        suites = self._suites
        if suites is None:
            return []
        return [
            change
            for path, change in self._evidence.changes.items()
            if change.new is None
            and path not in suites
            and change.old is not None
            and change.old.is_file
            and is_source(change.name) is True
            and not is_in_tests(path)
        ]

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The names of deleted modules, and of directories that are gone."""
        found = set()
        for change in self._deleted:
            if self.same_content(change.path):
                continue
            found.add(change.name.partition(".")[0].lower())
            directory = self.gone_directory(change.path)
            while directory and change.path.startswith(f"{directory}/"):
                found.add(directory.rpartition("/")[2].lower())
                rest = change.parent[len(directory) + 1 :]
                if not rest:
                    break
                directory = f"{directory}/{rest.partition('/')[0]}"
        return frozenset(found - {"__init__", "index", "mod", "main"})

    def is_gone_with(self, path: str) -> bool:
        """Return whether what a deleted test file tests, by its name, is gone as well."""
        stem = path.rpartition("/")[2].rpartition(".")[0]
        plain = _AFFIX.sub("", _AFFIX.sub("", stem)).lower()
        if len(plain) >= _SHORT and any(self._is_part(plain, module) for module in self._modules):
            return True
        directory = self.gone_directory(path)
        if not directory or self.is_of_tests(directory):
            return False
        return any(change.path.startswith(f"{directory}/") for change in self._deleted)

    def _is_part(self, name: str, module: str) -> bool:
        """Return whether a name is that of a module, or begins with it: `refunds_late`."""
        return name == module or (len(module) > _SHORT and name.startswith(f"{module}_"))

    @cached_property
    def names(self) -> frozenset[str]:
        """Functions and classes that are gone from sources, and are not elsewhere now."""
        gone: set[str] = set()
        fresh: set[str] = set()
        files, size = _MAX_FILES, _MAX_BYTES
        if self._suites is None:
            return frozenset()
        for path, change in self._evidence.changes.items():
            if path in self._suites or not can_be_read(change.name) or not change.is_content:
                continue
            entries = [entry for entry in (change.old, change.new) if entry is not None]
            if not all(entry.is_file and entry.size <= _FILE_LIMIT for entry in entries):
                continue
            files, size = files - 1, size - sum(entry.size for entry in entries)
            if files < 0 or size < 0:
                break
            removed, added = self._difference(change)
            gone |= removed
            fresh |= added
        return frozenset(name for name in gone - fresh if len(name) > _SHORT)

    def _difference(self, change: PathChange) -> tuple[set[str], set[str]]:
        """Return the short names of definitions that went and came in one file."""
        try:
            before = self._evidence.old.read(change.path, _FILE_LIMIT) if change.old else None
            after = self._evidence.new.read(change.path, _FILE_LIMIT) if change.new else None
        except TooLarge:
            return set(), set()
        names = [_names(change.name, content or b"") for content in (before, after)]
        return names[0] - names[1], names[1] - names[0]

    def gone_directory(self, path: str) -> str:
        """Return the topmost directory around a path that is gone; empty if there is none."""
        found = ""
        directory = path.rpartition("/")[0]
        while directory:
            change = self._evidence.changes.get(directory)
            if change is None or change.new is not None:
                break
            found = directory
            directory = directory.rpartition("/")[0]
        return found

    def is_of_tests(self, directory: str) -> bool:
        """Return whether a directory is one of tests by its name."""
        return bool(language_of_suite(f"{directory}/x.js"))

    @cached_property
    def _added(self) -> dict[ObjectId | None, str]:
        return {
            change.new.content: path
            for path, change in self._evidence.changes.items()
            if change.old is None
            and change.new is not None
            and change.new.is_file
            and change.new.size
        }

    def same_content(self, path: str) -> str:
        """Return a new file with the content of a deleted one; empty if there is none."""
        change = self._evidence.changes.get(path)
        if change is None or change.old is None or not change.old.size:
            return ""
        return self._added.get(change.old.content, "")

    def explains_state(self, path: str) -> str:
        """Return why git put a file into its state: another branch, or an edit that was undone."""
        repository = self._evidence.once(Repositories).of(path)
        change = self._evidence.changes.get(path)
        if repository is None or change is None or "/.git/" in f"/{path}":
            return ""
        if repository.own not in self._statuses:
            status = GitStatus(self._evidence, repository)
            self._statuses[repository.own] = status, self._is_known_commit(repository)
        status, is_known = self._statuses[repository.own]
        if not status.is_tracked(change):
            return ""
        content = self._evidence.new.read(path, _FILE_LIMIT) if change.new is not None else None
        said = status.status(change, content)
        if said == REVERTED:
            return UNDONE
        return BRANCH if said == COMMITTED and is_known else ""

    def _is_known_commit(self, repository: Repository) -> bool:
        """Return whether HEAD is at a commit that a branch or tag had before."""
        own = repository.own.removeprefix(repository.common).lstrip("/")
        head = Refs(self._evidence.new, repository.common).head(f"{own}/" if own else "")
        if head is None or head.commit is None:
            return False
        return head.commit in Refs(self._evidence.old, repository.common).all.values()


_PYTHON_NAME = re.compile(rb"^[ \t]*+(?:async[ \t]++)?(?:def|class)[ \t]++(\w{1,80})", re.M)


def _names(name: str, content: bytes) -> set[str]:
    """Return the short names of what a file defines; Python is not parsed for that."""
    if name.endswith((".py", ".pyi")):
        return {found.decode() for found in _PYTHON_NAME.findall(content)}
    version = read_version(name, content)
    return {one.rpartition(".")[2] for one in version.symbols} if version is not None else set()
