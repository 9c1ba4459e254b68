"""A temporary project, home directory and store for setup tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

Everything = dict[str, tuple[int, bytes]]


class Place(NamedTuple):
    """The directories of a setup test."""

    project: Path
    home: Path
    bin: Path

    def everything(self) -> Everything:
        """Return every path of project and home, with its mode and content."""
        found: Everything = {}
        for root in (self.project, self.home):
            for path in sorted(root.rglob("*")):
                if ".local" in path.parts:  # our own receipts and logs
                    continue
                content = b"" if path.is_dir() else path.read_bytes()
                found[str(path)] = (path.lstat().st_mode, content)
        return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path / "project", tmp_path / "home", tmp_path / "bin")
    for directory in found:
        directory.mkdir()
    (found.project / "a.txt").write_text("a\n")
    (found.bin / "clew").write_text("#!/bin/sh\nexit 0\n")
    (found.bin / "clew").chmod(0o755)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(found.home))
    monkeypatch.setenv("PATH", f"{found.bin}:{os.environ['PATH']}")
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(found.project)
    return found
