"""Nothing is captured, written or deleted through a mount."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew import errors, opening
from clew.workspace import Workspace
from tests.kit import filesystems
from tests.kit.walker import differences, look


@pytest.fixture
def place(on_ext4: Path) -> Path:
    (on_ext4 / "project" / "inside").mkdir(parents=True)
    (on_ext4 / "project" / "file").write_text("of the project")
    (on_ext4 / "outside").mkdir()
    (on_ext4 / "outside" / "precious").write_text("never ours")
    return on_ext4


@pytest.fixture
def clew(place: Path) -> Iterator[Workspace]:
    with opening.open(place / "project", store=str(place / "store"), create=True) as clew:
        yield clew


@pytest.fixture
def mounts() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_a_bind_mount_of_the_same_filesystem_is_left_alone(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    empty = clew.save("before the mount").checkpoint.id.hex()
    (place / "project" / "mnt").mkdir()
    mounts.enter_context(filesystems.bound(place / "outside", place / "project" / "mnt"))
    outside = look(place / "outside")
    saved = clew.save("with the mount").checkpoint
    result = clew.restore(empty)

    assert [item.reason_name for item in saved.record.coverage.uncovered] == ["mount"]
    assert differences(outside, look(place / "outside")) == []
    assert b"mnt" in {item.path for item in result.left_alone}


def test_another_filesystem_mounted_deep_inside_is_left_alone(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    empty = clew.save("before the mount").checkpoint.id.hex()
    deep = place / "project" / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (place / "project" / "a" / "made since").write_text("goes away")
    mounted = mounts.enter_context(filesystems.mounted("tmpfs", place, 10, "elsewhere"))
    mounts.enter_context(filesystems.bound(mounted, deep))
    (deep / "precious").write_text("never ours")
    clew.restore(empty)

    assert (deep / "precious").read_text() == "never ours"
    assert not (place / "project" / "a" / "made since").exists()


def test_a_single_file_mount_is_left_alone(place: Path, clew: Workspace, mounts: ExitStack) -> None:
    saved = clew.save("before the mount").checkpoint.id.hex()
    target = place / "project" / "file"
    mounts.enter_context(filesystems.bound(place / "outside" / "precious", target))
    clew.restore(saved)

    assert (place / "outside" / "precious").read_text() == "never ours"


def test_a_mount_that_appears_between_save_and_restore_hides_nothing_that_is_then_deleted(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    """What lies under the mount is not seen, so it must not count as deleted."""
    (place / "project" / "inside" / "under").write_text("hidden by the mount")
    first = clew.save("first").checkpoint.id.hex()
    (place / "project" / "file").write_text("edited")
    mounts.enter_context(filesystems.bound(place / "outside", place / "project" / "inside"))
    clew.restore(first)
    mounts.close()

    assert (place / "project" / "file").read_text() == "of the project"
    assert (place / "project" / "inside" / "under").read_text() == "hidden by the mount"


def test_a_restore_to_the_moment_with_the_mount_does_not_delete_what_lay_under_it(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    (place / "project" / "inside" / "under").write_text("hidden by the mount")
    mounts.enter_context(filesystems.bound(place / "outside", place / "project" / "inside"))
    mounted = clew.save("while mounted").checkpoint.id.hex()
    mounts.close()
    clew.save("unmounted")
    clew.restore(mounted)

    assert (place / "project" / "inside" / "under").read_text() == "hidden by the mount"


def test_a_file_due_where_a_directory_holds_a_mount_is_refused_before_any_change(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    (place / "project" / "spot").write_text("a file")
    saved = clew.save("a file").checkpoint.id.hex()
    (place / "project" / "spot").unlink()
    (place / "project" / "spot" / "mnt").mkdir(parents=True)
    (place / "project" / "file").write_text("edited")
    mounts.enter_context(filesystems.bound(place / "outside", place / "project" / "spot" / "mnt"))
    before = look(place / "project")
    with pytest.raises(errors.RestoreBlocked):
        clew.restore(saved)

    assert differences(before, look(place / "project")) == []


def test_a_file_due_where_a_mount_stands_is_left_out_and_listed(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    (place / "project" / "spot").write_text("a file")
    saved = clew.save("a file").checkpoint.id.hex()
    (place / "project" / "spot").unlink()
    (place / "project" / "spot").mkdir()
    mounts.enter_context(filesystems.bound(place / "outside", place / "project" / "spot"))
    result = clew.restore(saved)

    assert [item.path for item in result.left_alone] == [b"spot"]
    assert (place / "outside" / "precious").read_text() == "never ours"
