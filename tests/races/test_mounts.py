"""Nothing is captured, written or deleted through a mount."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew import errors, opening
from clew.monitor import Monitor
from clew.workspace import Workspace
from tests.kit import filesystems
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look


@pytest.fixture
def place(on_ext4: Path) -> Path:
    (on_ext4 / "project" / "inside").mkdir(parents=True)
    (on_ext4 / "project" / "file").write_text("of the project")
    (on_ext4 / "outside").mkdir()
    (on_ext4 / "outside" / "precious").write_text("never ours")
    return on_ext4


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def clew(place: Path, host: FakeHost) -> Iterator[Workspace]:
    store = str(place / "store")
    with opening.open(place / "project", store=store, create=True, host=host) as clew:
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
    assert b"mnt" in {item.path for item in result.skipped}


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

    assert [item.path for item in result.skipped] == [b"spot"]
    assert (place / "outside" / "precious").read_text() == "never ours"


# A mount that appears while a restore works


@pytest.mark.parametrize("step", ["restore.switch", "restore.finish-directories"])
@pytest.mark.parametrize("machine", [False, True])
def test_a_mount_that_appears_over_a_directory_keeps_its_mode_and_times(
    place: Path, mounts: ExitStack, host: FakeHost, step: str, machine: bool
) -> None:
    project, outside = place / "project", place / "outside"
    outside.chmod(0o751)
    store = str(place / "store")
    with opening.init(project, store=store, machine=machine, host=host)[0] as clew:
        (project / "inside" / "sub").mkdir()
        first = clew.save("first").checkpoint.id.hex()
        (project / "inside").chmod(0o700)
        (project / "inside" / "new").write_text("new")
        (project / "inside" / "sub").chmod(0o700)
        clew.save("second")
        before = look(outside)

        def mount() -> None:
            mounts.enter_context(filesystems.bound(outside, project / "inside"))

        host.when(step, mount)
        result = clew.restore(first)

        assert differences(before, look(outside)) == []
        assert b"inside" in {item.path for item in result.skipped}
        assert result.is_partial


def test_a_file_mounted_over_another_keeps_its_metadata(
    place: Path, clew: Workspace, mounts: ExitStack, host: FakeHost
) -> None:
    """The same bytes with the same times: only the mount tells that it is another file."""
    file, precious = place / "project" / "file", place / "outside" / "precious"
    first = clew.save("first").checkpoint.id.hex()
    file.chmod(0o600)
    clew.save("second")
    precious.write_text("of the project")
    precious.chmod(0o600)
    os.utime(precious, ns=(0, file.stat().st_mtime_ns))
    before = look(place / "outside")

    def mount() -> None:
        mounts.enter_context(filesystems.bound(precious, file))

    host.when("restore.switch", mount)
    result = clew.restore(first)

    assert differences(before, look(place / "outside")) == []
    assert result.is_partial


def test_a_filesystem_mounted_over_the_whole_workspace_is_not_restored_into(
    place: Path, clew: Workspace, mounts: ExitStack
) -> None:
    first = clew.save("first").checkpoint.id.hex()
    (place / "project" / "file").write_text("edited")
    before = look(place / "outside")

    class Mounting(Monitor):
        def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
            if phase == "scan" and not os.path.ismount(place / "project"):
                mounts.enter_context(filesystems.bound(place / "outside", place / "project"))

    with pytest.raises(errors.ClewError):
        clew.restore(first, monitor=Mounting())

    assert differences(before, look(place / "outside")) == []
    mounts.close()
    assert clew.interrupted_restore() is None
    assert (place / "project" / "file").read_text() == "edited"


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_root_that_is_exchanged_for_something_else_is_not_restored_into(
    place: Path, clew: Workspace, kind: str
) -> None:
    project = place / "project"
    first = clew.save("first").checkpoint.id.hex()
    (project / "file").unlink()
    clew.save("second")
    before = look(place / "outside")

    class Exchanging(Monitor):
        def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
            if phase == "scan" and not (place / "moved").exists():
                project.rename(place / "moved")
                if kind == "link":
                    project.symlink_to(place / "outside")
                else:
                    (place / "outside").rename(project)

    with pytest.raises((errors.ClewError, OSError)):
        clew.restore(first, monitor=Exchanging())

    if kind == "directory":
        project.rename(place / "outside")
    assert differences(before, look(place / "outside")) == []
    assert not (place / "moved" / "file").exists()


def test_a_mount_of_the_machine_that_is_exchanged_for_another_is_left_alone(
    place: Path, mounts: ExitStack, host: FakeHost
) -> None:
    """A machine has mounts of its own; a path below one is changed only on that very mount."""
    project = place / "project"
    mounts.enter_context(filesystems.bound(place / "outside", project / "inside"))
    store = str(place / "store")
    with opening.init(project, store=store, machine=True, host=host)[0] as clew:
        first = clew.save("first").checkpoint.id.hex()
        (project / "inside" / "precious").write_text("edited")
        clew.save("second")
        (place / "other").mkdir()
        (place / "other" / "precious").write_text("edited")
        before = look(place / "other")

        def mount() -> None:
            mounts.enter_context(filesystems.bound(place / "other", project / "inside"))

        host.when("restore.switch", mount)
        result = clew.restore(first)

        assert differences(before, look(place / "other")) == []
        assert (place / "outside" / "precious").read_text() == "edited"
        assert result.is_partial


def test_a_mount_of_the_machine_is_restored_as_any_other_directory(
    place: Path, mounts: ExitStack
) -> None:
    project = place / "project"
    mounts.enter_context(filesystems.bound(place / "outside", project / "inside"))
    with opening.init(project, store=str(place / "store"), machine=True)[0] as clew:
        first = clew.save("first").checkpoint.id.hex()
        before = look(project)
        (project / "inside" / "precious").write_text("edited")
        (project / "inside" / "new").mkdir()
        (project / "inside").chmod(0o700)
        result = clew.restore(first)

        assert differences(before.state(), look(project).state()) == []
        assert not result.is_partial
