"""Builds a tree with every kind of file that a Linux machine has.

Some things only root may make, and some a filesystem refuses (a symlink of 4,000 bytes on XFS);
`build` returns what was refused, so that a test can insist on what must have been there.
"""

from __future__ import annotations

import os
import random
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.tools import require

MIB = 1 << 20
DEEP = "deep"
"""Top-level name below which paths are longer than PATH_MAX."""

GIT_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
}


def build(root: Path) -> list[str]:
    """Fill `root`, and return what this filesystem or this user could not have."""
    require("git", "setcap", "setfacl", "chattr")
    refused: list[str] = []
    root.mkdir(parents=True, exist_ok=True)
    parts: list[Callable[[Path, list[str]], None]] = [
        _plain_files, _large_files, _symlinks, _specials, _hardlinks, _modes_and_owners,
        _times, _names, _xattrs, _acls, _repositories, _flags,
    ]  # fmt: skip
    for part in parts:
        part(root, refused)
    root.chmod(0o2751)
    return refused


def build_deep(root: Path, levels: int = 30, name_bytes: int = 200) -> None:
    """Make a path far longer than PATH_MAX below `root`, with files on the way and at its end."""
    fd = os.open(root, os.O_RDONLY)
    for level in range(levels):
        name = DEEP if not level else f"{level:04}".ljust(name_bytes, "d")
        os.mkdir(name, 0o750, dir_fd=fd)
        child = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = child
        _write_at(fd, "file", f"at level {level}\n".encode())
    os.symlink("file", "link", dir_fd=fd)
    os.link("file", "twin", src_dir_fd=fd, dst_dir_fd=fd)
    os.mkdir("empty", 0o700, dir_fd=fd)
    os.setxattr(f"/proc/self/fd/{fd}/file", "user.deep", b"down here")
    os.close(fd)


def release(root: Path) -> None:
    """Take immutable and append-only flags away, so that the tree can be deleted."""
    subprocess.run(["chattr", "-R", "-f", "-i", "-a", str(root)], capture_output=True)


def git(where: Path, *arguments: str) -> str:
    """Run git, deaf to this machine's settings."""
    done = subprocess.run(
        ["git", *arguments], cwd=where, env=GIT_ENVIRONMENT, check=True, capture_output=True
    )
    return done.stdout.decode()


def repository(where: Path, files: dict[str, str], message: str | None = "first") -> None:
    """Make a repository, with a commit of `files` unless there is no message."""
    require("git")
    where.mkdir(parents=True, exist_ok=True)
    git(where, "init", "-q", "-b", "main")
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    if message is not None:
        git(where, "add", "-A")
        git(where, "commit", "-q", "-m", message)


def _plain_files(root: Path, _: list[str]) -> None:
    place = _place(root, "plain")
    (place / "empty").touch()
    (place / "one byte").write_bytes(b"x")
    (place / "text.txt").write_text("first\nsecond\r\nno newline at the end")
    (place / "binary").write_bytes(bytes(range(256)) * 17)
    (place / "zeros 64k").write_bytes(bytes(65536))
    (place / "empty directory").mkdir()
    (place / "directory of nothing" / "but" / "directories").mkdir(parents=True)


def _large_files(root: Path, _: list[str]) -> None:
    place = _place(root, "large")
    noise = random.Random(7)
    (place / "five megabytes").write_bytes(noise.randbytes(5 * MIB))
    (place / "exactly one").write_bytes(noise.randbytes(MIB))
    (place / "one and a byte").write_bytes(noise.randbytes(MIB + 1))
    (place / "zero-filled").write_bytes(bytes(3 * MIB + 77))
    with open(place / "sparse", "wb") as file:
        for at in (0, 20 * MIB + 5, 63 * MIB):
            file.seek(at)
            file.write(noise.randbytes(70_000))
        file.truncate(64 * MIB + 1)
    with open(place / "only a hole", "wb") as file:
        file.truncate(8 * MIB)
    with open(place / "preallocated", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 4 * MIB)
        file.write(b"ten bytes.")


