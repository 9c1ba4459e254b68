"""Executable detector: new programs in PATH that no package ships, as from `curl … | sh`.

A directory is in PATH by convention; `bin` at the root only if the root is a machine or a home,
because in a project it contains the project's own scripts.
Programs that another detector claimed are not repeated, and a link to a file of a package raises
no warning.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.tools.elf import LIMIT, describe_program
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact, Severity

_SYSTEM = frozenset((
    "usr/bin", "usr/sbin", "usr/local/bin", "usr/local/sbin", "usr/games", "usr/local/games",
    "snap/bin", "home/linuxbrew/.linuxbrew/bin", "opt/homebrew/bin", "opt/bin", "usr/local/go/bin",
))  # fmt: skip
_ROOT = frozenset(("bin", "sbin"))
_IN_HOME = frozenset((
    ".local/bin", "bin", ".bin", ".cargo/bin", "go/bin", ".deno/bin", ".bun/bin", ".npm-global/bin",
    ".npm/bin", ".dotnet/tools", ".poetry/bin", ".pixi/bin", ".foundry/bin", ".krew/bin",
))  # fmt: skip
_HOME_FILES = (".bashrc", ".profile", ".zshrc", ".bash_profile")

_READ_BUDGET = 256 << 20
"""The total number of bytes of programs that are read."""


class Executables:
    """Reports new programs in PATH of unknown origin."""

    name = "tools/executables"
    version = 1
    kinds: tuple[str, ...] = ("executable.added",)
    watch = WatchedPaths(
        directories=(
            *dict.fromkeys(path.rpartition("/")[2] for path in (*_SYSTEM, *_ROOT, *_IN_HOME)),
        )
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        places = _ExecutablePaths(evidence)
        reader = _HeaderReader()
        for change in changes:
            if not _is_new_program(change) or change.path in evidence.claimed:
                continue
            if change.path in evidence.owners or not places.is_in_path(change.parent):
                continue
            with evidence.guarded(change.path):
                fact = _fact(evidence, change, reader)
                yield Finding((fact,), (change.path,))


def _is_new_program(change: PathChange) -> bool:
    new, old = change.new, change.old
    if new is None or not _runs(new):
        return False
    return change.is_content or (old is not None and not _runs(old))


def _runs(entry: Entry) -> bool:
    return entry.kind == EntryKind.SYMLINK or (entry.is_file and bool(entry.mode & 0o111))


def _fact(evidence: Evidence, change: PathChange, reader: _HeaderReader) -> Fact:
    before = reader.describe(evidence.old, change.path) if change.old is not None else None
    script_paths = _leads_to_known(evidence, change)
    return Fact(
        "executable.added", change.parent, change.name, before,
        reader.describe(evidence.new, change.path), direct=not script_paths,
        severity=Severity.NONE if script_paths else Severity.NOTE, evidence=(change.path,),
    )  # fmt: skip


def _leads_to_known(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a link leads to a file that a package or another detector explains."""
    if change.new is None or change.new.kind != EntryKind.SYMLINK:
        return False
    target = change.new.target.decode("utf-8", "surrogateescape")
    place = posixpath.normpath(posixpath.join("/", change.parent, target)).lstrip("/")
    return place in evidence.owners or place in evidence.claimed


class _HeaderReader:
    """Describes programs, within a budget."""

    def __init__(self) -> None:
        self._left = _READ_BUDGET

    def describe(self, tree: Tree, path: str) -> str | None:
        entry = tree.entry(path)
        if entry is None:
            return None
        if entry.kind == EntryKind.SYMLINK:
            return f"link to {entry.target.decode('utf-8', 'surrogateescape')}"
        if not entry.is_file:
            return EntryKind.NAMES.get(entry.kind)
        pieces = tree.pieces(path)
        if self._left <= 0:
            return describe_program(islice(pieces, 1))
        self._left -= min(entry.size, LIMIT)
        words = describe_program(pieces)
        return words if entry.mode & 0o111 else f"{words}, not executable"


class _ExecutablePaths:
    """Knows which directories are in PATH."""

    def __init__(self, evidence: Evidence) -> None:
        trees = (evidence.new, evidence.old)
        self._is_home = any(tree.entry(name) is not None for tree in trees for name in _HOME_FILES)
        self._is_machine = evidence.machine or any(
            tree.entry("etc/passwd") is not None for tree in trees
        )

    def is_in_path(self, directory: str) -> bool:
        if directory in _SYSTEM or directory == ".local/bin":
            return True
        if directory in _ROOT and self._is_machine:
            return True
        if directory in _IN_HOME and self._is_home:
            return True
        first, _, rest = directory.partition("/")
        if first == "root":
            return rest in _IN_HOME
        name, _, rest = rest.partition("/")
        if first == "home":
            return bool(name) and rest in _IN_HOME
        return first == "opt" and bool(name) and rest in ("bin", "sbin")
