"""Kills a command, or fails it, at each of its writing system calls, with strace.

strace counts each system call by itself, so a moment is a call and its ordinal.
A signal that is injected at a call's entry kills before the call does anything; the moment after
the last one is the end of the command.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from tests.kit import fork_server
from tests.kit.running import run_in_fork
from tests.kit.tools import require_tracing

WRITING = (
    "write,pwrite64,writev,fdatasync,fsync,syncfs,ftruncate,fallocate,copy_file_range,"
    "openat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,"
    "symlink,symlinkat,mknod,mknodat,chmod,fchmod,fchmodat,lchown,fchown,fchownat,"
    "utimensat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr"
)
ALL = os.environ.get("CLEW_TEST_PROFILE") == "thorough"
_CLEW = [sys.executable, "-m", "clew"]
_LINE = re.compile(r"^(\d+) +(\w+)\((.*)")
_TALK = re.compile(r"(?:1|2)<|\d+<(?:pipe|socket|UNIX|anon_inode)")
"""What is written to a person or another process: no data, and only that process may be killed."""

T = TypeVar("T")


class Moment(NamedTuple):
    """The entry of the `number`th call of one kind."""

    call: str
    number: int
    arguments: str = ""

    def __str__(self) -> str:
        return f"{self.call} {self.number} ({self.arguments[:120]})"


def moments(command: Sequence[str], where: Path, environment: Mapping[str, str]) -> list[Moment]:
    """Run a command to its end, and return every moment at which it is about to write."""
    require_tracing()
    trace = where.parent / "trace"
    options = ["-y", "-o", str(trace), "-e", f"trace={WRITING}"]
    done = _traced(options, command, where, environment)
    assert done.returncode == 0, done.stderr
    return list(_parse(trace.read_text(errors="replace")))


def kill_at(
    moment: Moment, command: Sequence[str], where: Path, environment: Mapping[str, str]
) -> bool:
    """Run a command, kill it at that moment, and tell whether it ever got there."""
    return _inject(moment, "signal=KILL", command, where, environment).returncode != 0


def fail_at(
    moment: Moment, error: str, command: Sequence[str], where: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command, and let one system call fail with `error`."""
    return _inject(moment, f"error={error}", command, where, environment)


def interrupt_at(
    moment: Moment, command: Sequence[str], where: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command, and send it a Ctrl-C at that moment."""
    return _inject(moment, "signal=INT", command, where, environment)


def some(found: Sequence[T], number: int) -> list[T]:
    """Return at most `number` of them, evenly spread and with both ends; all when thorough."""
    if ALL or len(found) <= number:
        return list(found)
    return [found[at * (len(found) - 1) // (number - 1)] for at in range(number)]


def _parse(trace: str) -> Iterator[Moment]:
    counts: dict[tuple[str, str], int] = {}
    for line in trace.splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        process, call, arguments = match.groups()
        counts[process, call] = counts.get((process, call), 0) + 1
        if call == "openat" and "O_CREAT" not in arguments:
            continue
        if call in ("write", "writev") and _TALK.match(arguments):
            continue
        yield Moment(call, counts[process, call], arguments)


def _inject(
    moment: Moment, fault: str, command: Sequence[str], where: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    options = [
        "-o", "/dev/null", "-e", f"trace={moment.call}",
        "-e", f"inject={moment.call}:{fault}:when={moment.number}",
    ]  # fmt: skip
    return _traced(options, command, where, environment)


def _traced(
    options: Sequence[str], command: Sequence[str], where: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command below strace; one of clew's in a fork that has imported all it needs."""
    strace = ["strace", "-f", "-qq", *options]
    if list(command[:3]) == _CLEW and _may_attach() and fork_server.usable(environment):
        ran = run_in_fork(command[3:], environment, where, 120, strace)
        return subprocess.CompletedProcess(command, ran.code, ran.out, ran.err)
    return subprocess.run(
        [*strace, "--seccomp-bpf", *command],
        cwd=where, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def _may_attach() -> bool:
    """Tell whether a process that is not our child can be traced."""
    return os.geteuid() == 0
