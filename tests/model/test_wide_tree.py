"""Wide directories: a change rewrites one leaf and the branch, and leaves are validated."""

from __future__ import annotations

from struct import pack

import pytest

from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.tree import (
    WIDE,
    TreeIds,
    decode_branch,
    decode_leaf,
    encode_entry,
    put_directory,
    raw_entries,
    read_directory,
    references,
)


class Objects(dict[ObjectId, bytes]):
    """An object store in memory."""

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self[identifier] = content
        return identifier

    def put_entries(self, entries: list[Entry]) -> TreeIds:
        return put_directory([encode_entry(entry) for entry in entries], self.put)


def many(number: int) -> list[Entry]:
    return [Entry(b"name-%06d" % at, EntryKind.FIFO, mode=at & 0o777) for at in range(number)]


def test_a_directory_of_512_is_a_leaf_and_one_of_513_a_branch() -> None:
    objects = Objects()
    narrow = objects.put_entries(many(WIDE))
    wide = objects.put_entries(many(WIDE + 1))

    assert WIDE == 512
    assert objects[narrow.tree][:1] == b"\x00"
    assert objects[wide.tree][:1] == b"\x01"


def test_the_cut_of_a_wide_directory_never_changes() -> None:
    objects = Objects()
    ids = objects.put_entries(many(2000))
    lines = decode_branch(objects[ids.tree])

    assert [(line.last_name, line.entries) for line in lines] == [
        (b"name-000181", 182),
        (b"name-000270", 89),
        (b"name-000702", 432),
        (b"name-000884", 182),
        (b"name-000929", 45),
        (b"name-001113", 184),
        (b"name-001461", 348),
        (b"name-001790", 329),
        (b"name-001816", 26),
        (b"name-001999", 183),
    ]
    assert ids.tree.hex() == "ba43000a9ab8f6571d0ba06b02d9571aa640d3b74e3c216b5eea93a813aa9dcf"


@pytest.mark.parametrize("number", [WIDE, WIDE + 1, 5000])
def test_a_directory_comes_back_whatever_its_layout(number: int) -> None:
    objects = Objects()
    entries = many(number)
    ids = objects.put_entries(entries)

    assert list(read_directory(ids.tree, objects.__getitem__)) == entries
    assert list(raw_entries(ids.tree, objects.__getitem__)) == [entry.name for entry in entries]


@pytest.mark.parametrize("change", ["edit", "insert", "remove"])
def test_one_change_costs_one_leaf_and_the_branch(change: str) -> None:
    objects = Objects()
    entries = many(20_000)
    objects.put_entries(entries)
    before = set(objects)
    if change == "edit":
        entries[7777] = entries[7777]._replace(mode=0o1000)
    elif change == "insert":
        entries.insert(7778, Entry(b"name-007777-and-a-half", EntryKind.FIFO))
    else:
        del entries[7777]
    objects.put_entries(entries)

    assert len(set(objects) - before) == 2


def test_the_state_of_a_wide_directory_is_taken_over_its_entries() -> None:
    entries = many(WIDE + 1)
    objects = Objects()
    touched = [entry._replace(mtime_ns=5) for entry in entries]
    old, new = objects.put_entries(entries), objects.put_entries(touched)

    assert old.state == new.state
    assert old.tree != new.tree


def test_gc_follows_a_branch_to_its_leaves() -> None:
    objects = Objects()
    branch = objects[objects.put_entries(many(2000)).tree]

    assert [(kind, tree) for kind, tree, _ in references(branch)] == [
        (ObjectType.TREE, line.tree) for line in decode_branch(branch)
    ]


def branch_of(*leaves: tuple[bytes, int, list[Entry]]) -> tuple[ObjectId, Objects]:
    """Encode a branch with arbitrary last names and counts for its leaves."""
    objects = Objects()
    content = b"\x01"
    for last_name, count, entries in leaves:
        leaf = objects.put(ObjectType.TREE, b"\x00" + b"".join(map(encode_entry, entries)))
        content += bytes([len(last_name)]) + last_name + pack("<I", count) + leaf
    return objects.put(ObjectType.TREE, content), objects


A, B, C, D = (Entry(name, EntryKind.FIFO) for name in (b"a", b"b", b"c", b"d"))


@pytest.mark.parametrize(
    "leaves",
    [
        pytest.param([(b"b", 2, [A, B]), (b"c", 2, [A, C])], id="a name in two leaves"),
        pytest.param([(b"b", 2, [A, B]), (b"d", 2, [B, D])], id="the last name again"),
        pytest.param([(b"c", 2, [A, B])], id="another last name"),
        pytest.param([(b"b", 3, [A, B])], id="another count"),
        pytest.param([(b"a", 0, [])], id="an empty leaf"),
        pytest.param([(b"d", 1, [D]), (b"c", 1, [C])], id="leaves out of order"),
        pytest.param([(b"d/e", 1, [D])], id="no name"),
    ],
)
def test_a_branch_that_says_another_thing_than_its_leaves_is_refused(
    leaves: list[tuple[bytes, int, list[Entry]]],
) -> None:
    tree, objects = branch_of(*leaves)

    with pytest.raises(ValueError, match=r"leaf|out of order|Not a file name"):
        list(read_directory(tree, objects.__getitem__))


def test_a_branch_of_branches_is_refused() -> None:
    inner, objects = branch_of((b"a", 1, [A]))
    outer = objects.put(ObjectType.TREE, b"\x01\x01a" + pack("<I", 1) + inner)

    with pytest.raises(ValueError, match="Not a leaf"):
        list(read_directory(outer, objects.__getitem__))


def test_a_leaf_is_no_branch_and_a_branch_no_leaf() -> None:
    tree, objects = branch_of((b"a", 1, [A]))

    with pytest.raises(ValueError, match="Not a leaf"):
        decode_leaf(objects[tree])
    with pytest.raises(ValueError, match="Not a branch"):
        decode_branch(b"\x00")
