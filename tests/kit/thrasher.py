"""A hostile neighbour: edits, links and swaps directories for symlinks while clew works.

Run as a program with the project's path and an outside directory.  It swaps directories of the
project for symlinks to the outside, links outside files into the project, renames, deletes and
makes files, as fast as it can, until it is killed.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys

FILES = ("one/a", "one/deep/c", "two/b", "top")


def main(project: str, outside: str) -> None:
    luck = random.Random(1)
    os.chdir(project)
    acts = [_swap, _swap, _swap, _link_outside, _edit, _edit, _delete, _make, _rename]
    while True:
        with contextlib.suppress(OSError):
            luck.choice(acts)(outside, luck)


def _swap(outside: str, luck: random.Random) -> None:
    """Put a symlink to the outside where a directory is, and the directory back soon after."""
    name = luck.choice(["one", "two", "one/deep"])
    aside = f".aside-{name.replace('/', '-')}"
    with contextlib.suppress(OSError):
        os.rename(name, aside)
        os.symlink(outside, name)
    for _ in range(luck.randrange(50)):
        os.stat(".")
    with contextlib.suppress(OSError):
        if os.path.islink(name):
            os.unlink(name)
    os.rename(aside, name)


def _link_outside(outside: str, luck: random.Random) -> None:
    name = f"linked-{luck.randrange(3)}"
    with contextlib.suppress(OSError):
        os.unlink(name)
    os.link(f"{outside}/victim", name)


def _edit(_: str, luck: random.Random) -> None:
    parent, last = _open_beneath(luck.choice(FILES))
    fd = os.open(last, os.O_WRONLY | os.O_NOFOLLOW, dir_fd=parent)
    os.close(parent)
    if os.fstat(fd).st_nlink == 1:
        os.pwrite(fd, b"thrashed %d" % luck.randrange(1000), 0)
    os.close(fd)


def _delete(_: str, luck: random.Random) -> None:
    parent, last = _open_beneath(luck.choice(FILES))
    os.unlink(last, dir_fd=parent)
    os.close(parent)


def _open_beneath(path: str) -> tuple[int, str]:
    """Open the parent of a path without walking through a symlink: only clew is on trial."""
    fd = os.open(".", os.O_RDONLY)
    *parents, last = path.split("/")
    for parent in parents:
        try:
            child = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
        finally:
            os.close(fd)
        fd = child
    return fd, last


def _make(_: str, luck: random.Random) -> None:
    name = f"made-{luck.randrange(5)}"
    with open(name, "w") as file:
        file.write("new")


def _rename(_: str, luck: random.Random) -> None:
    os.rename(f"made-{luck.randrange(5)}", f"made-{luck.randrange(5)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
