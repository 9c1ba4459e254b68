"""The oracle can be trusted: it finds no difference in a copy, and finds each kind when there is one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit import everything, oracle, walker


def test_everything_can_be_built_on_each_filesystem(filesystem: Path) -> None:
    refused = everything.build(filesystem / "tree")

    assert set(refused) <= {"symlink of 4000 bytes", "symlink of 3500 bytes"}


def test_a_copy_shows_no_difference(on_ext4: Path) -> None:
    everything.build(on_ext4 / "tree")
    oracle.reference_copy(on_ext4 / "tree", on_ext4 / "copy")
    _copy_flags(on_ext4 / "copy")

    assert oracle.rsync_differences(on_ext4 / "tree", on_ext4 / "copy") == []
    assert walker.differences(*map(walker.look, (on_ext4 / "tree", on_ext4 / "copy"))) == []
    expected, actual = map(oracle.portrait, (on_ext4 / "tree", on_ext4 / "copy"))
    assert oracle.portrait_differences(expected, actual) == []


def test_paths_deeper_than_path_max_are_compared_by_the_walker(on_ext4: Path) -> None:
    everything.build_deep(on_ext4)
    seen = walker.look(on_ext4)
    _edit_the_deepest(on_ext4)
    seen_again = walker.look(on_ext4)

    assert max(map(len, seen.facts)) > 5000
    assert len(walker.differences(seen, seen_again)) == 2  # one inode under two names


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte": lambda r: _keeping_time(r / "plain/binary", lambda p: _poke(p, 3)),
    "a mode": lambda r: (r / "plain/binary").chmod(0o640),
    "a setuid bit": lambda r: (r / "modes/4755").chmod(0o755),
    "an owner": lambda r: os.chown(r / "plain/binary", 5, 5),
    "a nanosecond": lambda r: _add_a_nanosecond(r / "plain/binary"),
    "a directory's time": lambda r: _add_a_nanosecond(r / "plain"),
    "an xattr's value": lambda r: os.setxattr(r / "xattrs/file", "user.empty", b"1"),
    "an xattr less": lambda r: os.removexattr(r / "xattrs/file", "user.empty"),
    "a trusted xattr": lambda r: os.removexattr(r / "xattrs/file", "trusted.note"),
    "a capability": lambda r: os.removexattr(r / "xattrs/capable", "security.capability"),
    "an ACL": lambda r: os.removexattr(r / "acls/directory", "system.posix_acl_default"),
    "a flag": lambda r: _chattr("-d", r / "flags/nodump"),
    "a hardlink broken": lambda r: _break_link(r / "hardlinks/b"),
    "a hardlink more": lambda r: _join(r / "hardlinks/a", r / "hardlinks/lonely"),
    "a symlink's target": lambda r: _retarget(r / "symlinks/dangling"),
    "an empty directory less": lambda r: (r / "plain/empty directory").rmdir(),
    "a name more": lambda r: (r / "names/new").touch(),
    "a device's number": lambda r: _other_device(r / "special/null"),
    "a socket that became a fifo": lambda r: _socket_to_fifo(r / "special/socket"),
    "holes filled": lambda r: _keeping_time(r / "large/sparse", _fill),
}


def test_the_oracle_notices_each_kind_of_change(on_ext4: Path) -> None:
    tree = on_ext4 / "tree"
    everything.build(tree)
    portrait, seen = oracle.portrait(tree), walker.look(tree)
    missed = []
    for name, change in CHANGES.items():
        change(tree)
        new_portrait, now_seen = oracle.portrait(tree), walker.look(tree)
        if not oracle.portrait_differences(portrait, new_portrait):
            missed.append(f"tools: {name}")
        if name != "holes filled" and not walker.differences(seen, now_seen):
            missed.append(f"walker: {name}")  # allocation is for the tools to see
        portrait, seen = new_portrait, now_seen

    assert missed == []


def _copy_flags(tree: Path) -> None:
    for flags, name in (("+d", "nodump"), ("+a", "append-only"), ("+i", "immutable")):
        _chattr(flags, tree / "flags" / name)
    _chattr("+i", tree / "flags/frozen directory")


def _chattr(flags: str, path: Path) -> None:
    subprocess.run(["chattr", flags, path], check=True)


def _edit_the_deepest(root: Path) -> None:
    fd = os.open(root, os.O_RDONLY)
    names = sorted(walker.look(root).facts, key=len)[-1].split(b"/")[:-1]
    for name in names:
        child = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = child
    file = os.open("file", os.O_WRONLY | os.O_APPEND, dir_fd=fd)
    os.write(file, b"more")
    os.close(file)
    os.close(fd)


def _poke(path: Path, at: int) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(b"!")


def _fill(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content)


def _keeping_time(path: Path, change: Callable[[Path], object]) -> None:
    times = path.stat()
    change(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _add_a_nanosecond(path: Path) -> None:
    times = path.stat()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + 1))


def _break_link(path: Path) -> None:
    times, content = path.stat(), path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _join(first: Path, second: Path) -> None:
    second.unlink()
    os.link(first, second)


def _retarget(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


def _other_device(path: Path) -> None:
    path.unlink()
    os.mknod(path, 0o020666, os.makedev(1, 5))


def _socket_to_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
