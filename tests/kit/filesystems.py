"""Real filesystems in image files, mounted for the length of a test run.

They need root, a loop device and the mkfs tools; `missing_for` says what is not there, so that a
skip can carry its reason.  Everything is unmounted and detached again, also after a failure.
Mount points lie below a directory that an ordinary user may walk through, because some tests run
as one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.kit.removing import remove

MAKERS = {
    "ext4": ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
    "xfs": ["mkfs.xfs", "-q", "-f", "-m", "reflink=1"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}
MEGABYTES = {"ext4": 1024, "xfs": 1024, "btrfs": 1024, "tmpfs": 2048, "ramfs": 0}
IN_MEMORY = ("tmpfs", "ramfs")
SBIN = "/usr/sbin:/sbin:/usr/local/sbin"


class Filesystems:
    """Mounts each kind of filesystem when it is first asked for."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._base = stack.enter_context(base_directory())
        self._mounted: dict[str, Path] = {}

    def get(self, kind: str, megabytes: int | None = None) -> Path:
        """Return the mount point, or skip the test with the reason why there is none."""
        if reason := missing_for(kind):
            pytest.skip(reason)
        key = f"{kind}-{megabytes}" if megabytes else kind
        if key not in self._mounted:
            size = megabytes or MEGABYTES[kind]
            mount = mounted(kind, self._base, size, key)
            self._mounted[key] = self._stack.enter_context(mount)
        return self._mounted[key]

    @contextmanager
    def fresh(self, mount: Path | None = None) -> Iterator[Path]:
        """Give a directory in scratch, or on `mount`, for as long as some tests share it."""
        place = Path(tempfile.mkdtemp(dir=mount or self.scratch()))
        try:
            yield place
        finally:
            remove(place)

    def scratch(self) -> Path:
        """Return a place that is fast to sync where we may mount one, and some place elsewhere."""
        return self._base if missing_for("tmpfs") else self.get("tmpfs")


def missing_for(kind: str) -> str | None:
    """Return why a filesystem of this kind cannot be mounted here, or None."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if kind not in IN_MEMORY and not _which(MAKERS[kind][0]):
        return f"{MAKERS[kind][0]} is not installed"
    if kind not in IN_MEMORY and not os.path.exists("/dev/loop-control"):
        return "there are no loop devices"
    return None


@contextmanager
def base_directory() -> Iterator[Path]:
    """Give a directory outside pytest's own, whose parents everybody may enter."""
    base = Path(tempfile.mkdtemp(prefix="clew-tests-"))
    base.chmod(0o755)
    try:
        yield base
    finally:
        shutil.rmtree(base, ignore_errors=True)


@contextmanager
def mounted(kind: str, base: Path, megabytes: int, name: str = "") -> Iterator[Path]:
    """Make a filesystem, mount it, and take it away again."""
    name = name or kind
    where = base / f"mnt-{name}"
    where.mkdir()
    if kind in IN_MEMORY:
        size = [] if kind == "ramfs" else [f"size={megabytes}m"]  # a ramfs grows as it likes
        _run("mount", "-t", kind, "-o", ",".join([*size, "mode=0755"]), kind, where)
        try:
            yield where
        finally:
            unmount(where)
        return
    image = base / f"{name}.img"
    make_image(kind, image, megabytes)
    try:
        with mounted_image(image, where):
            yield where
    finally:
        image.unlink(missing_ok=True)


def make_image(kind: str, image: Path, megabytes: int) -> None:
    """Write an empty filesystem into a sparse file."""
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    _run(*MAKERS[kind], image)


@contextmanager
def mounted_image(image: Path, where: Path) -> Iterator[Path]:
    """Mount an image file that holds a filesystem."""
    where.mkdir(exist_ok=True)
    _run("mount", "-o", "loop", image, where)
    try:
        where.chmod(0o755)
        yield where
    finally:
        unmount(where)
        _detach(image)


@contextmanager
def bound(source: Path, where: Path, *, read_only: bool = False) -> Iterator[None]:
    """Bind-mount a directory or a file over another, or over itself."""
    _run("mount", "--bind", source, where)
    try:
        if read_only:
            _run("mount", "-o", "remount,bind,ro", where)
        yield
    finally:
        unmount(where)


def unmount(where: Path) -> None:
    """Unmount, waiting for stragglers, lazily if they never leave."""
    for _ in range(50):
        if subprocess.run(["umount", where], capture_output=True, env=_env()).returncode == 0:
            return
        if not os.path.ismount(where):
            return
        time.sleep(0.1)
    _run("umount", "-l", where)


def _detach(image: Path) -> None:
    found = subprocess.run(
        ["losetup", "-j", image, "-O", "NAME", "-n"], capture_output=True, text=True, env=_env()
    )
    for device in found.stdout.split():
        subprocess.run(["losetup", "-d", device], capture_output=True, env=_env())


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True, env=_env())


def _which(tool: str) -> str | None:
    return shutil.which(tool, path=_env()["PATH"])


def _env() -> dict[str, str]:
    return {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:{SBIN}"}
