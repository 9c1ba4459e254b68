"""Durable files: the order of writes, syncs and renames, which a power cut depends on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from clew.store.durable_files import rename_synced, write_synced


def test_data_is_synced_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def record(name: str) -> None:
        real = getattr(os, name)

        def recorded(*arguments: Any) -> Any:
            calls.append(name)
            return real(*arguments)

        monkeypatch.setattr(os, name, recorded)

    for name in ("write", "fdatasync", "rename", "fsync"):
        record(name)
    write_synced(str(tmp_path / "new"), [b"a", b"", b"bc"])
    rename_synced(str(tmp_path / "new"), str(tmp_path / "file"))

    assert calls == ["write", "write", "fdatasync", "rename", "fsync"]
    assert (tmp_path / "file").read_bytes() == b"abc"


def test_the_directory_of_the_new_name_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir()
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda number: synced.append(os.readlink(f"/proc/self/fd/{number}"))
    )
    write_synced(str(tmp_path / "new"), [b"x"])
    rename_synced(str(tmp_path / "new"), str(tmp_path / "target" / "file"))

    assert synced == [str(tmp_path / "target")]


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda number, view: real(number, view[:3]))
    write_synced(str(tmp_path / "file"), [b"0123456789"])

    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_synced(str(tmp_path / "file"), [b"new"])

    assert (tmp_path / "file").read_bytes() == b"old"


def test_the_mode_is_as_given(tmp_path: Path) -> None:
    write_synced(str(tmp_path / "file"), [b"x"], 0o400)

    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o400
