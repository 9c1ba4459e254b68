"""Whatever happened to a workspace, a restore makes it exactly what it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit import everything, oracle, walker, wreck
from tests.kit.running import Clew

WAYS: dict[str, Callable[[Path], None]] = {
    "wrecked": wreck.wreck,
    "emptied": wreck.empty,
    "removed": wreck.raze,
}


@pytest.mark.parametrize("way", WAYS)
def test_everything_comes_back(filesystem: Path, way: str) -> None:
    project, reference = filesystem / "project", filesystem / "reference"
    clew = Clew(project, filesystem / "store")
    everything.build(project)
    oracle.reference_copy(project, reference)
    portrait = oracle.portrait(project)
    saved = clew.save("everything")
    WAYS[way](project)

    result = clew.json("-C", str(project), "restore", saved, "--yes", cwd=filesystem)

    assert oracle.portrait_differences(portrait, oracle.portrait(project)) == []
    assert oracle.rsync_differences(reference, project) == []
    assert result["is_verified"] is True
    assert result["skipped"] == []


def test_a_save_changes_nothing_in_the_workspace(filesystem: Path) -> None:
    clew = Clew(filesystem / "project", filesystem / "store")
    everything.build(clew.workspace)
    before, touched = oracle.portrait(clew.workspace), _inodes(clew.workspace)
    clew.save("everything")

    assert oracle.portrait_differences(before, oracle.portrait(clew.workspace)) == []
    assert _inodes(clew.workspace) == touched


def test_a_restore_touches_only_what_differs(filesystem: Path) -> None:
    clew = Clew(filesystem / "project", filesystem / "store")
    everything.build(clew.workspace)
    saved = clew.save("everything")
    before = _inodes(clew.workspace)
    wreck.edit_unnoticed(clew.workspace / "plain/binary")
    clew.restore(saved)

    changed = {path for path, key in _inodes(clew.workspace).items() if before[path] != key}
    assert changed <= {b"plain/binary", b"plain"}


def test_paths_deeper_than_path_max_come_back(filesystem: Path) -> None:
    clew = Clew(filesystem / "project", filesystem / "store")
    clew.workspace.mkdir()
    everything.build_deep(clew.workspace)
    before = walker.look(clew.workspace)
    saved = clew.save("deep")
    wreck.empty(clew.workspace)
    clew.restore(saved)

    assert max(map(len, before.facts)) > 5000
    assert walker.differences(before, walker.look(clew.workspace)) == []


def test_thousands_of_levels_come_back(on_ext4: Path) -> None:
    clew = Clew(on_ext4 / "project", on_ext4 / "store")
    clew.workspace.mkdir()
    everything.build_deep(clew.workspace, levels=2500, name_bytes=4)
    before = walker.look(clew.workspace)
    saved = clew.save("levels")
    wreck.raze(clew.workspace)
    clew.json("-C", str(clew.workspace), "restore", saved, "--yes", cwd=on_ext4)

    assert walker.differences(before, walker.look(clew.workspace)) == []


def test_a_restore_can_be_undone_exactly(filesystem: Path) -> None:
    clew = Clew(filesystem / "project", filesystem / "store")
    everything.build(clew.workspace)
    saved = clew.save("everything")
    wreck.wreck(clew.workspace)
    wrecked = oracle.portrait(clew.workspace)
    clew.restore(saved)
    clew.ok("undo", "--yes")

    assert oracle.portrait_differences(wrecked, oracle.portrait(clew.workspace)) == []


def _inodes(root: Path) -> dict[bytes, tuple[int, int]]:
    """Return inode and ctime of every path: what no honest reader changes."""
    found = {}
    for parent, directories, files in os.walk(os.fsencode(root)):
        for name in [*directories, *files]:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            found[os.path.relpath(path, os.fsencode(root))] = (status.st_ino, status.st_ctime_ns)
    return found
