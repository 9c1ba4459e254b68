"""Sample entries of every kind, and strategies that draw entries."""

from __future__ import annotations

from hypothesis import strategies as st

from clew.model.entry import KEPT_FLAGS, Entry, EntryKind, Reason
from clew.model.ids import ObjectId, StateId

NAMES = st.binary(min_size=1, max_size=6).filter(
    lambda name: not {0, ord("/")} & set(name) and name not in (b".", b"..")
)
IDS = st.binary(min_size=32, max_size=32).map(ObjectId)


@st.composite
def entries(draw: st.DrawFn, names: st.SearchStrategy[bytes] = NAMES) -> Entry:
    """Draw one entry of any kind with any metadata."""
    name = draw(names)
    kind = draw(st.sampled_from(sorted(EntryKind.NAMES)))
    if kind == EntryKind.UNCOVERED:
        return Entry(name, kind, reason=draw(st.sampled_from(sorted(Reason.NAMES))))
    entry = Entry(
        name,
        kind,
        mode=draw(st.integers(0, 0o7777)),
        uid=draw(st.integers(0, 2**32 - 1)),
        gid=draw(st.integers(0, 2**32 - 1)),
        mtime_ns=draw(st.integers(-(2**62), 2**62)),
        xattrs=draw(st.none() | IDS),
        flags=draw(st.integers(0, 7)) * 0x10 & KEPT_FLAGS,
    )
    if kind == EntryKind.FILE:
        return entry._replace(size=draw(st.integers(0, 2**64 - 1)), content=draw(IDS))
    if kind == EntryKind.DIRECTORY:
        return entry._replace(content=draw(IDS), state=StateId(draw(IDS)))
    if kind == EntryKind.SYMLINK:
        return entry._replace(target=draw(st.binary(max_size=20)))
    if kind in (EntryKind.CHARACTER, EntryKind.BLOCK):
        numbers = st.integers(0, 2**32 - 1)
        return entry._replace(device=(draw(numbers), draw(numbers)))
    return entry


def directories(max_size: int = 6) -> st.SearchStrategy[list[Entry]]:
    """Draw the entries of one directory, sorted."""
    return st.lists(entries(), max_size=max_size, unique_by=lambda entry: entry.name).map(sorted)


_PLAIN = Entry(b"", EntryKind.FIFO, 0o644, 1000, 100, 1_763_200_000_123_456_789)

ONE_OF_EACH = [
    _PLAIN._replace(name=b"block", kind=EntryKind.BLOCK, device=(8, 1)),
    _PLAIN._replace(name=b"char", kind=EntryKind.CHARACTER, device=(1, 3)),
    _PLAIN._replace(
        name=b"dir",
        kind=EntryKind.DIRECTORY,
        content=ObjectId(b"t" * 32),
        state=StateId(b"s" * 32),
    ),
    _PLAIN._replace(name=b"fifo"),
    _PLAIN._replace(
        name=b"file",
        kind=EntryKind.FILE,
        size=5,
        content=ObjectId(b"c" * 32),
        xattrs=ObjectId(b"x" * 32),
        flags=0x50,
    ),
    _PLAIN._replace(name=b"link", kind=EntryKind.SYMLINK, target=b"../there"),
    Entry(b"mount", EntryKind.UNCOVERED, reason=Reason.MOUNT),
    _PLAIN._replace(name=b"sock", kind=EntryKind.SOCKET),
]
"""Sorted by name."""
