"""Grep: a pattern in the contents of files, over all checkpoints of a workspace.

Each different content is read once, and each line of a file is listed once, with the checkpoints that
hold it.  A child process matches, so that a pattern that never ends does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clew.errors import BadOption, StoreDamaged
from clew.model.amount import counted, size_text
from clew.model.checkpoint import Checkpoint
from clew.model.excerpt import Excerpt, Span
from clew.model.grep_results import GrepHit, GrepResult, Lifetime
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.path import as_text
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.file_lives import FileContent, Range, file_lives
from clew.operations.history.grep_scope import GrepScope
from clew.policy.redaction.redact import redact_name
from clew.worktree.pattern_child import BadPattern, PatternChild, TooSlow

WINDOW = 1 << 20
"""Bytes that are searched at a time; a longer line is searched in parts."""
LARGEST = 64 << 20
"""Larger files are not searched."""
_MOST_LINES = 100_000
"""Matching lines, over all contents, after which a search ends."""
_MOST_SLOW = 5
"""Files on which a pattern may take too long before a search ends."""
_MOST_TEXT = 2_000
"""Characters of a line that are kept around the first match."""
_BINARY_BYTES = 8_000
_CONCEALED_LINES = 20_000
"""Lines of a file that are redacted as a whole; of a longer one, those around each match."""
_AROUND = 200


class GrepOptions(NamedTuple):
    """What to search, and where."""

    pattern: str
    within: tuple[bytes, ...] = ()
    is_fixed: bool = False
    ignores_case: bool = False
    only_files: bool = False
    generated: bool = False
    reveal: bool = False
    limit: int | None = None
    seconds: float | None = None
    """Processor time of the pattern for one piece of a file; None for the default."""


class _Line(NamedTuple):
    """A line that matches, in one content."""

    number: int
    """From 0."""
    key: int
    """Equal for equal lines."""
    excerpt: Excerpt
    """The part around the first match, with its secrets."""


class _Found(NamedTuple):
    """The matches in one content."""

    lines: list[_Line]
    is_binary: bool


class _Draft(NamedTuple):
    """A hit before its text is redacted."""

    file: FileContent
    """The newest content of the file that has the line."""
    line: _Line
    is_binary: bool
    ranges: list[Range]

    @property
    def newest(self) -> int:
        return max(end for _, end in self.ranges)


def grep(
    context: Context, oldest_first: Sequence[Checkpoint], options: GrepOptions, monitor: Monitor
) -> GrepResult:
    """Return the lines that match in some checkpoints of a workspace."""
    if not options.pattern:
        raise BadOption("PATTERN", "is empty")
    get = context.store.objects.get
    scope = GrepScope(get, options.within, generated=options.generated)
    lives = file_lives(oldest_first, get, scope)
    search = _Contents(context, options, monitor)
    found = search.matches(lives)
    drafts = _drafts(lives, found, options)
    shown = _Shown(context, oldest_first, options).hits(drafts[: options.limit])
    return GrepResult(
        tuple(shown),
        len(oldest_first),
        search.contents,
        search.read_bytes,
        len(drafts) - len(shown),
        tuple(sorted(scope.skipped)),
        tuple(search.notes),
    )


class _Contents:
    """Reads and searches each different content once."""

    def __init__(self, context: Context, options: GrepOptions, monitor: Monitor) -> None:
        self._objects = context.store.objects
        self._options = options
        self._monitor = monitor
        self._slow: list[str] = []
        self.contents = 0
        self.read_bytes = 0
        self.notes: list[str] = []

    def matches(self, lives: Iterable[FileContent]) -> dict[ObjectId, _Found]:
        """Return the matches of each content that has some."""
        files: dict[ObjectId, FileContent] = {}
        large: set[bytes] = set()
        for file in lives:
            if file.size > LARGEST:
                large.add(file.path)
            elif file.size:
                files.setdefault(file.content, file)
        if large:
            names = ", ".join(_shown(path) for path in sorted(large)[:3])
            self.notes.append(
                f"Not searched, above {size_text(LARGEST)}: {counted(len(large), 'file')}: {names}"
            )
        try:
            child = self._child()
        except BadPattern as error:
            raise BadOption("PATTERN", f"not a regular expression, see -F: {error}") from error
        try:
            return self._search_all(files, child)
        finally:
            child.close()

    def _child(self) -> PatternChild:
        options = self._options
        seconds = {} if options.seconds is None else {"seconds": options.seconds}
        return PatternChild(
            options.pattern, is_fixed=options.is_fixed, ignores_case=options.ignores_case, **seconds
        )

    def _search_all(
        self, files: dict[ObjectId, FileContent], child: PatternChild
    ) -> dict[ObjectId, _Found]:
        found: dict[ObjectId, _Found] = {}
        lines = 0
        order = self._objects.in_order(files)
        for number, identifier in enumerate(order):
            self._monitor.progress("searching", number, len(order), self.read_bytes)
            one = self._search_one(files[identifier], child)
            if one is not None and one.lines:
                found[identifier] = one
                lines += len(one.lines)
            rest = len(order) - number - 1
            if rest and (lines >= _MOST_LINES or len(self._slow) >= _MOST_SLOW):
                why = f"{lines:,} lines match" if lines >= _MOST_LINES else "it takes too long"
                self.notes.append(f"{counted(rest, 'content')} not searched: {why}")
                break
        if self._slow:
            names = ", ".join(dict.fromkeys(self._slow))
            self.notes.append(f"The pattern takes too long in {names}")
        return found

    def _search_one(self, file: FileContent, child: PatternChild) -> _Found | None:
        """Return the matches of a content; None if it cannot be searched."""
        lines: dict[int, _Line] = {}
        is_binary = False
        try:
            for start, window in windows(self._objects.content(file.content, file.size)):
                is_binary = is_binary or (not start and b"\0" in window[:_BINARY_BYTES])
                matching = child.search(window)
                raw = window.split(b"\n") if matching else []
                for number, spans in matching:
                    line = _line(start + number, raw[number], spans)
                    lines.setdefault(line.number, line)
                self.read_bytes += len(window)
                if lines and (is_binary or self._options.only_files):
                    break
        except TooSlow:
            self._slow.append(_shown(file.path))
        except StoreDamaged as error:
            self.notes.append(f"Not searched, {_shown(file.path)}: {error}")
            return None
        self.contents += 1
        return _Found(list(lines.values()), is_binary)


def _shown(path: bytes) -> str:
    return redact_name(as_text(path))


def windows(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield a content in whole lines, about 1 MiB at a time, each with the number of its first line.

    A longer line is cut; its parts have the same number.
    """
    number = 0
    begun = b""
    for piece in pieces:
        begun += piece
        while len(begun) > WINDOW:
            at = begun.rfind(b"\n", 0, WINDOW)
            if at < 0:
                yield number, begun[:WINDOW]
                begun = begun[WINDOW:]
            else:
                yield number, begun[:at]
                number += begun.count(b"\n", 0, at) + 1
                begun = begun[at + 1 :]
    if begun:
        yield number, begun.removesuffix(b"\n")


