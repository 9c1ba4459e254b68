"""Dispatch index: assigns changed paths to detectors by lookup instead of pattern matching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clew.detectors.detector import Detector, PathChange
from clew.model.entry import EntryKind


class Dispatch:
    """An index over the watched paths of all detectors."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._paths: dict[str, list[int]] = {}
        self._below: dict[str, list[int]] = {}
        self._names: dict[str, list[int]] = {}
        self._suffixes: dict[str, list[int]] = {}
        self._heads: dict[str, list[int]] = {}
        self._directories: dict[str, list[int]] = {}
        self._everything: list[int] = []
        self._count = len(detectors)
        for number, detector in enumerate(detectors):
            watch = detector.watch
            for words, index in (
                (watch.paths, self._paths),
                (watch.below, self._below),
                (watch.names, self._names),
                (watch.suffixes, self._suffixes),
                (watch.heads, self._heads),
                (watch.directories, self._directories),
            ):
                for word in words:
                    index.setdefault(word, []).append(number)
            if watch.everything:
                self._everything.append(number)

    def share(self, changes: Iterable[PathChange]) -> list[list[PathChange]]:
        """Return, for each detector, the changes that it watches; a hot loop, therefore flat."""
        shares: list[list[PathChange]] = [[] for _ in range(self._count)]
        above: dict[str, tuple[int, ...]] = {"": ()}
        for change in changes:
            path = change.path
            parent, _, name = path.rpartition("/")
            watching = above.get(parent)
            if watching is None:
                watching = self._watching_below(parent, above)
            for number in watching:
                shares[number].append(change)
            for number in self._by_itself(path, name, change):
                if number not in watching:
                    own = shares[number]
                    if not own or own[-1] is not change:
                        own.append(change)
        return shares

    def _by_itself(self, path: str, name: str, change: PathChange) -> Iterator[int]:
        """Yield the detectors that watch this path itself, possibly with duplicates."""
        yield from self._paths.get(path, ())
        yield from self._below.get(path, ())
        entry = change.new or change.old
        if entry is not None and entry.kind == EntryKind.DIRECTORY and change.is_directory:
            yield from self._directories.get(name, ())
        else:
            yield from self._by_name(name)

    def _by_name(self, name: str) -> Iterator[int]:
        """Yield the detectors that watch a file because of its name."""
        yield from self._everything
        yield from self._names.get(name, ())
        dot = name.rfind(".")
        yield from self._suffixes.get(name[dot:] if dot >= 0 else "", ())
        dot = name.find(".", 1)
        yield from self._heads.get(name[:dot] if dot >= 0 else name, ())

    def _watching_below(self, directory: str, known: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the detectors that watch everything below a directory."""
        missing: list[str] = []
        while directory not in known:  # no recursion: a tree may be deeper than the stack
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        found = known[directory]
        for path in reversed(missing):
            name = path.rpartition("/")[2]
            mine = (*self._below.get(path, ()), *self._directories.get(name, ()))
            found = known[path] = (*found, *mine)
        return found
