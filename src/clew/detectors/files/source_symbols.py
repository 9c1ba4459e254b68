"""Definitions that came, went or changed in the source files of a group, within a budget.

Each file with a difference has a fact of its own:

    code.symbols  git:.  app/main.py  (+limit(), −Mailer, ~orders(), Session moved to app/login.py)
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.code.definitions import (
    COMPONENTS,
    Differences,
    can_be_read,
    definitions,
    differences,
    read_version,
)
from clew.detectors.code.languages import parsing_cost
from clew.detectors.code.symbols import CONSTANT, Symbol
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

_MAX_FILES = 60
_MAX_BYTES = 768 << 10
_MAX_FACTS = 30
_MAX_MARKS = 12
_MAX_MOVED = 400


class SymbolBudget:
    """The number of files and bytes that a story may parse."""

    def __init__(self, max_files: int = _MAX_FILES, max_bytes: int = _MAX_BYTES) -> None:
        self._files = max_files
        self._bytes = max_bytes

    def allows(self, size: int) -> bool:
        """Return whether versions of this size may be parsed, and deduct them."""
        if self._files < 1 or self._bytes < size:
            return False
        self._files -= 1
        self._bytes -= size
        return True


class _File(NamedTuple):
    path: str
    found: Differences


class SymbolTally:
    """Differences of the files of one repository or directory."""

    def __init__(self, budget: SymbolBudget) -> None:
        self._budget = budget
        self._files: list[_File] = []

    def add(self, path: str, before: bytes | None, after: bytes | None) -> str:
        """Compare two versions; return what alone is different: `layout`, `comments` or nothing.

        A version of a file that came or went is empty; None if it was not read.
        """
        name = path.rpartition("/")[2]
        if before is None or after is None or not can_be_read(name):
            return ""
        if not self._budget.allows(parsing_cost(before) + parsing_cost(after)):
            return ""
        found = _compared(name, before, after)
        if found is None:
            return ""
        self._files.append(_File(path, found))
        return found.only

    def facts(self, scope: str) -> Iterator[Fact]:
        """Yield a fact for each file with a difference."""
        moved = self._moved()
        arrived = {(to, symbol.name) for (_, symbol), to in moved.items()}
        number = 0
        for path, found in self._files:
            marks = _marks(path, found, moved, arrived)
            if marks and number < _MAX_FACTS:
                number += 1
                if len(marks) > _MAX_MARKS:
                    marks[_MAX_MARKS:] = [f"and {len(marks) - _MAX_MARKS:,} more"]
                yield Fact("code.symbols", scope, path, evidence=(path,), marks=tuple(marks))

    def _moved(self) -> dict[tuple[str, Symbol], str]:
        """Return definitions that are in another file now, with its path."""
        gone = [(path, one) for path, found in self._files for one in found.removed]
        fresh = [(path, one) for path, found in self._files for one in found.added]
        if not gone or not fresh or len(gone) + len(fresh) > _MAX_MOVED:
            return {}
        names = {one.name for _, one in fresh}
        places = {_identity(one): path for path, one in fresh if one.kind != CONSTANT}
        return {
            (path, one): places[_identity(one)]
            for path, one in gone
            if one.name in names and one.kind != CONSTANT and _identity(one) in places
        }


def _compared(name: str, before: bytes, after: bytes) -> Differences | None:
    """Return how two versions differ; None if one cannot be parsed."""
    if not before or not after:
        version = read_version(name, before or after)
        if version is None:
            return None
        listed = definitions(version)
        return Differences(removed=listed) if before else Differences(added=listed)
    old, new = read_version(name, before), read_version(name, after)
    if old is None or new is None:
        return None
    found = differences(old, new)
    return found._replace(only="") if name.endswith(COMPONENTS) else found  # its page may differ


def _identity(symbol: Symbol) -> tuple[str, str, object]:
    return symbol.kind, symbol.name, symbol.anonymous()


def _marks(
    path: str,
    found: Differences,
    moved: dict[tuple[str, Symbol], str],
    arrived: set[tuple[str, str]],
) -> list[str]:
    marks = [f"+{one.shown}" for one in found.added if (path, one.name) not in arrived]
    for one in found.removed:
        to = moved.get((path, one))
        marks.append(f"{one.shown} moved to {to}" if to else f"−{one.shown}")
    marks += [f"{old.shown} → {new.shown}" for old, new in found.renamed]
    return [*marks, *(f"~{name}" for name in found.changed)]
