"""Scan boundaries: mounts of every kind, and what a whole machine includes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import filesystems
from tests.kit.filesystems import Filesystems
from tests.kit.running import Clew


@pytest.fixture
def machine(clew: Clew, all_filesystems: Filesystems) -> Iterator[Clew]:
    """A small machine: a root with a disk on /home, a tmpfs, a proc and a bind-mounted file."""
    reason = filesystems.missing_for("ext4")
    if reason is not None:
        pytest.skip(reason)
    root = clew.workspace
    for name in ("home", "run", "etc"):
        (root / name).mkdir()
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    (root / "etc" / "resolv.conf").write_text("")
    with (
        filesystems.mounted_image(_image(clew), root / "home"),
        filesystems.mounted("tmpfs", root.parent, 16, "memory") as memory,
        filesystems.bound(memory, root / "run"),
        filesystems.bound(root / "etc" / "hosts", root / "etc" / "resolv.conf"),
    ):
        (root / "home" / "letter").write_text("dear all")
        (root / "run" / "pid").write_text("17")
        yield clew


def _image(clew: Clew) -> Path:
    image = clew.workspace.parent / "home.img"
    filesystems.make_image("ext4", image, 32)
    return image


def _uncovered(clew: Clew, reference: str) -> dict[str, str]:
    shown = clew.json("show", reference)["checkpoint"]["coverage"]["uncovered"]
    return {item["path"]: item["reason"] for item in shown}


def test_a_project_leaves_out_every_mount_and_says_so(machine: Clew) -> None:
    saved = machine.save("project")

    assert _uncovered(machine, saved) == {
        "home": "mount",
        "run": "pseudo filesystem",
        "etc/resolv.conf": "mount",
    }


def test_a_machine_takes_in_its_own_disks_and_no_pseudo_filesystem(machine: Clew) -> None:
    machine.ok("init", str(machine.workspace), "--machine")
    saved = machine.save("machine")

    assert "run" in _uncovered(machine, saved)
    assert "home" not in _uncovered(machine, saved)
    assert machine.ok("cat", saved, "home/letter").out == "dear all"
    assert machine.ok("cat", saved, "etc/resolv.conf").out == "127.0.0.1 localhost\n"


def test_a_machine_takes_in_what_covers_a_mount(machine: Clew) -> None:
    machine.ok("init", str(machine.workspace), "--machine")
    (machine.workspace / "home" / "etc").mkdir()
    (machine.workspace / "home" / "etc" / "resolv.conf").write_text("of the upper mount\n")

    with filesystems.bound(machine.workspace / "home" / "etc", machine.workspace / "etc"):
        saved = machine.save("machine")

    assert machine.ok("cat", saved, "etc/resolv.conf").out == "of the upper mount\n"


def test_a_machine_is_restored_across_its_disks(machine: Clew) -> None:
    machine.ok("init", str(machine.workspace), "--machine")
    saved = machine.save("machine")
    (machine.workspace / "home" / "letter").write_text("torn")
    (machine.workspace / "home" / "new").mkdir()
    (machine.workspace / "home" / "new" / "file").write_text("x")
    (machine.workspace / "run" / "pid").write_text("18")

    result = machine.restore(saved)

    assert result["is_verified"] is True
    assert (machine.workspace / "home" / "letter").read_text() == "dear all"
    assert not (machine.workspace / "home" / "new").exists()
    assert (machine.workspace / "run" / "pid").read_text() == "18"
    assert [path.name for path in machine.workspace.rglob(".clew-*")] == []


def test_what_is_mounted_over_is_never_deleted(machine: Clew) -> None:
    empty = Clew(machine.workspace, machine.store)
    saved = empty.save("with mounts")
    (machine.workspace / "more").write_text("x")

    result = machine.restore(saved)

    assert result["deleted_count"] == 1
    assert (machine.workspace / "home" / "letter").read_text() == "dear all"
    assert (machine.workspace / "run" / "pid").read_text() == "17"


def test_a_nested_btrfs_subvolume_is_captured_and_restored(
    clew: Clew, all_filesystems: Filesystems
) -> None:
    reason = filesystems.missing_for("btrfs")
    if reason is not None:
        pytest.skip(reason)
    mount = all_filesystems.get("btrfs")
    root = mount / "nested-workspace"
    root.mkdir()
    inner = root / "inner"
    subprocess.run(["btrfs", "-q", "subvolume", "create", inner], check=True)
    nested = Clew(root, clew.store)
    (inner / "file").write_text("one")
    saved = nested.save("nested")
    (inner / "file").write_text("other")
    (inner / "new").write_text("x")

    result = nested.restore(saved)

    assert result["is_verified"] is True
    assert sorted(path.name for path in inner.iterdir()) == ["file"]
    assert (inner / "file").read_text() == "one"
    subprocess.run(["btrfs", "-q", "subvolume", "delete", inner], check=True)
