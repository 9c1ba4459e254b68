"""An untrusted archive is unpacked below one directory, or refused."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from clew.worktree.unpack import BadArchive, unpack


def member(name: str, kind: bytes = tarfile.REGTYPE, **fields: object) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type = kind
    found.mode = 0o644
    for key, value in fields.items():
        setattr(found, key, value)
    return found


def archive(*members: tarfile.TarInfo, content: bytes = b"x") -> io.BytesIO:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for one in members:
            one.size = len(content) if one.isreg() else 0
            tar.addfile(one, io.BytesIO(content) if one.isreg() else None)
    file.seek(0)
    return file


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def test_files_directories_and_links_come_out_as_they_went_in(place: Path) -> None:
    members = (
        member("./d", tarfile.DIRTYPE, mode=0o750),
        member("./d/run", mode=0o755, mtime=1000),
        member("./d/link", tarfile.SYMTYPE, linkname="run"),
        member("./deep/down/file"),
    )
    unpack(archive(*members), os.fsencode(place))

    assert stat.S_IMODE((place / "d").stat().st_mode) == 0o750
    assert stat.S_IMODE((place / "d/run").stat().st_mode) == 0o755
    assert (place / "d/run").stat().st_mtime == 1000
    assert (place / "d/link").readlink() == Path("run")
    assert (place / "deep/down/file").read_bytes() == b"x"


@pytest.mark.parametrize(
    "bad",
    [
        member("/etc/evil"),
        member("../evil"),
        member("a/../../evil"),
        member("pipe", tarfile.FIFOTYPE),
        member("device", tarfile.CHRTYPE),
        member("hard", tarfile.LNKTYPE, linkname="/etc/passwd"),
        member("."),
    ],
    ids=lambda one: one.name,
)
def test_what_leads_elsewhere_is_refused(place: Path, bad: tarfile.TarInfo) -> None:
    with pytest.raises(BadArchive):
        unpack(archive(member("good"), bad), os.fsencode(place))
    assert [path.name for path in place.parent.rglob("*evil*")] == []


def test_nothing_is_written_through_a_link(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    members = (
        member("exit", tarfile.SYMTYPE, linkname=str(outside)),
        member("exit/evil"),
    )
    with pytest.raises(BadArchive):
        unpack(archive(*members), os.fsencode(place))

    assert [*outside.iterdir()] == []


def test_no_link_is_made_through_a_link(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    members = (
        member("exit", tarfile.SYMTYPE, linkname=str(outside)),
        member("exit/evil", tarfile.SYMTYPE, linkname="/etc/passwd"),
    )
    with pytest.raises(BadArchive, match="symlink"):
        unpack(archive(*members), os.fsencode(place))

    assert [*outside.iterdir()] == []


def test_nobody_gets_the_rights_of_an_owner(place: Path) -> None:
    unpack(archive(member("su", mode=0o4755)), os.fsencode(place))

    assert stat.S_IMODE((place / "su").stat().st_mode) == 0o755


def test_the_later_of_two_files_of_one_name_counts(place: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for content in (b"first", b"2nd"):
            one = member("file", size=len(content))
            tar.addfile(one, io.BytesIO(content))
    file.seek(0)
    unpack(file, os.fsencode(place))

    assert (place / "file").read_bytes() == b"2nd"


@pytest.mark.parametrize("length", [0, 100, 600])
def test_an_archive_that_is_cut_short_is_refused(place: Path, length: int) -> None:
    whole = archive(member("file"), content=b"y" * 5000).getvalue()

    with pytest.raises(BadArchive):
        unpack(io.BytesIO(whole[:length]), os.fsencode(place))
