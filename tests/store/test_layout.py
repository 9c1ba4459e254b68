"""Store layout, format file and permissions."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

import pytest

from clew.errors import NotAStore, StoreDamaged, StoreError, StoreTooNew, StoreWrongOwner
from clew.store.format_file import repaired_uuid
from clew.store.layout import Layout
from clew.store.store import Store


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(str(tmp_path / "store"))
    layout.create()
    return layout


def rewrite(layout: Layout, old: str, new: str) -> None:
    """Change the format file and update its checksum."""
    body = Path(layout.format).read_text().split("check ")[0].replace(old, new)
    Path(layout.format).write_text(f"{body}check {crc32(body.encode()):08x}\n")


def test_a_new_store_is_private(layout: Layout) -> None:
    found = [Path(layout.root), *Path(layout.root).rglob("*")]

    assert {path.stat().st_mode & 0o777 for path in found if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in found if path.is_file()} == {0o600}


def test_everything_in_a_used_store_is_private(layout: Layout) -> None:
    store = Store.open(layout.root)
    with store.writing() as writer:
        writer.put(1, b"content")
        writer.finish()
        store.commit_objects(writer)
    store.close()
    files = [path for path in Path(layout.root).rglob("*") if path.is_file()]

    assert any(path.suffix == ".pack" for path in files)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_creating_twice_keeps_the_first(layout: Layout) -> None:
    uuid = layout.open()
    layout.create()

    assert layout.open() == uuid
    assert len(uuid) == 32


def test_threads_that_create_one_at_once_agree(tmp_path: Path) -> None:
    layouts = [Layout(str(tmp_path / "store")) for _ in range(8)]
    with ThreadPoolExecutor(len(layouts)) as threads:
        list(threads.map(Layout.create, layouts))

    assert len({layout.open() for layout in layouts}) == 1
    assert os.listdir(layouts[0].tmp) == []


def test_every_flipped_bit_in_the_format_file_is_noticed(layout: Layout) -> None:
    whole = Path(layout.format).read_bytes()
    for at in range(len(whole)):
        content = bytearray(whole)
        content[at] ^= 1 << (at % 8)
        Path(layout.format).write_bytes(content)

        with pytest.raises(StoreError):
            layout.open()


def test_every_flipped_bit_in_the_format_file_of_a_store_is_damage(layout: Layout) -> None:
    Path(layout.catalog).touch()
    whole = Path(layout.format).read_bytes()
    for at in range(len(whole)):
        content = bytearray(whole)
        content[at] ^= 1 << (at % 8)
        Path(layout.format).write_bytes(content)

        with pytest.raises(StoreDamaged):
            layout.open()


@pytest.mark.parametrize("is_known", [True, False], ids=["catalogue", "no catalogue"])
def test_every_flipped_bit_in_the_format_file_can_be_repaired(
    layout: Layout, is_known: bool
) -> None:
    whole = Path(layout.format).read_bytes()
    uuid = layout.open()
    for at in range(len(whole)):
        content = bytearray(whole)
        content[at] ^= 1 << (at % 8)

        found = repaired_uuid(bytes(content), uuid if is_known else "")

        assert found == uuid if is_known else found is None or len(found) == len(uuid)


def test_a_damaged_format_file_of_another_version_is_not_replaced(layout: Layout) -> None:
    uuid = layout.open()
    newer = Path(layout.format).read_bytes().replace(b"version 1", b"version 2")

    assert repaired_uuid(newer[:-3], uuid) is None
    assert repaired_uuid(newer[:-3].replace(b"2", b"1").replace(b"none", b"keyed"), uuid) is None
    assert repaired_uuid(b"\xff\x00 garbage", uuid) == uuid
    assert repaired_uuid(b"\xff\x00 garbage", "") is None
    assert repaired_uuid(b"", uuid) == uuid
    assert repaired_uuid(b"", "") is None


def test_a_newer_version_is_refused(layout: Layout) -> None:
    rewrite(layout, "version 1", "version 2")

    with pytest.raises(StoreTooNew, match="format '2'"):
        layout.open()


def test_an_unknown_key_is_refused(layout: Layout) -> None:
    rewrite(layout, "id-key none", "id-key none\ncolour blue")

    with pytest.raises(StoreTooNew):
        layout.open()


@pytest.mark.parametrize("content", [b"", b"something else entirely\n", b"\xff\xfe\x00"])
def test_another_file_of_that_name_makes_no_store(layout: Layout, content: bytes) -> None:
    Path(layout.format).write_bytes(content)

    with pytest.raises((NotAStore, StoreDamaged)):
        layout.open()


def test_a_full_directory_is_not_made_a_store(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to mother").write_text("dear")

    with pytest.raises(NotAStore):
        Layout(str(tmp_path / "letters")).create()
    assert os.listdir(tmp_path / "letters") == ["to mother"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_store_of_another_user_is_refused(layout: Layout) -> None:
    os.chown(layout.root, 12345, 12345)

    with pytest.raises(StoreWrongOwner) as refused:
        layout.open()
    assert refused.value.owner == 12345


def test_the_reserve_is_given_up_once_and_set_aside_again(layout: Layout) -> None:
    given = [layout.release_reserve(), layout.release_reserve()]
    layout.refill_reserve()

    assert given == [True, False]
    assert os.path.exists(layout.reserve)


def test_packs_without_a_catalogue_are_no_empty_store(layout: Layout) -> None:
    Path(layout.packs, "x.pack").write_bytes(b"precious")

    with pytest.raises(StoreDamaged, match="missing"):
        Store.open(layout.root)
    assert not os.path.exists(layout.catalog)