def _line(number: int, raw: bytes, spans: list[Span]) -> _Line:
    text = raw.decode("utf-8", "surrogateescape")
    return _Line(number, hash(raw), Excerpt(text, tuple(spans)).around(_MOST_TEXT))


def _drafts(
    lives: dict[FileContent, list[Range]], found: dict[ObjectId, _Found], options: GrepOptions
) -> list[_Draft]:
    """Return each line of each file once, with all ranges of checkpoints that hold it."""
    drafts: dict[tuple[bytes, int], _Draft] = {}
    for file, ranges in lives.items():
        matches = found.get(file.content)
        if matches is None:
            continue
        is_whole = matches.is_binary or options.only_files
        for line in (
            matches.lines[:1] if is_whole else {one.key: one for one in matches.lines}.values()
        ):
            key = (file.path, 0 if is_whole else line.key)
            draft = _Draft(file, line, matches.is_binary, ranges)
            known = drafts.get(key)
            if known is not None:
                newer = draft if draft.newest > known.newest else known
                draft = newer._replace(ranges=[*known.ranges, *ranges])
            drafts[key] = draft
    return sorted(drafts.values(), key=lambda one: (one.file.path, one.line.number))


class _Shown:
    """Completes the hits that are shown: their checkpoints, and their text with secrets redacted."""

    def __init__(
        self, context: Context, oldest_first: Sequence[Checkpoint], options: GrepOptions
    ) -> None:
        self._objects = context.store.objects
        self._checkpoints = oldest_first
        self._options = options
        here = context.here
        numbers = {one.id: number for number, one in enumerate(oldest_first)}
        self._here = numbers.get(here.id, -1) if here is not None else -1

    def hits(self, drafts: Sequence[_Draft]) -> list[GrepHit]:
        wanted: dict[FileContent, list[int]] = {}
        for draft in drafts:
            if self._has_text(draft):
                wanted.setdefault(draft.file, []).append(draft.line.number)
        concealed = {} if self._options.reveal else {
            file: self._concealed(file, numbers) for file, numbers in wanted.items()
        }  # fmt: skip
        return [self._hit(draft, concealed.get(draft.file, {})) for draft in drafts]

    def _has_text(self, draft: _Draft) -> bool:
        return not (draft.is_binary or self._options.only_files)

    def _hit(self, draft: _Draft, concealed: dict[int, str]) -> GrepHit:
        lifetime = self._lifetime(draft.ranges)
        if not self._has_text(draft):
            return GrepHit(draft.file.path, 0, Excerpt(""), lifetime, draft.is_binary)
        line = draft.line
        clean = concealed.get(line.number)
        excerpt = line.excerpt if clean is None else _without_secrets(line.excerpt, clean)
        return GrepHit(
            draft.file.path, line.number + 1, excerpt, lifetime, is_redacted=clean is not None
        )

    def _lifetime(self, ranges: list[Range]) -> Lifetime:
        first, end = min(start for start, _ in ranges), max(end for _, end in ranges)
        return Lifetime(
            self._checkpoints[first],
            self._checkpoints[end - 1],
            sum(one_end - start for start, one_end in ranges),
            end - first,
            any(start <= self._here < one_end for start, one_end in ranges),
        )

    def _concealed(self, file: FileContent, numbers: list[int]) -> dict[int, str]:
        """Return the lines of a content, of those with these numbers, that hold a secret, redacted."""
        from clew.policy.redaction.conceal import concealed  # noqa: PLC0415  --reveal needs none

        path = as_text(file.path)
        content = b"".join(self._objects.content(file.content, file.size))
        lines = content.decode("utf-8", "surrogateescape").split("\n")
        found: dict[int, str] = {}
        for part in _parts(len(lines), sorted(numbers)):
            some = [lines[number] for number in part]
            for number, clean, raw in zip(part, concealed(path, some), some, strict=True):
                if clean != raw:
                    found[number] = clean
        return {number: found[number] for number in numbers if number in found}


def _parts(total: int, numbers: list[int]) -> Iterator[list[int]]:
    """Yield the numbers of the lines that are redacted together.

    All of them; in a long file, its head, which may have the names of columns, and those around each.
    """
    if total <= _CONCEALED_LINES:
        yield list(range(total))
        return
    for number in numbers:
        around = range(max(number - _AROUND, 0), min(number + _AROUND, total))
        yield sorted({*range(min(_AROUND, total)), *around})


def _without_secrets(raw: Excerpt, clean: str) -> Excerpt:
    """Return a redacted line, with the matches that are still in it."""
    spans: list[Span] = []
    for start, end in raw.spans:
        at = clean.find(raw.text[start:end], spans[-1][1] if spans else 0)
        if at >= 0:
            spans.append((at, at + end - start))
    return Excerpt(clean, tuple(spans)).around(_MOST_TEXT)
