"""Chosen paths: a database brings its journals, and nothing else brings anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.opening import init
from clew.operations.restore.path_selection import with_units
from clew.workspace import Workspace

HEADER = b"SQLite format 3\x00"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    project = tmp_path / "project"
    project.mkdir()
    (project / "data.db").write_bytes(HEADER + b"page")
    (project / "data.db-wal").write_bytes(b"frame")
    (project / "notes").write_text("text")
    (project / "notes-journal").write_text("of my days")
    workspace, _ = init(project, tmp_path / "store")
    workspace.save("first")
    return workspace


def _chosen(ws: Workspace, *paths: bytes) -> set[bytes]:
    return set(with_units(ws._access.context, ws.resolve("@"), paths))


@pytest.mark.parametrize("path", [b"data.db", b"data.db-wal", b"data.db-journal"])
def test_any_part_of_a_database_brings_all_of_it(ws: Workspace, path: bytes) -> None:
    assert _chosen(ws, path) == {b"data.db", b"data.db-wal", b"data.db-journal"}


def test_another_file_brings_no_stranger_whatever_its_name(ws: Workspace) -> None:
    assert _chosen(ws, b"notes") == {b"notes"}
    assert _chosen(ws, b"notes-journal") == {b"notes-journal"}


def test_choosing_the_root_or_nothing_chooses_everything(ws: Workspace) -> None:
    assert _chosen(ws, b"notes", b"") == set()
    assert _chosen(ws) == set()
