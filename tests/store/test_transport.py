"""Contract of every transport, and tests of the one for disks."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.errors import StoreFull, StoreReadOnly
from clew.store.transport import LocalTransport, Transport
from clew.testing import Died, DyingTransport, MemoryTransport, RecordingTransport

Make = Callable[[Path], Transport]


def local(place: Path) -> LocalTransport:
    for name in ("packs", "tmp"):
        (place / name).mkdir(exist_ok=True)
    return LocalTransport(str(place / "packs"), str(place / "tmp"))


MAKERS: dict[str, Make] = {
    "local": local,
    "memory": lambda _: MemoryTransport(),
    "recording": lambda _: RecordingTransport(MemoryTransport()),
}


@pytest.fixture(params=MAKERS)
def transport(request: pytest.FixtureRequest, tmp_path: Path) -> Transport:
    return MAKERS[request.param](tmp_path)


def test_what_was_written_is_read(transport: Transport) -> None:
    transport.write_new("a.pack", [b"hello ", b"", b"world"])

    assert transport.read("a.pack", 0, 100) == b"hello world"
    assert transport.read("a.pack", 6, 3) == b"wor"
    assert transport.read("a.pack", 11, 5) == b""
    assert transport.size("a.pack") == 11
    assert list(transport.names()) == ["a.pack"]


def test_a_file_that_is_not_there_is_said_so(transport: Transport) -> None:
    with pytest.raises(FileNotFoundError):
        transport.read("a.pack", 0, 1)
    with pytest.raises(FileNotFoundError):
        transport.size("a.pack")
    with pytest.raises(FileNotFoundError):
        transport.is_settled("a.pack")


def test_a_removed_file_is_gone_and_may_be_removed_again(transport: Transport) -> None:
    transport.write_new("a.pack", [b"x"])
    transport.read("a.pack", 0, 1)
    transport.remove("a.pack")
    transport.remove("a.pack")

    assert list(transport.names()) == []
    with pytest.raises(FileNotFoundError):
        transport.read("a.pack", 0, 1)


def test_a_file_is_settled_once_somebody_says_so(transport: Transport) -> None:
    transport.write_new("a.pack", [b"x"])
    before = transport.is_settled("a.pack")
    transport.settle("a.pack")
    transport.settle("not there")

    assert (before, transport.is_settled("a.pack")) == (False, True)


def test_it_works_on_after_being_closed(transport: Transport) -> None:
    transport.write_new("a.pack", [b"x"])
    transport.read("a.pack", 0, 1)
    transport.close()

    assert transport.read("a.pack", 0, 1) == b"x"


def test_more_files_than_are_kept_open_can_be_read(transport: Transport) -> None:
    names = [f"{number}.pack" for number in range(40)]
    for name in names:
        transport.write_new(name, [name.encode()])

    assert [transport.read(name, 0, 9) for name in names * 2] == [
        name.encode() for name in names * 2
    ]


def test_on_disk_nothing_half_written_is_ever_seen(tmp_path: Path) -> None:
    transport = local(tmp_path)

    def parts() -> list[bytes]:
        assert list(transport.names()) == []
        return [b"x"]

    transport.write_new("a.pack", parts())

    assert list((tmp_path / "tmp").iterdir()) == []
    transport.settle("a.pack")
    assert (tmp_path / "packs" / "a.pack").stat().st_mode & 0o777 == 0o600


@pytest.mark.refuses("fdatasync", errno.ENOSPC)
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    transport = local(tmp_path)
    with pytest.raises(StoreFull):
        transport.write_new("a.pack", [b"x"])

    assert list((tmp_path / "tmp").iterdir()) == []
    assert list(transport.names()) == []


@pytest.mark.refuses("rename", errno.EROFS)
def test_a_disk_that_may_not_be_written_is_said_so(tmp_path: Path) -> None:
    transport = local(tmp_path)
    with pytest.raises(StoreReadOnly):
        transport.write_new("a.pack", [b"x"])

    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("after", [False, True])
def test_a_dying_transport_dies_at_its_change_and_stays_dead(after: bool) -> None:
    memory = MemoryTransport()
    dying = DyingTransport(memory, 2, after=after)
    dying.write_new("a", [b"1"])
    with pytest.raises(Died):
        dying.write_new("b", [b"2"])
    with pytest.raises(Died):
        dying.remove("a")

    assert set(memory.files) == ({"a", "b"} if after else {"a"})
