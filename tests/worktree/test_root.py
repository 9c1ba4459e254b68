"""Opening beneath the root: no link is followed, no path is too long, with and without openat2."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.worktree.root import Root
from clew.worktree.syscalls import mount_id
from tests.kit.filesystems import bound
from tests.kit.removing import remove


@pytest.fixture(
    params=[
        "openat2",
        pytest.param("by name", marks=pytest.mark.refuses("openat2", errno.ENOSYS)),
    ]
)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    """A root on a kernel with `openat2`, and on one without."""
    (tmp_path / "root" / "a" / "b").mkdir(parents=True)
    (tmp_path / "root" / "a" / "b" / "file").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("outside")
    (tmp_path / "root" / "a" / "link").symlink_to("../../outside")
    (tmp_path / "root" / "absolute").symlink_to(tmp_path / "outside")
    with Root(os.fsencode(tmp_path / "root")) as root:
        yield root


def _read(root: Root, path: bytes) -> bytes:
    descriptor = root.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 100)
    finally:
        os.close(descriptor)


def test_what_is_beneath_is_opened(root: Root) -> None:
    assert _read(root, b"a/b/file") == b"inside"


@pytest.mark.parametrize("path", [b"a/link/file", b"absolute/file", b"a/link", b"absolute"])
def test_no_link_is_followed_anywhere_on_the_way(root: Root, path: bytes) -> None:
    with pytest.raises(OSError, match=r"symbolic link|directory") as refused:
        root.open(path, os.O_RDONLY)

    assert refused.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_a_directory_that_was_swapped_for_a_link_is_refused(root: Root, tmp_path: Path) -> None:
    (tmp_path / "root" / "a" / "b").rename(tmp_path / "root" / "elsewhere")
    (tmp_path / "root" / "a" / "b").symlink_to(tmp_path / "outside")

    with pytest.raises(OSError, match=r"symbolic link|directory"):
        root.open_directory(b"a/b")


def test_the_root_itself_is_the_empty_path(root: Root, tmp_path: Path) -> None:
    descriptor = root.open_directory(b"")

    assert os.path.samestat(os.fstat(descriptor), (tmp_path / "root").stat())
    os.close(descriptor)


def test_a_path_longer_than_path_max_is_opened_and_nothing_leaks(
    root: Root, tmp_path: Path
) -> None:
    name = b"n" * 200
    descriptor = os.open(tmp_path / "root", os.O_RDONLY)
    for _ in range(60):
        os.mkdir(name, dir_fd=descriptor)
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    before = len(os.listdir("/proc/self/fd"))

    os.close(root.open_directory(b"/".join([name] * 60)))
    with pytest.raises(FileNotFoundError):
        root.open_directory(b"/".join([name] * 60 + [b"missing"]))

    assert len(os.listdir("/proc/self/fd")) == before
    remove(tmp_path / "root")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_mount_is_crossed_only_if_it_is_the_planned_one(root: Root, tmp_path: Path) -> None:
    inside = tmp_path / "root" / "a" / "b"
    with bound(tmp_path / "outside", inside):
        found = os.open(inside, os.O_RDONLY)
        number = mount_id(found)
        os.close(found)

        with pytest.raises(OSError, match=r"cross-device|mounted") as refused:
            root.open(b"a/b/file", os.O_RDONLY)
        with Root(root.path, mounts={b"a/b": number}) as planned:
            assert _read(planned, b"a/b/file") == b"outside"
        with (
            Root(root.path, mounts={b"a/b": number + 1}) as other,
            pytest.raises(OSError, match="mounted"),
        ):
            other.open(b"a/b/file", os.O_RDONLY)

    assert refused.value.errno == errno.EXDEV


def test_a_root_on_another_mount_than_planned_is_refused(root: Root) -> None:
    own = mount_id(root.descriptor)
    Root(root.path, mounts={b"": own}).close()
    with pytest.raises(OSError, match="mounted"):
        Root(root.path, mounts={b"": own + 1})