def _symlinks(root: Path, refused: list[str]) -> None:
    place = _place(root, "symlinks")
    (place / "target directory").mkdir()
    (place / "dangling").symlink_to("nowhere/at all")
    (place / "absolute").symlink_to("/etc/hostname")
    (place / "to directory").symlink_to("target directory")
    (place / "upward").symlink_to("../../..")
    (place / "loop").symlink_to("loop")
    os.symlink(b"\xff\xfe not text", os.fsencode(place) + b"/to bytes")
    for length in (4000, 3500, 1000):
        try:
            os.symlink("t" * length, place / "long")
        except OSError:
            refused.append(f"symlink of {length} bytes")
        else:
            return


def _specials(root: Path, refused: list[str]) -> None:
    place = _place(root, "special")
    os.mkfifo(place / "fifo", 0o640)
    fd = os.open(place, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"/proc/self/fd/{fd}/socket")
    os.close(fd)
    try:
        os.mknod(place / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(place / "disk", stat.S_IFBLK | 0o660, os.makedev(7, 4000))
    except PermissionError:
        refused.append("devices")


def _hardlinks(root: Path, _: list[str]) -> None:
    place = _place(root, "hardlinks")
    (place / "other").mkdir()
    (place / "a").write_text("one inode, three names\n")
    os.link(place / "a", place / "b")
    os.link(place / "a", place / "other" / "c")
    (place / "lonely").write_text("one inode, three names\n")
    (place / "z").write_text("another pair\n")
    os.link(place / "z", place / "other" / "y")
    os.symlink("a", place / "symlink")
    os.link(place / "symlink", place / "other" / "same symlink", follow_symlinks=False)


def _modes_and_owners(root: Path, refused: list[str]) -> None:
    place = _place(root, "modes")
    for mode in (0o000, 0o400, 0o600, 0o644, 0o755, 0o777, 0o4755, 0o2755, 0o6711, 0o1644):
        path = place / f"{mode:04o}"
        path.write_text(f"mode {mode:o}\n")
        path.chmod(mode)
    for mode in (0o1777, 0o2770, 0o500, 0o000):
        path = place / f"directory {mode:04o}"
        path.mkdir()
        (path / "inside").write_text("x")
        path.chmod(mode)
    try:
        for name, owner in (("somebody", (4321, 1234)), ("nobody", (65534, 65534))):
            (place / name).write_text(name)
            os.chown(place / name, *owner)
        os.chown(place / "4755", 12, 12)
        (place / "4755").chmod(0o4755)  # a change of owner takes the setuid bit away
        os.symlink("x", place / "link of somebody")
        os.chown(place / "link of somebody", 77, 88, follow_symlinks=False)
    except PermissionError:
        refused.append("owners")


def _times(root: Path, refused: list[str]) -> None:
    place = _place(root, "times")
    moments = {
        "before 1970": -1_234_567_890_123_456_789,
        "just before 1970": -1,
        "nanoseconds": 1_700_000_000_987_654_321,
        "far future": 10_413_792_000_000_000_001,
    }
    for name, moment in moments.items():
        path = place / name
        path.write_text(name)
        (place / f"directory {name}").mkdir()
        os.utime(place / f"directory {name}", ns=(moment, moment))
        os.utime(path, ns=(moment, moment))
        if path.stat().st_mtime_ns != moment:
            refused.append(f"mtime {name}")
    os.symlink("old", place / "symlink")
    os.utime(place / "symlink", ns=(1, 1_000_000_001), follow_symlinks=False)


def _names(root: Path, refused: list[str]) -> None:
    place = os.fsencode(_place(root, "names"))
    names = [
        b"\xff\xfe not utf-8", b"\xc3\x28", b"line\nbreak", b"two\n\nbreaks\n", b"tab\tname",
        b"return\rname", b"\x1b[31mred\x07", b"\x01\x02\x7f", b"n" * 255, b"-rf", b" ", b" edges ",
        b"*", b"?", b"[a]", b"back\\slash", b"quote'\"`$(x)", b"...", b"~", b"#", b"a|b", b"@~1",
        "na\u00efve.txt".encode(), "nai\u0308ve.txt".encode(), "\u202eevil".encode(),
        b"Readme", b"README", b"readme", b"latest", b".hidden", b".clew", b".clewignore",
    ]  # fmt: skip
    for name in names:
        try:
            with open(place + b"/" + name, "wb") as file:
                file.write(b"named " + name)
        except OSError:
            refused.append(f"name {name!r}")
    os.mkdir(place + b"/directory\n\xff")
    with open(place + b"/directory\n\xff/inside\n", "wb") as file:
        file.write(b"x")


def _xattrs(root: Path, refused: list[str]) -> None:
    place = _place(root, "xattrs")
    for kind in ("file", "directory"):
        path = place / kind
        path.mkdir() if kind == "directory" else path.write_text("with attributes")
        os.setxattr(path, "user.plain", b"text")
        os.setxattr(path, "user.binary", bytes(range(256)))
        os.setxattr(path, "user.empty", b"")
        os.setxattr(path, "user.na\u00efve name", b"1")
    (place / "big value").write_text("x")
    os.setxattr(place / "big value", "user.big", random.Random(1).randbytes(2000))
    (place / "read-only").write_text("x")
    os.setxattr(place / "read-only", "user.a", b"1")
    (place / "read-only").chmod(0o400)
    try:
        os.setxattr(place / "file", "trusted.note", b"\x00\xff")
        os.symlink("file", place / "link")
        os.setxattr(place / "link", "trusted.onlink", b"1", follow_symlinks=False)
        (place / "capable").write_bytes(b"#!/bin/true\n")
        (place / "capable").chmod(0o755)
        _tool("setcap", "cap_net_bind_service,cap_net_raw+ep", place / "capable")
    except (OSError, subprocess.CalledProcessError):
        refused.append("trusted xattrs and capabilities")


def _acls(root: Path, refused: list[str]) -> None:
    place = _place(root, "acls")
    (place / "file").write_text("x")
    (place / "directory").mkdir()
    try:
        _tool("setfacl", "-m", "u:1234:rw,g:4321:r,m::rwx", place / "file")
        _tool("setfacl", "-m", "u:1234:rwx,d:u:1234:rx,d:g::r,d:o::-", place / "directory")
    except subprocess.CalledProcessError:
        refused.append("ACLs")
    (place / "directory" / "inherits").write_text("x")
    (place / "directory" / "inherits too").mkdir()


def _repositories(root: Path, _: list[str]) -> None:
    place = root / "project"
    repository(
        place,
        {"main.py": "print('hi')\n", ".gitignore": "*.log\nbuild/\n.env\nvendor/\n"},
    )
    (place / ".env").write_text("TOKEN=not-a-real-one\n")
    (place / "run.log").write_text("ignored by git\n")
    (place / "build").mkdir()
    (place / "build" / "output.o").write_bytes(b"\x7fELF")
    (place / "node_modules" / ".bin").mkdir(parents=True)
    (place / "node_modules" / ".bin" / "tool").symlink_to("../tool/cli.js")
    repository(place / "vendor" / "nested", {"lib.c": "int x;\n"})
    repository(place / "unborn", {"new.txt": "no commit yet\n"}, message=None)
    (place / "main.py").write_text("print('edited')\n")


def _flags(root: Path, refused: list[str]) -> None:
    place = _place(root, "flags")
    for letter, name in (("i", "immutable"), ("a", "append-only"), ("d", "nodump")):
        (place / name).write_text(f"flag {letter}\n")
    (place / "frozen directory").mkdir()
    (place / "frozen directory" / "inside").write_text("x")
    try:
        _tool("chattr", "+d", place / "nodump")
        _tool("chattr", "+a", place / "append-only")
        _tool("chattr", "+i", place / "immutable")
        _tool("chattr", "+i", place / "frozen directory")
    except subprocess.CalledProcessError:
        refused.append("inode flags")


def _place(root: Path, name: str) -> Path:
    path = root / name
    path.mkdir()
    return path


def _tool(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def _write_at(directory: int, name: str, content: bytes) -> None:
    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=directory)
    os.write(fd, content)
    os.close(fd)
