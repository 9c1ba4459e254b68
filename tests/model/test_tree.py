"""Trees: encoded byte by byte as in docs/format.md, and decoded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.entry import NO_STATE, Entry, EntryKind, Reason
from clew.model.ids import ObjectId, ObjectType, StateId, object_id
from clew.model.tree import (
    decode_branch,
    decode_leaf,
    decode_one,
    encode_entry,
    encode_plain_file,
    put_directory,
    put_root,
    raw_entries,
    read_directory,
    read_root,
    references,
)
from tests.model.hostile import assert_refused_or_canonical, mutated, with_one_byte_changed
from tests.model.samples import ONE_OF_EACH, directories, entries

HEAD = "a401e803000064000000004c18690000000015cd5b07"  # mode, uid, gid, mtime
GOLDEN = (
    "00"
    "05" + b"block".hex() + "07" "00" + HEAD + "08000000" "01000000"
    "04" + b"char".hex() + "06" "00" + HEAD + "01000000" "03000000"
    "03" + b"dir".hex() + "02" "00" + HEAD + "74" * 32 + "73" * 32 +
    "04" + b"fifo".hex() + "04" "00" + HEAD +
    "04" + b"file".hex() + "01" "03" + HEAD + "0500000000000000" + "63" * 32 + "78" * 32 + "50000000"
    "04" + b"link".hex() + "03" "00" + HEAD + "0800" + b"../there".hex() +
    "05" + b"mount".hex() + "08" "00" "02"
    "04" + b"sock".hex() + "05" "00" + HEAD
)  # fmt: skip


def leaf(entries: list[Entry]) -> bytes:
    return b"\x00" + b"".join(map(encode_entry, entries))


class Objects(dict[ObjectId, bytes]):
    """An object store in memory."""

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self[identifier] = content
        return identifier


def test_the_bytes_of_a_tree_never_change() -> None:
    assert leaf(ONE_OF_EACH).hex() == GOLDEN


def test_the_ids_of_a_tree_never_change() -> None:
    ids = put_directory([encode_entry(entry) for entry in ONE_OF_EACH], object_id)

    assert ids.tree.hex() == "ace48e8b12053ac65dc20d56b7b15fb0ff0d5b4bb7adc2c5fd78f3a76f87adbc"
    assert ids.state.hex() == "9520e5a4921cc9f9458dafe6f71a11c9fc192c0a2d86e2e034500eb9641545cc"


def test_the_root_is_a_leaf_with_one_nameless_directory() -> None:
    objects = Objects()
    root = ONE_OF_EACH[2]
    ids = put_root(root, objects.put)

    assert objects[ids.tree].hex() == "00000200" + HEAD + "74" * 32 + "73" * 32
    assert read_root(ids.tree, objects.__getitem__) == root._replace(name=b"")


@given(entries())
@settings(max_examples=100)
def test_an_entry_comes_back(entry: Entry) -> None:
    assert decode_one(encode_entry(entry)) == entry


@given(entries())
@settings(max_examples=50)
def test_the_quick_way_to_encode_a_plain_file_is_no_other_encoding(entry: Entry) -> None:
    plain = entry._replace(
        kind=EntryKind.FILE,
        state=NO_STATE,
        target=b"",
        device=(0, 0),
        xattrs=None,
        flags=0,
        reason=0,
    )
    name, _, mode, uid, gid, mtime_ns, size, content, *_ = plain

    assert encode_plain_file(name, mode, uid, gid, mtime_ns, size, content) == encode_entry(plain)


@given(directories())
@settings(max_examples=50)
def test_a_directory_comes_back(entries: list[Entry]) -> None:
    objects = Objects()
    ids = put_directory([encode_entry(entry) for entry in entries], objects.put)

    assert list(read_directory(ids.tree, objects.__getitem__)) == entries
    assert raw_entries(ids.tree, objects.__getitem__) == {
        entry.name: encode_entry(entry) for entry in entries
    }


@given(mutated(directories(4).map(leaf)))
@settings(max_examples=100)
def test_mutated_leaves_are_refused_or_canonical(content: bytes) -> None:
    assert_refused_or_canonical(content, decode_leaf, leaf)


def test_one_changed_byte_is_refused_or_canonical() -> None:
    for content in with_one_byte_changed(leaf(ONE_OF_EACH)):
        assert_refused_or_canonical(content, decode_leaf, leaf)


@given(mutated(st.just(leaf(ONE_OF_EACH))))
@settings(max_examples=100)
def test_nothing_but_a_value_error_comes_out_of_mutated_trees(content: bytes) -> None:
    readers: list[Callable[[], object]] = [
        lambda: list(references(content)),
        lambda: raw_entries(ObjectId(b""), lambda _: content),
        lambda: read_root(ObjectId(b""), lambda _: content),
        lambda: decode_branch(content),
        lambda: decode_one(content),
    ]
    for read in readers:
        with suppress(ValueError):  # no other exception
            read()


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"/", b"a\x00b"])
def test_what_is_no_file_name_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="Not a file name"):
        decode_leaf(leaf([Entry(name, EntryKind.FIFO)]))


@pytest.mark.parametrize("names", [(b"b", b"a"), (b"a", b"a")])
def test_names_out_of_order_or_twice_are_refused(names: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="out of order"):
        decode_leaf(leaf([Entry(name, EntryKind.FIFO) for name in names]))


def field(
    kind: int = EntryKind.FIFO,
    flags: int = 0,
    mode: int = 0,
    nanoseconds: int = 0,
    tail: bytes = b"",
) -> bytes:
    return b"\x00\x01a" + pack("<BBHIIqI", kind, flags, mode, 0, 0, 0, nanoseconds) + tail


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(field(kind=0), id="type 0"),
        pytest.param(field(kind=9), id="type 9"),
        pytest.param(field(flags=4), id="an unknown flag"),
        pytest.param(field(mode=0o10000), id="more than twelve bits of mode"),
        pytest.param(field(nanoseconds=10**9), id="a second of nanoseconds"),
        pytest.param(field(flags=2, tail=bytes(4)), id="inode flags that are zero"),
        pytest.param(field(flags=2, tail=b"\x01\0\0\0"), id="inode flags that we do not keep"),
        pytest.param(b"\x00\x01a\x08\x01\x01", id="uncovered with flags"),
        pytest.param(b"\x00\x05a", id="a name that ends early"),
        pytest.param(b"", id="no layout"),
        pytest.param(b"\x02", id="an unknown layout"),
    ],
)
def test_fields_with_a_second_encoding_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_leaf(content)
    with pytest.raises(ValueError, match=r"."):
        list(references(content))


def test_references_name_what_gc_must_keep() -> None:
    assert list(references(leaf(ONE_OF_EACH))) == [
        (ObjectType.TREE, b"t" * 32, 0),
        (ObjectType.XATTRS, b"x" * 32, 0),
        (ObjectType.BLOB, b"c" * 32, 5),
    ]


@pytest.mark.parametrize(
    "content",
    [
        leaf([]),
        leaf([Entry(b"a", EntryKind.DIRECTORY)]),
        leaf([Entry(b"", EntryKind.FIFO)]),
        leaf([Entry(b"", EntryKind.DIRECTORY), Entry(b"b", EntryKind.FIFO)]),
        b"\x01",
        b"",
    ],
)
def test_a_root_that_is_not_one_nameless_directory_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"root|tree"):
        read_root(ObjectId(b""), lambda _: content)


def test_directories_have_the_same_content_whatever_they_hold() -> None:
    directory = ONE_OF_EACH[2]
    other = directory._replace(content=ObjectId(b"u" * 32), state=StateId(b"v" * 32))

    assert directory.same_content(other)


def test_an_uncovered_entry_is_three_bytes_after_its_name() -> None:
    entry = Entry(b"proc", EntryKind.UNCOVERED, reason=Reason.PSEUDO)

    assert encode_entry(entry) == b"\x04proc\x08\x00\x06"
