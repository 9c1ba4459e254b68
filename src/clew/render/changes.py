"""Text of a diff: a listing with details, `--name-status`, `--stat` and patches as in git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import Change, ChangeKind
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.shorten import shorten_to_width, width_of
from clew.render import checkpoint_title, story, units
from clew.render.columns import pad, pad_left
from clew.render.flags import flag_names
from clew.render.safe import safe, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.model.results import Difference

_COLOURS = {ChangeKind.ADDED: "green", ChangeKind.DELETED: "red"}
_LARGEST_PATH = 60
_BAR = 20


def listing(difference: Difference, look: Style) -> Iterator[str]:
    """Yield a heading, and a line with details for each change."""
    yield f"{_headline(difference)}{':' if difference.changes else ''}"
    yield from _rows(difference, look)
    yield from _too_large(difference)


def with_story(difference: Difference, look: Style) -> Iterator[str]:
    """Yield the story, then the changed paths."""
    yield from facts(difference, look)
    if difference.changes:
        yield ""
        yield from _rows(difference, look)
    yield from _too_large(difference)


def facts(difference: Difference, look: Style) -> Iterator[str]:
    """Yield the story."""
    found = difference.story
    has_story = found is not None and bool(found.facts or found.lines)
    yield f"{_headline(difference)}{':' if difference.changes or has_story else ''}"
    if found is not None and has_story:
        yield from story.lines(found, look)


def name_status(difference: Difference) -> Iterator[str]:
    """Yield a letter and a path for each change: `M src/app.py`, `R old -> new`."""
    for change in difference.changes:
        yield f"{ChangeKind.LETTERS[change.kind]} {_name(change, ' -> ')}"


def stat(difference: Difference, look: Style) -> Iterator[str]:
    """Yield how many bytes each path gained or lost, largest bar for the largest change."""
    names = [shorten_to_width(_name(change, " → "), _LARGEST_PATH) for change in difference.changes]
    column = max(map(width_of, names), default=0)
    growths = [_bytes(change.new) - _bytes(change.old) for change in difference.changes]
    largest = max(map(abs, growths), default=0)
    for name, growth in zip(names, growths, strict=True):
        bar = "█" * -(-abs(growth) * _BAR // largest) if growth else ""
        coloured = paint(bar, "green" if growth > 0 else "red", look)
        yield f"  {pad(name, column)}  {pad_left(_signed(growth), 9)}  {coloured}".rstrip()
    yield f"{_headline(difference)}; {_signed(sum(growths))}"


def patch(lines: Iterable[str], look: Style) -> Iterator[str]:
    """Yield the lines of a patch, safe for a terminal and therefore not exact enough to apply."""
    for line in lines:
        yield paint(safe(line, keep="\t"), _patch_colour(line), look)


def _rows(difference: Difference, look: Style) -> Iterator[str]:
    names = [_name(change, " → ") for change in difference.changes]
    column = min(max(map(width_of, names), default=0), _LARGEST_PATH)
    for change, name in zip(difference.changes, names, strict=True):
        letter = ChangeKind.LETTERS[change.kind]
        line = f"  {letter}  {pad(name, column)}  {_detail(change)}".rstrip()
        yield paint(line, _COLOURS.get(change.kind, ""), look)


def _too_large(difference: Difference) -> Iterator[str]:
    """Yield the files that are above the size limit now, and were not before."""
    old, new = difference.old, difference.new
    coverage = new.record.coverage if new is not None else difference.coverage
    if coverage is not None:
        earlier = old.record.coverage if old is not None else None
        yield from checkpoint_title.too_large(coverage, earlier)


def _headline(difference: Difference) -> str:
    if difference.old is None:
        return "No checkpoint yet, nothing to compare with"
    number = len(difference.changes)
    what = units.count(number, "change") if number else "No changes"
    old = checkpoint_title.called(difference.old)
    if difference.new is None:
        return f"{what} since {old}"
    return f"{what} from {old} to {checkpoint_title.called(difference.new)}"


def _name(change: Change, arrow: str) -> str:
    entry = change.new or change.old
    slash = "/" if entry is not None and entry.is_directory else ""
    path = (safe_path(change.path) or ".") + slash
    if change.old_path is None:
        return path
    return f"{safe_path(change.old_path)}{slash}{arrow}{path}"


def _detail(change: Change) -> str:
    old, new = change.old, change.new
    if old is None or new is None:
        entry = old or new
        return _summary(entry) if entry else ""
    if old.kind != new.kind:
        return f"{EntryKind.NAMES[old.kind]} → {EntryKind.NAMES[new.kind]}"
    parts = []
    if not old.same_content(new):
        parts.append(_content_detail(old, new))
    parts.extend(_metadata_details(old, new))
    return ", ".join(parts)


def _content_detail(old: Entry, new: Entry) -> str:
    if old.kind == EntryKind.SYMLINK:
        return f"→ {safe_path(new.target)}, was {safe_path(old.target)}"
    if old.size != new.size:
        return f"{units.size(old.size)} → {units.size(new.size)}"
    return units.size(new.size) if old.is_file else ""


def _metadata_details(old: Entry, new: Entry) -> Iterator[str]:
    if old.mode != new.mode:
        yield f"mode {old.mode:04o} → {new.mode:04o}"
    if (old.uid, old.gid) != (new.uid, new.gid):
        yield f"owner {old.uid}:{old.gid} → {new.uid}:{new.gid}"
    if old.xattrs != new.xattrs:
        yield "extended attributes"
    if old.flags != new.flags:
        yield f"flags {_flags(old.flags)} → {_flags(new.flags)}"


def _summary(entry: Entry) -> str:
    match entry.kind:
        case EntryKind.FILE:
            return units.size(entry.size)
        case EntryKind.DIRECTORY:
            return ""
        case EntryKind.SYMLINK:
            return f"→ {safe_path(entry.target)}"
        case EntryKind.UNCOVERED:
            return f"not covered: {Reason.NAMES.get(entry.reason, 'unknown')}"
        case _:
            return EntryKind.NAMES[entry.kind]


def _flags(flags: int) -> str:
    return "+".join(flag_names(flags)) or "none"


def _bytes(entry: Entry | None) -> int:
    return entry.size if entry else 0


def _signed(number: int) -> str:
    return ("+" if number > 0 else "") + units.size(number)


def _patch_colour(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
