"""A reboot: data may be on the disk without the times that go with it, or the other way round.

After a power cut, a file can have the inode, times and size that the last scan saw, and other bytes:
its data was not written out, or was written out before its inode.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew import opening
from tests.kit import filesystems
from tests.kit.fake_host import quiet_host

OLD, NEW = b"bytes of the old kind" * 40, b"bytes of the new kind" * 40


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """A loop device with an ext4 filesystem; it has the same number whenever it is mounted."""
    if reason := filesystems.missing_for("ext4"):
        pytest.skip(reason)
    image = tmp_path / "disk.img"
    filesystems.make_image("ext4", image, 32)
    made = subprocess.run(
        ["losetup", "--find", "--show", image], capture_output=True, text=True, check=True
    )
    yield made.stdout.strip()
    subprocess.run(["losetup", "--detach", made.stdout.strip()], check=True)


@contextmanager
def mounted(device: str, where: Path) -> Iterator[Path]:
    where.mkdir(exist_ok=True)
    subprocess.run(["mount", device, where], check=True)
    try:
        yield where / "project"
    finally:
        filesystems.unmount(where)


def lose(device: str) -> None:
    """Put other bytes on the disk under the same inode."""
    content = Path(device).read_bytes()
    assert content.count(NEW) == 1
    with open(device, "r+b") as file:
        file.seek(content.index(NEW))
        file.write(OLD)


@pytest.mark.parametrize("has_rebooted", [False, True])
def test_files_are_read_again_after_a_reboot(
    device: str, tmp_path: Path, has_rebooted: bool
) -> None:
    host = quiet_host()
    host.boot = "one"
    with mounted(device, tmp_path / "disk") as project:
        project.mkdir()
        (project / "file").write_bytes(OLD)
        with opening.open(project, store=tmp_path / "store", create=True, host=host) as ws:
            ws.save("old")
            (project / "file").write_bytes(NEW)
            saved = ws.save("new").checkpoint.id.hex()
            ws.save("the key is trusted")
    lose(device)
    host.boot = "two" if has_rebooted else "one"

    with mounted(device, tmp_path / "disk") as project:
        assert (project / "file").read_bytes() == OLD
        with opening.open(project, store=tmp_path / "store", host=host) as ws:
            # Without a reboot nothing can have been lost, and nothing is read.
            assert bool(ws.status().changes) == has_rebooted
            ws.restore(saved)
        assert ((project / "file").read_bytes() == NEW) == has_rebooted
