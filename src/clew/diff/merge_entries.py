"""Three-way merge of one path.

A change on only one side is taken.  Content and each piece of metadata are merged separately, so a
`chmod` on one side and an edit on the other are both applied.  The mtime belongs to the content; a
merged text, which differs from both sides, gets the time of the merge.
"""

from __future__ import annotations

from typing import Protocol

from clew.diff.merge_text import is_text, merge_text
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.merge_results import THEIRS, ConflictReason
from clew.model.named_tuple import NamedTuple

_PIECES = (
    ("mode", ConflictReason.MODE),
    ("uid", ConflictReason.OWNER),
    ("gid", ConflictReason.GROUP),
    ("xattrs", ConflictReason.XATTRS),
    ("flags", ConflictReason.FLAGS),
)

_BY_KIND = {
    EntryKind.SYMLINK: ConflictReason.TARGET,
    EntryKind.CHARACTER: ConflictReason.DEVICE,
    EntryKind.BLOCK: ConflictReason.DEVICE,
}


class Contents(Protocol):
    """Reads the files of one side."""

    def whole(self, path: bytes, entry: Entry) -> bytes | None:
        """Return the whole content of a file, or None if it is too large."""

    def start(self, path: bytes, entry: Entry) -> bytes:
        """Return the first bytes of a file, at least a hundred if it has that many."""


class Version(NamedTuple):
    """One side's view of a path."""

    path: bytes
    """Its path on that side."""
    entry: Entry | None
    contents: Contents


class MergedEntry(NamedTuple):
    """The merge result of a path."""

    entry: Entry | None
    clashes: tuple[str, ...] = ()
    """Why it is a conflict; set even if a favoured side resolved it."""
    text: bytes | None = None
    """The content, if it differs from both sides; its id in the entry is that of a blob."""


class EntryMerger:
    """Merges paths one by one; `favour` only resolves conflicts."""

    def __init__(self, favour: str | None, mtime_ns: int) -> None:
        self._favour = favour
        self._mtime_ns = mtime_ns

    def merge(self, base: Version, ours: Version, theirs: Version) -> MergedEntry:
        """Return the merge result of a path; without a favoured side a conflict keeps ours."""
        before, mine, other = base.entry, ours.entry, theirs.entry
        if is_same(other, before) or is_same(mine, other):
            return MergedEntry(mine)
        if mine is None or other is None:
            if is_same(mine, before):
                return MergedEntry(other)
            clash = ConflictReason.DELETED_HERE if mine is None else ConflictReason.DELETED_THERE
            return self.choose(mine, other, clash)
        if before is not None and not (mine.kind == other.kind == before.kind):
            if is_same(mine, before):
                return MergedEntry(other)
            return self.choose(
                mine, other, ConflictReason.MADE if mine.kind == other.kind else ConflictReason.TYPE
            )
        if mine.kind != other.kind:
            return self.choose(mine, other, ConflictReason.MADE)
        content = self._content(base, ours, theirs, mine, other)
        return self._with_metadata(content, before, mine, other)

    def choose(self, mine: Entry | None, other: Entry | None, clash: str) -> MergedEntry:
        """Return the favoured side of a conflict."""
        return MergedEntry(other if self._favour == THEIRS else mine, (clash,))

    def _content(
        self, base: Version, ours: Version, theirs: Version, mine: Entry, other: Entry
    ) -> MergedEntry:
        before = base.entry
        if mine.same_content(other):
            return MergedEntry(mine)
        if before is None:
            return self.choose(mine, other, ConflictReason.MADE)
        if other.same_content(before):
            return MergedEntry(mine)
        if mine.same_content(before):
            return MergedEntry(other)
        if mine.kind != EntryKind.FILE:
            return self.choose(mine, other, _BY_KIND[mine.kind])
        return self._text(base, ours, theirs, mine, other)

    def _text(
        self, base: Version, ours: Version, theirs: Version, mine: Entry, other: Entry
    ) -> MergedEntry:
        texts = [_whole(version) for version in (base, ours, theirs)]
        whole = [text for text in texts if text is not None]
        if len(whole) < len(texts):
            return self.choose(mine, other, ConflictReason.LARGE)
        if not all(map(is_text, whole)):
            return self.choose(mine, other, ConflictReason.BINARY)
        merged = merge_text(whole[0], whole[1], whole[2])
        clashes = (ConflictReason.LINES,) if merged.conflicts else ()
        if clashes and self._favour is None:
            return MergedEntry(mine, clashes)
        if clashes:
            merged = merge_text(whole[0], whole[1], whole[2], favour=self._favour)
        text = merged.content
        if text in whole[1:]:  # the merge equals one side
            return MergedEntry(mine if text == whole[1] else other, clashes)
        entry = mine._replace(content=text_id(text), size=len(text), mtime_ns=self._mtime_ns)
        return MergedEntry(entry, clashes, text)

    def _with_metadata(
        self, content: MergedEntry, before: Entry | None, mine: Entry, other: Entry
    ) -> MergedEntry:
        assert content.entry is not None
        clashes = list(content.clashes)
        pieces: dict[str, object] = {}
        for name, clash in _PIECES:
            was, here, there = (getattr(entry, name, None) for entry in (before, mine, other))
            is_clash = here != there and (before is None or was not in (here, there))
            if is_clash:
                clashes.append(clash)
            takes_theirs = self._favour == THEIRS if is_clash else was == here
            pieces[name] = there if takes_theirs else here
        entry = content.entry._replace(**pieces)  # type: ignore[arg-type]
        return MergedEntry(entry, tuple(clashes), content.text)


def is_same(one: Entry | None, two: Entry | None) -> bool:
    """Return whether two entries are equal except for mtimes; None equals None."""
    if one is None or two is None:
        return one is two
    return one.same_content(two) and one.same_metadata(two, mtimes=False)


def text_id(text: bytes) -> ObjectId:
    """Return the provisional id of a merged text; its final id if it is stored as one blob."""
    return object_id(ObjectType.BLOB, text)


def _whole(version: Version) -> bytes | None:
    assert version.entry is not None
    return version.contents.whole(version.path, version.entry)
