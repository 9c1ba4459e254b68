"""A kernel that refuses some system calls: an older one, a full disk, a filesystem without them.

A seccomp filter makes the calls fail with an error.  It stays until the process ends, so the body
runs in a forked one.  `@pytest.mark.refuses(call, error)` runs a whole test so; its fixtures are
made, and removed, without the filter.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import pytest

_NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {
    "read": {"x86_64": (0,), "aarch64": (63,)},
    "lseek": {"x86_64": (8,), "aarch64": (62,)},
    "pread64": {"x86_64": (17,), "aarch64": (67,)},
    "clone": {"x86_64": (56, 435), "aarch64": (220, 435)},
    "vfork": {"x86_64": (58,), "aarch64": ()},
    "fcntl": {"x86_64": (72,), "aarch64": (25,)},
    "fdatasync": {"x86_64": (75,), "aarch64": (83,)},
    "rename": {"x86_64": (82, 264, 316), "aarch64": (38, 276)},
    "renameat2": {"x86_64": (316,), "aarch64": (276,)},
    "mount": {"x86_64": (165,), "aarch64": (40,)},
    "pidfd_open": {"x86_64": (434,), "aarch64": (434,)},
    "openat2": {"x86_64": (437,), "aarch64": (437,)},
    "mount_setattr": {"x86_64": (442,), "aarch64": (442,)},
}
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

T = TypeVar("T")


class Refusal(NamedTuple):
    """A system call that fails; with `argument`, only if that argument has this value."""

    call: str
    error: int
    argument: int | None = None
    value: int = 0


def while_refused(body: Callable[[], T], *refusals: Refusal) -> T:
    """Run `body` in a forked process in which some system calls fail; return what it does."""
    from tests.operations.forks.forked import forked

    machine = platform.machine()
    if machine not in ("x86_64", "aarch64"):
        pytest.skip(f"the numbers of system calls are not known on {machine}")

    def refused() -> T:
        _install(refusals, machine)
        return body()

    return forked(refused)


def _install(refusals: tuple[Refusal, ...], machine: str) -> None:
    code = b"".join(
        _rule(number, refusal) for refusal in refusals for number in _NUMBERS[refusal.call][machine]
    )
    code += _instruction(_RETURN, 0, 0, _ALLOW)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SET_SECCOMP, _FILTER, program, 0, 0)):
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "no seccomp filter can be installed")


def _rule(number: int, refusal: Refusal) -> bytes:
    refuse = _instruction(_RETURN, 0, 0, _ERROR | refusal.error)
    if refusal.argument is not None:
        offset = 16 + 8 * refusal.argument
        refuse = (
            _instruction(_LOAD, 0, 0, offset)
            + _instruction(_IF_EQUAL, 0, 1, refusal.value)
            + refuse
        )
    skipped = len(refuse) // 8
    return _instruction(_LOAD, 0, 0, 0) + _instruction(_IF_EQUAL, 0, skipped, number) + refuse


def _instruction(code: int, when_true: int, when_false: int, value: int) -> bytes:
    return struct.pack("HBBI", code, when_true, when_false, value)
