"""A temporary project, home directory and store for setup tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kit.running import SOURCE

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
                if {".local", ".cache"} & set(path.parts):  # our own receipts, logs and cache
                    continue
                content = b"" if path.is_dir() else path.read_bytes()
                found[str(path)] = (path.lstat().st_mode, content)
        return found


PROGRAM = f"""\
#!{sys.executable}
import sys
sys.path.insert(0, {str(SOURCE)!r})
from clew.app import main
sys.exit(main())
"""
"""A real clew, of these sources."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path / "project", tmp_path / "home", tmp_path / "bin")
    for directory in found:
        directory.mkdir()
    (found.project / "a.txt").write_text("a\n")
    program = found.bin / "clew"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program)])  # the clew that user settings name
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(found.home))
    monkeypatch.setenv("PATH", f"{found.bin}:{os.environ['PATH']}")
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(found.project)
    return found
