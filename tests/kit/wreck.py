"""Ruins a tree that `everything.build` made, in as many ways as we could think of."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.everything import git, release


def wreck(root: Path) -> None:
    """Change something of every kind below `root`."""
    release(root)
    for part in (_contents, _types, _hardlinks, _metadata, _names, _repositories, _flags):
        part(root)
    (root / "made since").write_text("new work")
    (root / "made since, too").mkdir()
    (root / "made since, too" / "inside").write_text("more of it")
    root.chmod(0o700)


def empty(root: Path) -> None:
    """Delete everything in `root`, but not itself."""
    release(root)
    subprocess.run(["find", root, "-mindepth", "1", "-delete"], check=True)


def raze(root: Path) -> None:
    """Delete `root` itself too, as `rm -rf` does."""
    release(root)
    subprocess.run(["rm", "-rf", root], check=True)


def edit_unnoticed(path: Path, at: int = 0, new: bytes = b"!") -> None:
    """Change bytes, keep the size, and put the mtime back."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.seek(at)
        assert file.read(len(new)) != new
        file.seek(at)
        file.write(new)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _contents(root: Path) -> None:
    edit_unnoticed(root / "plain/text.txt")
    edit_unnoticed(root / "large/five megabytes", at=3_000_000, new=b"unnoticed")
    edit_unnoticed(root / "large/sparse", at=40_000_000, new=b"in a hole")
    (root / "plain/empty").write_text("no longer")
    (root / "plain/binary").write_bytes(b"")
    with open(root / "large/exactly one", "ab") as file:
        file.write(b"+")
    os.truncate(root / "large/one and a byte", 1 << 20)
    (root / "large/zero-filled").write_bytes(b"\1" * 1000)
    (root / "large/preallocated").unlink()
    (root / "plain/empty directory").rmdir()


def _types(root: Path) -> None:
    _replace(root / "plain/directory of nothing", lambda path: path.write_text("a file"))
    _replace(root / "symlinks/to directory", _full_directory)
    _replace(root / "symlinks/dangling", lambda path: path.write_text("solid"))
    _replace(root / "symlinks/target directory", lambda path: path.symlink_to("/etc"))
    _replace(root / "special/fifo", lambda path: path.write_text("regular"))
    _replace(root / "special/socket", _full_directory)
    _replace(root / "special/null", lambda path: path.symlink_to("disk"))
    _replace(root / "plain/one byte", _full_directory)
    _replace(root / "project/build", lambda path: path.symlink_to("/etc"))


def _hardlinks(root: Path) -> None:
    place = root / "hardlinks"
    content = (place / "b").read_bytes()
    (place / "b").unlink()
    (place / "b").write_bytes(content)
    (place / "lonely").unlink()
    os.link(place / "a", place / "lonely")
    (place / "other" / "y").unlink()


def _metadata(root: Path) -> None:
    for path in (root / "modes").iterdir():
        if not path.is_symlink():
            path.chmod(0o700)
            os.chown(path, 0, 99)
    for path in [*(root / "xattrs").iterdir(), *(root / "acls").iterdir()]:
        for name in os.listxattr(path, follow_symlinks=False):
            with contextlib.suppress(OSError):  # XFS lists an ACL under two names
                os.removexattr(path, name, follow_symlinks=False)
    os.setxattr(root / "plain/text.txt", "user.extra", b"not there before")
    for path in (root / "times").iterdir():
        os.utime(path, follow_symlinks=False)


def _names(root: Path) -> None:
    place = os.fsencode(root / "names")
    for name in sorted(os.listdir(place))[::2]:
        whole = place + b"/" + name
        shutil.rmtree(whole) if os.path.isdir(whole) else os.unlink(whole)
    left = sorted(os.listdir(place))
    os.rename(place + b"/" + left[0], place + b"/renamed")


def _repositories(root: Path) -> None:
    project = root / "project"
    git(project, "commit", "-q", "-a", "-m", "a commit nobody asked for")
    git(project, "checkout", "-q", "-b", "other")
    shutil.rmtree(project / "vendor")
    shutil.rmtree(project / "unborn" / ".git")
    (project / ".env").unlink()


def _flags(root: Path) -> None:
    (root / "flags/immutable").write_text("thawed")
    (root / "flags/append-only").unlink()
    (root / "flags/frozen directory/inside").unlink()
    subprocess.run(["chattr", "-d", root / "flags/nodump"], check=True)
    subprocess.run(["chattr", "+i", root / "plain/text.txt"], check=True)


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
    make(path)


def _full_directory(path: Path) -> None:
    path.mkdir()
    (path / "inside").write_text("not wanted")
    (path / "below").mkdir()
    (path / "below" / "deeper").write_text("not wanted either")
