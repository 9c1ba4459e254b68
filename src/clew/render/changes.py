"""Text of a diff: a listing with details, `--name-status`, `--stat` and patches as in git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import Change, ChangeKind
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.path import parent_of
from clew.model.shorten import shorten_to_width, width_of
from clew.render import checkpoint_title, folded, story, units
from clew.render.columns import pad, pad_left
from clew.render.flags import flag_names
from clew.render.safe import safe, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clew.model.results import Difference
    from clew.model.story import Story

_LARGEST_PATH = 60
_BAR = 20
_FACTS = 4
"""Facts of a change that is summarized."""


def with_story(
    difference: Difference,
    look: Style,
    how: str = "--json",
    *,
    everything: bool = False,
    told: Callable[[], Story | None] | None = None,
) -> Iterator[str]:
    """Yield a heading, the story, then the changed paths, folded unless `everything` is given.

    `how` names what lists every path; `told` derives the story, once the heading is shown.
    """
    if told is not None and not difference.changes:  # nothing to wait for
        difference, told = difference._replace(story=told()), None
    yield heading(difference)
    if told is not None:
        difference = difference._replace(story=told())
    folding = folded.Folding(difference.generated, difference.within, everything, how)
    paths, describe = _listed(difference), _describe(difference)
    listing = None if everything else folded.fold(paths, describe, folding, look)
    found = difference.story
    if found is not None and _has_story(difference):
        if listing is not None and listing.is_summary:
            yield from story.brief(found, _FACTS, how, look)
        else:
            yield from story.lines(found, look, headline=not difference.within)
            if difference.changes:
                yield ""
    if listing is None:
        yield from folded.every(paths, describe, look)
    else:
        yield from folded.shown(listing, len(paths), folding, look)
    yield from _too_large(difference)


def facts(difference: Difference, look: Style) -> Iterator[str]:
    """Yield the story."""
    yield heading(difference)
    found = difference.story
    if found is not None and _has_story(difference):
        yield from story.lines(found, look)


def heading(difference: Difference) -> str:
    """Return `3 changes since 4f2a91c0 (title):`."""
    has_any = bool(difference.changes) or _has_story(difference)
    return f"{_headline(difference)}{':' if has_any else ''}"


def _has_story(difference: Difference) -> bool:
    found = difference.story
    return found is not None and bool(found.facts or found.lines)


def name_status(difference: Difference) -> Iterator[str]:
    """Yield a letter and a path for each change: `M src/app.py`, `R old -> new`."""
    for change in difference.changes:
        yield f"{ChangeKind.LETTERS[change.kind]} {_name(change, ' -> ')}"


def stat(
    difference: Difference, look: Style, how: str = "--json", *, everything: bool = False
) -> Iterator[str]:
    """Yield how many bytes each path gained or lost, largest bar for the largest change."""
    folding = folded.Folding(difference.generated, difference.within, everything, how)
    paths, describe = _listed(difference), _describe(difference)
    if everything:
        rows = [(describe(at)[0], one.after - one.before) for at, one in enumerate(paths)]
    else:
        listing = folded.fold(paths, describe, folding, look)
        rows = [(_stat_name(row), row.growth) for row in listing.rows]
    names = [shorten_to_width(name, _LARGEST_PATH) for name, _ in rows]
    column = max(map(width_of, names), default=0)
    largest = max((abs(growth) for _, growth in rows), default=0)
    for name, (_, growth) in zip(names, rows, strict=True):
        bar = "█" * -(-abs(growth) * _BAR // largest) if growth else ""
        coloured = paint(bar, "green" if growth > 0 else "red", look)
        yield f"  {pad(name, column)}  {pad_left(_signed(growth), 9)}  {coloured}".rstrip()
    yield f"{_headline(difference)}; {_signed(_growth(difference))}"
    if not everything and listing.is_folded:
        yield paint(folded.more(len(paths), folding), "dim", look)


def _stat_name(row: folded.Row) -> str:
    return f"{row.name}  {row.detail.partition(' file')[0]}" if row.is_many else row.name


def _growth(difference: Difference) -> int:
    return sum(_bytes(change.new) - _bytes(change.old) for change in difference.changes)


def patch(lines: Iterable[str], look: Style) -> Iterator[str]:
    """Yield the lines of a patch, safe for a terminal and therefore not exact enough to apply."""
    for line in lines:
        yield paint(safe(line, keep="\t"), _patch_colour(line), look)


def _listed(difference: Difference) -> list[folded.ListedPath]:
    return [listed(change) for change in difference.changes]


def listed(change: Change) -> folded.ListedPath:
    """Return a change as a listing counts it."""
    entry = change.new or change.old
    is_directory = entry is not None and entry.is_directory
    before, after = _bytes(change.old), _bytes(change.new)
    return folded.ListedPath(change.path, change.kind, before, after, is_directory)


def _describe(difference: Difference) -> Callable[[int], tuple[str, str]]:
    def describe(at: int) -> tuple[str, str]:
        change = difference.changes[at]
        return _name(change, " → "), _detail(change)

    return describe


def patched(
    difference: Difference,
    read: Callable[[Difference, list[Change] | None], Iterable[str]],
    look: Style,
    how: str,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield a patch of what people wrote as text, and a line for each directory of the rest.

    `read` yields the lines of a patch; it adds binary files to a list, if it is given one.
    """
    if everything:
        yield from patch(read(difference, None), look)
        return
    folding = folded.Folding(difference.generated, difference.within, how=how)
    numbers, rows = folded.split_patch(_listed(difference), folding, look)
    chosen = difference._replace(changes=tuple(difference.changes[at] for at in numbers))
    binary: list[Change] = []
    yield from patch(read(chosen, binary), look)
    rows = [*_binary_rows(binary, look), *rows]
    if rows:
        yield "Not shown line by line:"
        yield from folded.rows_shown(rows, look)
        yield paint(f"  {how} shows everything", "dim", look)


def _binary_rows(binary: Sequence[Change], look: Style) -> Iterator[folded.Row]:
    """Yield a row for the binary files of each directory."""
    directories: dict[bytes, list[folded.ListedPath]] = {}
    for change in binary:
        directories.setdefault(parent_of(change.path), []).append(listed(change))
    for _, files in sorted(directories.items()):
        row = folded.row_of_files(files, look)
        yield row._replace(detail=f"{row.detail}, binary")


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
