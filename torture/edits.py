"""Trees to work on: a small project with every kind of entry, and random edits of it."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import stat
from pathlib import Path

LARGE = "data/large.bin"
LINKED = "linked"
"""A file with a second hard link outside the workspace; edits replace it, never write through it."""
FORKED = "forked"
"""A directory that edits leave alone, so that a fork can change it without a conflict."""
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def populate(root: Path, rng: random.Random) -> None:
    """Write a project of about 40 entries."""
    for name in ("src", "src/deep/er", "data", "docs", FORKED, "empty"):
        (root / name).mkdir(parents=True)
    for number in range(12):
        (root / "src" / f"module{number}.py").write_text(_text(rng, 20))
    (root / "src/deep/er/leaf").write_bytes(b"")
    (root / LARGE).write_bytes(rng.randbytes(1_300_000))  # cut into chunks
    with open(root / "data/sparse", "wb") as file:
        file.seek(500_000)
        file.write(rng.randbytes(1000))
    (root / "docs/guide.md").write_text(_text(rng, 200))
    (root / "docs/guide.md").chmod(0o640)
    os.link(root / "src/module0.py", root / "docs/hard")
    (root / "docs/soft").symlink_to("../src/module1.py")
    (root / "docs/dangling").symlink_to("/nonexistent/elsewhere")
    os.mkfifo(root / "data/fifo", 0o600)
    with contextlib.suppress(OSError):
        os.setxattr(root / "docs/guide.md", "user.origin", b"\0torture\xff")
    (root / os.fsdecode(b"not \xff text\n")).write_text("a name that is not UTF-8")
    for name in ("one", "two", "three"):
        (root / FORKED / name).write_text(_text(rng, 5))
    (root / LINKED).write_text(_text(rng, 3))
    for path in sorted(root.rglob("*")):  # distinct times, so that a wrong one is seen
        os.utime(path, ns=(0, _time(rng)), follow_symlinks=False)


def edit(root: Path, rng: random.Random, steps: int | None = None) -> None:
    """Change a few things, each in one of the ways that a save and a restore treat differently."""
    for _ in range(steps or rng.randint(1, 6)):
        rng.choice(_EDITS)(root, rng)


def change_fork(root: Path, rng: random.Random) -> None:
    """Edit what only a fork edits."""
    (root / FORKED / "one").write_text(_text(rng, 6))
    (root / FORKED / "four").write_text(_text(rng, 2))
    (root / FORKED / "two").unlink()


def _write(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        path.write_text(_text(rng, rng.randint(0, 40)))


def _append(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        with open(path, "a") as file:
            file.write(_text(rng, 2))


def _same_size(root: Path, rng: random.Random) -> None:
    """Change a byte; the size and the modification time stay."""
    path = _some_file(root, rng)
    if path and (size := path.stat().st_size):
        before = path.stat()
        with open(path, "r+b") as file:
            file.seek(rng.randrange(size))
            file.write(bytes([rng.randrange(256)]))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _create(root: Path, rng: random.Random) -> None:
    parent = rng.choice(_directories(root))
    path = parent / f"new-{rng.choice(_WORDS)}-{rng.randrange(100)}"
    if not os.path.lexists(path):
        path.write_bytes(rng.randbytes(rng.choice((0, 10, 3000, 70_000))))


def _make_directory(root: Path, rng: random.Random) -> None:
    path = rng.choice(_directories(root)) / f"dir-{rng.choice(_WORDS)}"
    if not os.path.lexists(path):
        path.mkdir(mode=rng.choice((0o755, 0o700)))
        (path / "inside").write_text(_text(rng, 2))


def _delete(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        path.unlink()


def _delete_directory(root: Path, rng: random.Random) -> None:
    found = _directories(root)[1:]
    if found and rng.random() < 0.5:
        shutil.rmtree(rng.choice(found))


def _rename(root: Path, rng: random.Random) -> None:
    path = _some_file(root, rng)
    target = rng.choice(_directories(root)) / f"moved-{rng.choice(_WORDS)}"
    if path and not os.path.lexists(target):
        path.rename(target)


def _change_mode(root: Path, rng: random.Random) -> None:
    path = rng.choice([_some_file(root, rng) or root, *_directories(root)[1:2]])
    path.chmod(rng.choice((0o755, 0o700, 0o775) if path.is_dir() else (0o644, 0o600, 0o4755)))


def _replace_with_directory(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        path.unlink()
        path.mkdir()
        (path / "below").write_text(_text(rng, 1))


def _replace_with_link(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        path.unlink()
        path.symlink_to(rng.choice(("/etc/passwd", "nowhere", "../outside", ".")))


def _link(root: Path, rng: random.Random) -> None:
    path = _some_file(root, rng)
    target = rng.choice(_directories(root)) / f"hard-{rng.choice(_WORDS)}"
    if path and not os.path.lexists(target):
        os.link(path, target)


def _set_xattr(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        with contextlib.suppress(OSError):
            os.setxattr(path, "user.torture", rng.randbytes(rng.randint(0, 200)))


def _set_time(root: Path, rng: random.Random) -> None:
    if path := _some_file(root, rng):
        os.utime(path, ns=(0, _time(rng)))


def _edit_large(root: Path, rng: random.Random) -> None:
    path = root / LARGE
    if path.is_file() and not path.is_symlink() and path.stat().st_size:
        with open(path, "r+b") as file:
            file.seek(rng.randrange(path.stat().st_size))
            file.write(rng.randbytes(rng.choice((1, 5000, 200_000))))


_EDITS = (
    _write, _append, _same_size, _create, _make_directory, _delete, _delete_directory, _rename,
    _change_mode, _replace_with_directory, _replace_with_link, _link, _set_xattr, _set_time,
    _edit_large, _write, _create,
)  # fmt: skip


def _some_file(root: Path, rng: random.Random) -> Path | None:
    found = [
        path
        for directory in _directories(root)
        for path in sorted(directory.iterdir())
        if stat.S_ISREG(path.lstat().st_mode) and path.name != LINKED
    ]
    return rng.choice(found) if found else None


def _directories(root: Path) -> list[Path]:
    found = [root]
    for directory in found:
        for path in sorted(directory.iterdir()):
            if path.is_dir() and not path.is_symlink() and path != root / FORKED:
                found.append(path)
    return found


def _text(rng: random.Random, lines: int) -> str:
    return "".join(f"{' '.join(rng.choices(_WORDS, k=5))} {rng.random()}\n" for _ in range(lines))


def _time(rng: random.Random) -> int:
    return rng.randrange(10**18, 17 * 10**17)
