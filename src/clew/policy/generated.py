"""Generated and vendored paths, by name: what listings fold into one line for each directory.

A path belongs to the topmost generated directory above it: `web/node_modules`, `.venv`, `dist`, the
internals of `.git`.  The names are those that detectors use.
Names that people also use for their own work (`build`, `target`, `vendor`, `env`) count only where
something beside or in the directory explains them, which needs the trees: `ambiguous` finds these
directories, `is_explained` decides, and `GeneratedPlaces` is given the result.

Detectors also ask git what is ignored or tracked, and read tags; a listing does not.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple
from clew.model.path import join, name_of, parent_of
from clew.policy.generated_names import (
    AMBIGUOUS,
    AMBIGUOUS_VENDORED,
    DIRECTORIES,
    DIRECTORY_ENDINGS,
    ENVIRONMENT_MARK,
    ENVIRONMENTS,
    GIT,
    GIT_WRITTEN,
    HOME_PLACES,
    NAMES,
    PLACES,
    SCATTERED_DIRECTORIES,
    SUFFIXES,
    VENDORED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_BESIDE: dict[str, frozenset[str]] = {**AMBIGUOUS, **AMBIGUOUS_VENDORED}
_DIRECTORIES = frozenset((*DIRECTORIES, *VENDORED))
_ENDINGS = tuple(DIRECTORY_ENDINGS)
_BACKUP = "~"
_MARK = ENVIRONMENT_MARK.encode()
_AMBIGUOUS = frozenset(name.encode() for name in (*_BESIDE, *ENVIRONMENTS))
_VENDORED = frozenset(name.encode() for name in VENDORED)


class GeneratedPlace(NamedTuple):
    """The generated files that a listing counts together."""

    path: bytes
    """The topmost generated directory; empty for what is scattered."""
    pattern: str = ""
    """What is scattered over many directories: `__pycache__/` or `*.pyc`."""


class GeneratedPlaces:
    """Finds the place that a path belongs to; each directory is classified once."""

    def __init__(self, explained: Collection[bytes] = (), named: Collection[bytes] = ()) -> None:
        """`explained` are directories that are generated as a whole, whatever their name is.

        `named` are paths that somebody asked for: what is at or above them is not folded.
        """
        self._explained = frozenset(explained)
        self._open = {above for path in named for above in _with_ancestors(path)}
        self._known: dict[bytes, GeneratedPlace | None] = {b"": None}

    def of(self, path: bytes, *, is_directory: bool = False) -> GeneratedPlace | None:
        """Return the place of a path; None for one that a person would have written."""
        if is_directory:
            return self._directory(path)
        place = self._directory(parent_of(path))
        if place is None:
            return self._file(path)
        if name_of(place.path) == GIT.encode() and place.path not in self._explained:
            return None if _is_written_in_git(path, place.path) else place
        return place

    def _file(self, path: bytes) -> GeneratedPlace | None:
        name = _text(name_of(path))
        if path in self._open:
            return None
        if name in NAMES:
            return GeneratedPlace(b"", name)
        dot = name.rfind(".")
        if dot >= 0 and name[dot:] in SUFFIXES:
            return GeneratedPlace(b"", f"*{name[dot:]}")
        return GeneratedPlace(b"", "*~") if name.endswith(_BACKUP) else None

    def _directory(self, path: bytes) -> GeneratedPlace | None:
        """Return the place of a directory: that of its parent, or its own."""
        waiting = []
        while path not in self._known:
            waiting.append(path)
            path = parent_of(path)
        place = self._known[path]
        for one in reversed(waiting):
            place = self._known[one] = place if place is not None else self._own(one)
        return place

    def _own(self, path: bytes) -> GeneratedPlace | None:
        if path in self._open or path == b"etc" or path.startswith(b"etc/"):
            return None
        name = _text(name_of(path))
        if name in SCATTERED_DIRECTORIES:
            return GeneratedPlace(b"", f"{name}/")
        is_generated = (
            name in _DIRECTORIES
            or name == GIT
            or name.endswith(_ENDINGS)
            or path in self._explained
            or _text(path) in PLACES
            or _is_home_place(path)
        )
        return GeneratedPlace(path) if is_generated else None


def ambiguous(paths: Iterable[bytes]) -> set[bytes]:
    """Return the directories above these paths that something must explain."""
    found: set[bytes] = set()
    seen: set[bytes] = {b""}
    for path in paths:
        directory, _, name = path.rpartition(b"/")
        if name == _MARK:
            found.add(directory)
        while directory not in seen:
            seen.add(directory)
            above, _, name = directory.rpartition(b"/")
            if name in _AMBIGUOUS:
                found.add(directory)
            elif name in _VENDORED:  # lib/python3.12/site-packages: an environment, if it says so
                found.add(parent_of(parent_of(above)))
            directory = above
    found.discard(b"")
    return found


def is_explained(path: bytes, beside: Collection[bytes], inside: Collection[bytes]) -> bool:
    """Return whether the names beside or in an ambiguous directory make it a generated one."""
    manifests = _BESIDE.get(_text(name_of(path)), frozenset())
    return _MARK in inside or any(name.encode() in beside for name in manifests)


def _is_written_in_git(path: bytes, repository: bytes) -> bool:
    return _text(path[len(repository) + 1 :].partition(b"/")[0]) in GIT_WRITTEN


def _is_home_place(path: bytes) -> bool:
    parts = tuple(_text(path).rsplit("/", 3)[-3:])
    return parts in HOME_PLACES or parts[-2:] in HOME_PLACES


def _with_ancestors(path: bytes) -> list[bytes]:
    names = path.split(b"/") if path else []
    found = []
    above = b""
    for name in names:
        above = join(above, name)
        found.append(above)
    return found


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
