"""Reading from a checkpoint without restoring it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import NoSuchPath, OutsideWorkspace, UnknownReference
from clew.workspace import Workspace
from tests.operations.moments import save


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def ws(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for all: reading changes nothing."""
    store = tmp_path_factory.mktemp("place") / "store"
    with opening.open(project, store=store, create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def saved(ws: Workspace, project: Path) -> str:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("as it was")
    (project / "large").write_bytes(b"abc" * 700_000)
    (project / "link").symlink_to("sub/file")
    os.mkfifo(project / "fifo")
    first = save(ws)
    (project / "sub" / "file").write_text("as it is")
    return first


def cat(ws: Workspace, ref: str, path: Path) -> bytes:
    return b"".join(ws.cat(ref, str(path)))


def test_a_file_as_it_was(ws: Workspace, project: Path, saved: str) -> None:
    assert cat(ws, saved, project / "sub" / "file") == b"as it was"


def test_a_large_file_comes_in_pieces(ws: Workspace, project: Path, saved: str) -> None:
    pieces = list(ws.cat(saved, str(project / "large")))

    assert len(pieces) > 1
    assert b"".join(pieces) == b"abc" * 700_000


def test_a_symlink_is_its_target_and_is_not_followed(
    ws: Workspace, project: Path, saved: str
) -> None:
    assert cat(ws, saved, project / "link") == b"sub/file"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("sub", "Not a file but a directory"),
        ("fifo", "Not a file but a fifo"),
        ("nope", "No such path in checkpoint"),
        ("sub/file/deeper", "No such path in checkpoint"),
        ("link/file", "No such path in checkpoint"),
    ],
)
def test_what_is_no_file_is_said_in_one_line(
    ws: Workspace, project: Path, saved: str, path: str, says: str
) -> None:
    with pytest.raises(NoSuchPath, match=says) as refused:
        cat(ws, saved, project / path)

    assert "\n" not in str(refused.value)


def test_a_directory_is_listed(ws: Workspace, project: Path, saved: str) -> None:
    names = [entry.name for entry in ws.ls(saved).entries]

    assert names == [b"fifo", b"large", b"link", b"sub"]
    assert [entry.name for entry in ws.ls(saved, str(project / "sub")).entries] == [b"file"]
    assert ws.ls(saved, str(project / "sub")).path == b"sub"


def test_a_file_is_listed_as_itself(ws: Workspace, project: Path, saved: str) -> None:
    (entry,) = ws.ls(saved, str(project / "large")).entries

    assert (entry.name, entry.size) == (b"large", 2_100_000)


def test_errors(ws: Workspace, project: Path, saved: str) -> None:
    with pytest.raises(NoSuchPath):
        ws.ls(saved, str(project / "nope"))
    with pytest.raises(OutsideWorkspace):
        ws.ls(saved, "/etc")
    with pytest.raises(UnknownReference):
        ws.ls("nope")
    with pytest.raises(OutsideWorkspace):
        cat(ws, saved, Path("/etc/passwd"))
