"""A write that the kernel has begun and cannot end: half of its bytes come from memory that is not there.

The second half of the buffer is registered with `userfaultfd`: the kernel copies the first half
into the file, waits for the missing page, and goes on when it is given one.  The file's times
move when the write begins and not again.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NUMBERS = {"x86_64": 323, "aarch64": 282}
_API = 0xAA
_UFFDIO_API = 0xC018AA3F
_UFFDIO_REGISTER = 0xC020AA00
_UFFDIO_COPY = 0xC028AA03
_MISSING = 1
_PAGE = 4096


class Stalled:
    """A process whose write to a file is half done."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def go_on(self) -> None:
        """Let the write end, and the process close the file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"written\n"


def missing() -> str | None:
    """Return why no write can be stalled here, or None."""
    if platform.machine() not in _NUMBERS:
        return "the number of userfaultfd is not known on this machine"
    descriptor = _userfaultfd()
    if descriptor < 0:
        return "userfaultfd is not allowed"
    os.close(descriptor)
    return None


@contextmanager
def stalled_write(path: Path, first: bytes, second: bytes) -> Iterator[Stalled]:
    """Overwrite a file in place with `first` and `second`, and stop between them."""
    assert len(second) % _PAGE == 0
    assert len(first) % _PAGE == 0
    process = subprocess.Popen(
        [sys.executable, __file__, path, first[:1].hex(), second[:1].hex(), str(len(first)),
         str(len(second))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"writing\n"
        _wait_until_torn(path, first, second)
        yield Stalled(process)
    finally:
        process.kill()
        process.communicate()


def _wait_until_torn(path: Path, first: bytes, second: bytes) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        content = path.read_bytes()
        if content[: len(first)] == first and content[len(first) :] != second:
            return
        time.sleep(0.005)
    raise AssertionError("the write did not stall half-way")


def _userfaultfd() -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    number = _NUMBERS[platform.machine()]
    found: int = libc.syscall(number, os.O_CLOEXEC | os.O_NONBLOCK)
    return found


def _main(path: str, first: bytes, second: bytes) -> None:
    import mmap
    import threading

    faults = _userfaultfd()
    fcntl.ioctl(faults, _UFFDIO_API, struct.pack("<QQQ", _API, 0, 0))
    half = mmap.mmap(-1, len(second), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    at = ctypes.addressof(ctypes.c_char.from_buffer(half))
    fcntl.ioctl(faults, _UFFDIO_REGISTER, struct.pack("<QQQQ", at, len(second), _MISSING, 0))
    file = os.open(path, os.O_WRONLY)

    def write() -> None:
        os.pwritev(file, [first, half], 0)
        os.close(file)
        os.write(1, b"written\n")

    writer = threading.Thread(target=write)
    writer.start()
    os.write(1, b"writing\n")
    sys.stdin.readline()
    page = ctypes.create_string_buffer(second, len(second))
    given = struct.pack("<QQQQq", at, ctypes.addressof(page), len(second), 0, 0)
    fcntl.ioctl(faults, _UFFDIO_COPY, given)
    writer.join()


if __name__ == "__main__":
    _path, _first, _second, _one, _two = sys.argv[1:]
    _main(_path, bytes.fromhex(_first) * int(_one), bytes.fromhex(_second) * int(_two))
