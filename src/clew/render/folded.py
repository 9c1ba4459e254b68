"""Listing of changed paths that fits a screen: written files first, generated directories folded.

First the files that a person would have written, one line each, deletions first.  A directory that
was added or deleted as a whole is one line, and where there are too many lines, directories are.
Then one line for each generated or vendored directory.  Nothing is left out without a count.

What is folded is counted and never formatted: a listing of 36,000 paths costs about as much as one
of twenty.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.model.named_tuple import NamedTuple
from clew.model.path import is_within, name_of, parent_of
from clew.model.shorten import width_of
from clew.policy.generated import GeneratedPlaces
from clew.policy.generated_names import GIT
from clew.render import units
from clew.render.columns import pad
from clew.render.safe import safe, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clew.policy.generated import GeneratedPlace

_ROWS = 20
"""Lines for files that a person would have written."""
_GENERATED_ROWS = 8
"""Lines for generated directories."""
_MANY = 100
"""Written paths from which on a listing is a summary: nobody reads so many one by one."""
_SUMMARY_ROWS = 4
_SUMMARY_GENERATED_ROWS = 2
_FEW = 3
"""A directory that was added or deleted as a whole with so few files is listed by file."""
_WIDEST = 60
_DETAIL_WIDTH = 40
"""Columns that counts and bytes may take."""

_COLOURS = {ChangeKind.ADDED: "green", ChangeKind.DELETED: "red"}


class ListedPath(NamedTuple):
    """One changed path of a listing."""

    path: bytes
    kind: str
    """One of `ChangeKind`."""
    before: int
    """Bytes."""
    after: int
    is_directory: bool = False


class Folding(NamedTuple):
    """How a listing is folded."""

    generated: tuple[bytes, ...] = ()
    """Generated directories that their name alone does not show."""
    named: tuple[bytes, ...] = ()
    """Paths that were asked for."""
    everything: bool = False
    """Whether to list every path."""
    how: str = "`--all`"
    """The option or command that lists every path."""


class Row(NamedTuple):
    """One line of a listing: a path, or a directory with what changed in it."""

    kind: str
    """Empty if several kinds of changes are counted."""
    name: str
    detail: str
    growth: int
    """Bytes."""
    is_many: bool = False
    """Whether it counts the paths in a directory."""
    is_generated: bool = False


class Listing(NamedTuple):
    """A folded listing."""

    rows: tuple[Row, ...]
    is_folded: bool
    """Whether some row stands for several paths."""
    is_summary: bool
    """Whether it is kept short, because so many written paths changed."""


def lines(
    paths: Sequence[ListedPath],
    describe: Callable[[int], tuple[str, str]],
    folding: Folding,
    look: Style,
) -> Iterator[str]:
    """Yield the lines of a listing; the last one says how to see what was folded.

    `describe` returns the name and the details of the path with a number.
    """
    if folding.everything:
        yield from every(paths, describe, look)
    else:
        yield from shown(fold(paths, describe, folding, look), len(paths), folding, look)


def every(
    paths: Sequence[ListedPath], describe: Callable[[int], tuple[str, str]], look: Style
) -> Iterator[str]:
    """Yield a line for each path."""
    column = min(max((len(one.path) for one in paths), default=0), _WIDEST)
    for at, one in enumerate(paths):
        yield _line(Row(one.kind, *describe(at), 0), column, look)


def shown(listing: Listing, number: int, folding: Folding, look: Style) -> Iterator[str]:
    """Yield the lines of a folded listing of so many paths."""
    yield from rows_shown(listing.rows, look)
    if listing.is_folded:
        yield paint(f"  {more(number, folding)}", "dim", look)


def rows_shown(rows: Sequence[Row], look: Style) -> Iterator[str]:
    """Yield rows in columns."""
    column = min(max((width_of(row.name) for row in rows), default=0), _WIDEST)
    for row in rows:
        yield _line(row, column, look)


def split_patch(
    paths: Sequence[ListedPath], folding: Folding, look: Style
) -> tuple[list[int], list[Row]]:
    """Return the numbers of the paths that a patch shows line by line, and rows for the others.

    The others are generated files, and those of a directory that was deleted as a whole.
    """
    written, places = _split(paths, folding)
    root = _tree(paths, written)
    deleted: list[Row] = []
    dropped: set[bytes] = set()
    waiting = list(root.children)
    while waiting:
        one = waiting.pop()
        is_asked = any(is_within(path, one.tally.path) for path in folding.named)
        if one.tally.whole == ChangeKind.DELETED and one.tally.files > _FEW and not is_asked:
            dropped.add(one.tally.path)
            deleted.append(_row_of_many(_label(one.tally, look), one.tally))
        else:
            waiting += one.children
    chosen = [at for at in written if not dropped or not _is_below(paths[at].path, dropped)]
    return chosen, [*sorted(deleted, key=lambda row: row.name), *_generated(places, _ROWS)]


def row_of_files(paths: Sequence[ListedPath], look: Style) -> Row:
    """Return one row that names as many of these files as there is room for."""
    tally = Tally()
    for one in paths:
        tally.take(one)
        tally.names.append(one.path)
    return _row_of_many(_label(tally, look), tally)


def _is_below(path: bytes, directories: set[bytes]) -> bool:
    while path:
        if path in directories:
            return True
        path = parent_of(path)
    return False


def names(paths: Sequence[str]) -> Iterator[str]:
    """Yield the names of paths: written ones, then a count for each generated place."""
    found = [path.encode("utf-8", "surrogateescape") for path in paths]
    written, places = by_place(found)
    for at in written[:_ROWS]:
        yield safe_path(found[at]) or "."
    if len(written) > _ROWS:
        yield f"and {len(written) - _ROWS:,} more"
    for label, number in places:
        yield f"{label}  {units.count(number, 'path')}"


def by_place(
    paths: Sequence[bytes], generated: tuple[bytes, ...] = ()
) -> tuple[list[int], list[tuple[str, int]]]:
    """Return the numbers of the written paths, and how many of the others each place has."""
    listed = [ListedPath(path, ChangeKind.MODIFIED, 0, 0) for path in paths]
    written, places = _split(listed, Folding(generated))
    counted = sorted(places.items(), key=lambda item: (-item[1][0].files, item[0]))
    return written, [(_place(place, parents), tally.files) for place, (tally, parents) in counted]


def written_of(paths: Sequence[ListedPath], folding: Folding) -> list[bool]:
    """Return for each path whether a person would have written it."""
    numbers = frozenset(_split(paths, folding)[0])
    return [at in numbers for at in range(len(paths))]


def more(number: int, folding: Folding) -> str:
    """Return the sentence that says how to list everything."""
    return f"{folding.how} lists all {units.count(number, 'path')}"


def fold(
    paths: Sequence[ListedPath],
    describe: Callable[[int], tuple[str, str]],
    folding: Folding,
    look: Style,
    most: int = _ROWS,
    most_generated: int = _GENERATED_ROWS,
) -> Listing:
    """Return the rows of a listing: written files on `most` rows, then generated directories."""
    written, places = _split(paths, folding)
    is_summary = len(written) > _MANY
    limit = min(_SUMMARY_ROWS, most) if is_summary else most
    tallies, files = _fold(paths, written, folding.named, limit)
    rows = [(*_order(paths[at]), _row_of(paths[at], *describe(at))) for at in files]
    rows += [(*_importance(one), _row_of_many(_label(one, look), one)) for one in tallies]
    rows.sort(key=lambda one: one[:3])
    limit = min(_SUMMARY_GENERATED_ROWS, most_generated) if is_summary else most_generated
    generated = _generated(places, limit)
    is_folded = bool(tallies or generated)
    return Listing((*(row for *_, row in rows), *generated), is_folded, is_summary)


class Tally:
    """Counts of the files in one place."""

    __slots__ = (
        "added", "after", "before", "changed", "deleted", "directories", "is_rest", "names", "path",
        "whole",
    )  # fmt: skip

    def __init__(self, path: bytes = b"") -> None:
        self.path = path
        self.added = self.changed = self.deleted = self.directories = 0
        self.before = self.after = 0
        self.whole = ""
        """How the directory itself changed, if it was added or deleted."""
        self.names: list[bytes] = []
        """What is counted, where it is not in one directory."""
        self.is_rest = False
        """Whether some files of the directory are listed by themselves."""

    @property
    def files(self) -> int:
        return self.added + self.changed + self.deleted

    @property
    def kind(self) -> str:
        """The kind of all its changes; empty if they differ."""
        if self.whole and not self.changed:
            return self.whole
        kinds = [
            kind
            for kind, number in (
                (ChangeKind.ADDED, self.added),
                (ChangeKind.MODIFIED, self.changed),
                (ChangeKind.DELETED, self.deleted),
            )
            if number
        ]
        return kinds[0] if len(kinds) == 1 else ""

    @property
    def rank(self) -> int:
        """Where it is listed: deletions first."""
        return 0 if self.deleted else 1

    @property
    def text(self) -> str:
        """Return `−33,205 files, 412 MB`, or `+12 ~3 −40 files, +1.2 MB`."""
        signs = ((self.added, "+"), (self.changed, "~"), (self.deleted, "−"))
        counts = " ".join(f"{sign}{number:,}" for number, sign in signs if number)
        if not counts:
            return units.count(self.directories, "directory", "directories")
        noun = "file" if self.files == 1 else "files"
        if self.added == self.files or self.deleted == self.files:
            return f"{counts} {noun}, {units.size(self.before + self.after)}"
        return f"{counts} {noun}, {signed(self.after - self.before)}"

    def take(self, one: ListedPath, sign: int = 1) -> None:
        """Count a path, or with `sign` -1 no longer."""
        if one.is_directory:
            self.directories += sign
            return
        if one.kind == ChangeKind.ADDED:
            self.added += sign
        elif one.kind == ChangeKind.DELETED:
            self.deleted += sign
        else:
            self.changed += sign
        self.before += sign * one.before
        self.after += sign * one.after

    def take_all(self, other: Tally) -> None:
        """Add the counts of another place."""
        self.added += other.added
        self.changed += other.changed
        self.deleted += other.deleted
        self.directories += other.directories
        self.before += other.before
        self.after += other.after


def signed(number: int) -> str:
    """Return `+1.2 MB` or `−40 B`."""
    return f"{'−' if number < 0 else '+' if number else ''}{units.size(abs(number))}"


def _row_of(one: ListedPath, name: str, detail: str) -> Row:
    return Row(one.kind, name, detail, one.after - one.before)


def _row_of_many(label: str, tally: Tally) -> Row:
    return Row(tally.kind, label, tally.text, tally.after - tally.before, is_many=True)


def _line(row: Row, column: int, look: Style) -> str:
    letter = ChangeKind.LETTERS[row.kind] if row.kind and not row.is_generated else " "
    text = f"  {letter}  {pad(row.name, column)}  {row.detail}".rstrip()
    return paint(text, "dim" if row.is_generated else _COLOURS.get(row.kind, ""), look)


def _split(
    paths: Sequence[ListedPath], folding: Folding
) -> tuple[list[int], dict[GeneratedPlace, tuple[Tally, set[bytes]]]]:
    """Return the numbers of written paths, and the tallies of generated places with their parents."""
    git = GIT.encode()
    repositories = [
        one.path
        for one in paths
        if one.is_directory and one.kind in _WHOLE and name_of(one.path) == git
    ]
    finder = GeneratedPlaces((*folding.generated, *repositories), folding.named)
    written: list[int] = []
    places: dict[GeneratedPlace, tuple[Tally, set[bytes]]] = {}
    for at, one in enumerate(paths):
        place = finder.of(one.path, is_directory=one.is_directory)
        if place is None:
            written.append(at)
            continue
        tally, parents = places.setdefault(place, (Tally(place.path), set()))
        tally.take(one)
        if place.pattern:
            parents.add(one.path if one.is_directory else parent_of(one.path))
    return written, places


_WHOLE = (ChangeKind.ADDED, ChangeKind.DELETED)


class _Directory:
    """A directory with changes below it, while a listing is folded."""

    __slots__ = ("children", "files", "tally")

    def __init__(self, path: bytes) -> None:
        self.tally = Tally(path)
        self.children: list[_Directory] = []
        self.files: list[int] = []
        """Numbers of the listed paths directly in it."""


def _fold(
    paths: Sequence[ListedPath], written: Sequence[int], named: Sequence[bytes], limit: int
) -> tuple[list[Tally], list[int]]:
    """Return the directories that take one line, and the numbers of the paths that do."""
    root = _tree(paths, written)
    room = limit - len(root.files) - len(root.children)
    files = list(root.files)
    folded: list[_Directory] = []
    waiting: list[tuple[int, bytes, _Directory]] = []
    _offer(root.children, waiting)
    while waiting:
        lines, _, directory = heappop(waiting)
        tally = directory.tally
        is_asked = any(is_within(path, tally.path) for path in named)
        is_one_line = tally.whole and tally.files > _FEW and not is_asked
        if is_one_line or lines - 1 > max(room, 0):
            folded.append(directory)
            continue
        room -= lines - 1
        files += directory.files
        _offer(directory.children, waiting)
    if room < 0:
        return _cut(paths, [directory.tally for directory in folded], files, limit)
    files += _picked(paths, folded, room)
    return [one.tally for one in folded if one.tally.files or one.tally.directories], files


def _cut(
    paths: Sequence[ListedPath], rows: list[Tally], files: list[int], limit: int
) -> tuple[list[Tally], list[int]]:
    """Return the largest of too many directories and the first files, and one line for the others."""
    rows.sort(key=lambda one: (one.rank, -one.files, one.path))
    files.sort(key=lambda at: _order(paths[at]))
    kept = max(limit - 1 - len(files), limit * 3 // 5)
    rest = Tally()
    for one in rows[kept:]:
        rest.take_all(one)
        rest.names.append(one.path + b"/")
    del rows[kept:]
    room = limit - 1 - len(rows)
    for at in files[room:]:
        rest.take(paths[at])
        rest.names.append(paths[at].path)
    del files[room:]
    return [*rows, rest], files


def _tree(paths: Sequence[ListedPath], written: Sequence[int]) -> _Directory:
    """Return the directories of the written paths, with what is at or below each counted."""
    root = _Directory(b"")
    known = {b"": root}

    def holder(path: bytes) -> _Directory:
        """Return the directory that a path is in."""
        path, made = parent_of(path), []
        while path not in known:
            known[path] = _Directory(path)
            made.append(path)
            path = parent_of(path)
        for one in made:
            known[parent_of(one)].children.append(known[one])
        return known[made[0]] if made else known[path]

    whole: list[int] = []
    for at in written:
        one = paths[at]
        if one.is_directory and one.kind in _WHOLE:
            whole.append(at)
        else:
            directory = holder(one.path)
            directory.files.append(at)
            directory.tally.take(one)
    for at in sorted(whole, key=lambda at: paths[at].path, reverse=True):
        one = paths[at]
        directory = known.get(one.path) or holder(one.path)
        if directory.tally.path == one.path:
            directory.tally.whole = one.kind
        else:  # nothing written is in it
            directory.files.append(at)
        directory.tally.take(one)
    for path in sorted(known, reverse=True):
        if path:
            known[parent_of(path)].tally.take_all(known[path].tally)
    return root


def _offer(directories: Sequence[_Directory], waiting: list[tuple[int, bytes, _Directory]]) -> None:
    """Queue directories, those that take the fewest lines first."""
    for one in directories:
        heappush(waiting, (len(one.files) + len(one.children), one.tally.path, one))


def _picked(paths: Sequence[ListedPath], folded: Sequence[_Directory], room: int) -> list[int]:
    """Return the most important files of folded directories that there is room for."""
    candidates = [
        (*_order(paths[at]), at, directory)
        for directory in folded
        if not directory.tally.whole
        for at in directory.files
    ]
    candidates.sort(key=lambda one: one[:3])
    for *_, at, directory in candidates[:room]:
        directory.tally.take(paths[at], -1)
        directory.tally.is_rest = True
    return [at for *_, at, _ in candidates[:room]]


def _order(one: ListedPath) -> tuple[bool, int, bytes]:
    return False, int(one.kind != ChangeKind.DELETED), one.path


def _importance(tally: Tally) -> tuple[bool, int, bytes]:
    return not tally.path, tally.rank, tally.path


def _label(tally: Tally, look: Style) -> str:
    if tally.names:
        return _names(tally.names, min(_WIDEST, look.width - _DETAIL_WIDTH))
    return f"{safe_path(tally.path)}/{' (others)' if tally.is_rest else ''}"


def _names(paths: Sequence[bytes], width: int) -> str:
    """Return `.env, README.md and 3 more`, as many names as there is room for."""
    text = ""
    for number, path in enumerate(paths):
        left = len(paths) - number - 1
        longer = f"{text}, {safe_path(path)}" if text else safe_path(path)
        tail = f" and {left:,} more" if left else ""
        if width_of(longer + tail) > width:
            return f"{text} and {left + 1:,} more" if text else units.count(len(paths), "path")
        text = longer
    return text


def _generated(places: dict[GeneratedPlace, tuple[Tally, set[bytes]]], limit: int) -> list[Row]:
    """Return a row for each generated place, the largest first; the last one counts the rest."""
    ordered = sorted(places.items(), key=lambda item: (-item[1][0].files, item[0]))
    most = len(ordered) if len(ordered) <= limit else limit - 1
    named = [(_place(place, parents), tally) for place, (tally, parents) in ordered[:most]]
    if ordered[most:]:
        rest = Tally()
        for _, (tally, _) in ordered[most:]:
            rest.take_all(tally)
        other = "other " if most else ""
        named.append((f"{len(ordered) - most:,} {other}generated places", rest))
    return [_row_of_many(label, tally)._replace(is_generated=True) for label, tally in named]


def _place(place: GeneratedPlace, parents: set[bytes]) -> str:
    if place.path:
        return f"{safe_path(place.path)}/"
    if len(parents) == 1:
        (parent,) = parents
        base = parent if place.pattern.endswith("/") else parent + b"/" + place.pattern.encode()
        return safe_path(base.lstrip(b"/")) + ("/" if place.pattern.endswith("/") else "")
    return f"{safe(place.pattern)} in {len(parents):,} directories"
