"""A Docker engine of our own: its own socket, its own images, gone without a trace.

It is started from whatever `dockerd` is installed (Debian: docker.io), with no network; its one image
is a handful of programs of this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = ("sh", "sleep", "cat", "mkdir", "find", "rm", "ls", "chmod")
IMAGE = "clew-test:tiny"
_PATIENCE = 60.0


@contextmanager
def engine() -> Iterator[str]:
    """Yield the address of an engine that has `IMAGE`; skip, with the reason, if none can run."""
    _require_programs()
    place = Path(tempfile.mkdtemp(prefix="clew-docker-"))  # short: a socket's path has a limit
    address = f"unix://{place}/socket"
    process = _started(place, address)
    try:
        _await(process, place, address)
        _import_image(place, address)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _unmount(place)
        shutil.rmtree(place, ignore_errors=True)


def docker(address: str, *words: str) -> str:
    command = ["docker", "--host", address, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _require_programs() -> None:
    if os.geteuid() != 0:
        pytest.skip("a Docker engine needs root")
    for name in ("dockerd", "docker", "containerd", "runc", *PROGRAMS):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")


def _started(place: Path, address: str) -> subprocess.Popen[bytes]:
    command = ["dockerd", "--data-root", str(place / "data"), "--exec-root", str(place / "exec")]
    command += ["--pidfile", str(place / "pid"), "--host", address, "--bridge=none"]
    command += ["--iptables=false", "--ip6tables=false"]
    with (place / "log").open("wb") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _await(process: subprocess.Popen[bytes], place: Path, address: str) -> None:
    """Wait until the engine answers; if it exits, skip with the last line of its log."""
    deadline = time.monotonic() + _PATIENCE
    asking = ["docker", "--host", address, "version"]
    while subprocess.run(asking, capture_output=True, check=False).returncode:
        if process.poll() is not None or time.monotonic() > deadline:
            last = (place / "log").read_text(errors="replace").strip().splitlines()[-1:]
            pytest.skip(f"no Docker engine can run here: {' '.join(last)}")
        time.sleep(0.1)


def _import_image(place: Path, address: str) -> None:
    rootfs = place / "rootfs.tar"
    with tarfile.open(rootfs, "w", dereference=True) as archive:
        for path in _files():
            archive.add(path, arcname=path.lstrip("/"), recursive=False)
    docker(address, "import", str(rootfs), IMAGE)


def _files() -> list[str]:
    """Return the programs and every library that they load."""
    found: dict[str, None] = {}
    for name in PROGRAMS:
        program = shutil.which(name, path="/bin:/usr/bin") or ""
        found[program] = None
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        found.update(dict.fromkeys(re.findall(r"(/\S+) \(0x", listed.stdout)))
    return list(found)


def _unmount(place: Path) -> None:
    """Unmount what a killed engine left mounted, innermost first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
        points = [line.split()[1] for line in file]
    for point in sorted((one for one in points if one.startswith(f"{place}/")), reverse=True):
        subprocess.run(["umount", "--lazy", point], check=False, capture_output=True)
