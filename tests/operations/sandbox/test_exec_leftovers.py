"""Nothing is left of a command in `clew exec`, also if root runs it and it tries hard."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.tools import require, require_root
from tests.kit.trying import Place, place_for


@pytest.fixture
def place() -> Iterator[Place]:
    require_root("changing the system")
    with place_for("root") as found:
        found.write("file", "x")
        found.clew.save("here")
        yield found


@pytest.fixture
def disk(place: Place) -> Iterator[Path]:
    """A block device with zeros."""
    require("losetup")
    image = place.root / "image"
    image.write_bytes(bytes(1 << 20))
    found = subprocess.run(
        ["losetup", "--find", "--show", image], capture_output=True, text=True, check=True
    )
    device = Path(found.stdout.strip())
    yield device
    subprocess.run(["losetup", "--detach", device], check=True)


def attempt(place: Place, text: str) -> str:
    """Run a command that tries to leave something; return its output."""
    ran = place.clew.run("--json", "exec", "@", "--", text)
    assert ran.code in range(126) or ran.code == 127, ran.err
    return ran.out


def test_a_block_device_keeps_its_content(place: Place, disk: Path) -> None:
    number = os.stat(disk).st_rdev
    made = f"mknod dev b {os.major(number)} {os.minor(number)}"
    for text in (f"echo x > {disk}", f"{made}; echo x > dev", f"cd /tmp; {made}; echo x > dev"):
        attempt(place, f"{text}; sync")

    subprocess.run(["blockdev", "--flushbufs", disk], check=True)
    assert not any(disk.read_bytes())


@pytest.mark.parametrize(
    "name", ["vm/swappiness", "kernel/hostname", "net/ipv4/ip_forward", "kernel/core_pattern"]
)
def test_kernel_settings_stay(place: Place, name: str) -> None:
    path = Path("/proc/sys", name)
    before = path.read_text()
    attempt(place, f"echo 1 > {path}; sysctl -w {name.replace('/', '.')}=1; hostname other")

    assert path.read_text() == before


def test_the_clock_stays(place: Place) -> None:
    before = time.time(), time.monotonic()
    attempt(place, "date -s '2001-01-01'; hwclock -w")

    assert abs((time.time() - before[0]) - (time.monotonic() - before[1])) < 60


def test_nothing_stays_mounted_and_no_mount_can_be_written(place: Place) -> None:
    beside = place.root / "beside"
    beside.mkdir()
    text = f"mount -o remount,rw /; mount -t tmpfs none {beside}; echo > {beside}/file; umount -l /"
    table = Path("/proc/self/mounts").read_text()
    attempt(place, text)

    assert list(beside.iterdir()) == []
    assert str(beside) not in Path("/proc/self/mounts").read_text()
    assert str(beside) not in table


def test_shared_memory_and_queues_stay(place: Place) -> None:
    def seen() -> tuple[list[str], str]:
        queues = subprocess.run(["ipcs", "-qms"], capture_output=True, text=True).stdout
        return sorted(name for name in os.listdir("/dev/shm") if place.mark in name), queues

    before = seen()
    attempt(place, f"ipcmk -Q; ipcmk -M 4096; echo > /dev/shm/{place.mark}")

    assert seen() == before


def test_no_process_outside_is_seen_or_killed(place: Place) -> None:
    with subprocess.Popen(["sleep", "600"]) as sleeping:
        attempt(place, f"kill -9 {sleeping.pid}; kill -9 -1")
        try:
            assert sleeping.poll() is None
        finally:
            sleeping.kill()


def test_no_terminal_of_another_user_is_written(place: Place) -> None:
    controller, terminal = os.openpty()
    name = os.ttyname(terminal)
    attempt(place, f"echo written > {name}; echo written > /dev/tty")
    os.set_blocking(controller, False)
    with pytest.raises(BlockingIOError):
        os.read(controller, 100)
    os.close(controller)
    os.close(terminal)


def test_a_control_group_stays_as_it_is(place: Place) -> None:
    name = f"/sys/fs/cgroup/{place.mark}"
    attempt(place, f"mkdir {name} /sys/fs/cgroup/*/{place.mark}; echo 1 > /sys/kernel/mm/ksm/run")

    assert not list(Path("/sys/fs/cgroup").glob(f"**/{place.mark}"))


def test_what_a_command_needs_of_dev_is_there(place: Place) -> None:
    ran = place.clew.run(
        "exec", "@", "--",
        "set -e; head -c 8 /dev/urandom | wc -c; cat /dev/null; echo a > /dev/null; head -c 2 /dev/zero | wc -c;"
        " echo b > /dev/stderr; echo c | cat /dev/fd/0; ls /dev/pts/ptmx; test -d /dev/shm",
    )  # fmt: skip

    assert ran.code == 0, ran.err
