"""Process observation: what runs in the workspace and what listens, in one pass over ``/proc``.

The CPU budget is 20 ms: processes not inspected by then are left out, and the result is marked
incomplete.  The saving process, its ancestors, the processes started together with it, and those that
a save started in the background are not observed: they run only because of a save.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten
from clew.model.signals import Listening, Running, Signals
from clew.policy.redaction.redact import redact
from clew.worktree.boot import boot_id

_BUDGET = 0.020
_PIECE = 16 << 10
"""Most files of /proc are short, and a large buffer costs more than the read."""
_WALL_FACTOR = 5
"""Wall time limit on a busy machine, as a multiple of the budget."""
_COMMAND_LIMIT = 200
_SAME_COMMAND_SECONDS = 0.5
"""Two processes of one group that started within this many seconds are one command line."""
_EPHEMERAL = 32768
_SHELLS = frozenset(("sh", "bash", "zsh", "fish", "dash", "ksh"))
_TABLES = (("tcp", "tcp", "0A"), ("tcp6", "tcp", "0A"), ("udp", "udp", "07"), ("udp6", "udp", "07"))
_STATE, _INODE, _LOCAL = 3, 9, 1

_Socket = tuple[str, str, int]
"""Protocol, address and port."""


class _Process(NamedTuple):
    pid: int
    parent: int
    group: int
    started: int
    """In clock ticks since boot."""


def observe(root: bytes, *, budget: float = _BUDGET) -> Signals:
    """Return the processes that run under `root`, which may be `/`, and all listening sockets.

    Processes come first, at a low cost each; then the owners of the sockets.
    """
    sockets = _listening_sockets()  # kernel time, about 10 ms on large machines
    clock = _Budget(budget)
    own = _read_process(os.getpid())
    skipped = _ancestors(own)
    here: dict[int, Running] = {}
    others: list[int] = []
    complete = True
    for pid in _pids():
        if clock.is_over:
            complete = False
            break
        if pid in skipped:
            continue
        directory = _read_link(pid, "cwd")
        if not _is_within(directory, root) or _is_elsewhere(pid, directory):
            others.append(pid)
            continue
        command = _command(pid)
        is_ours = _is_detached_clew(command) or _is_same_command_line(pid, own)
        if not command or _is_shell(command) or is_ours:
            others.append(pid)
            continue
        here[pid] = Running(_display_text(command), os.fsdecode(directory))
    listening = _socket_owners(sockets, here, others, clock)
    return Signals(
        tuple(sorted(set(listening))), tuple(sorted(set(here.values()))), boot_id(), complete
    )


class _Budget:
    """The time budget: CPU time, and a larger limit of wall time for busy machines."""

    def __init__(self, budget: float) -> None:
        self._work = time.thread_time() + budget
        self._wall = time.monotonic() + budget * _WALL_FACTOR

    @property
    def is_over(self) -> bool:
        return time.thread_time() > self._work or time.monotonic() > self._wall


def _socket_owners(
    sockets: dict[int, _Socket], here: dict[int, Running], others: list[int], clock: _Budget
) -> Iterator[Listening]:
    """Yield the sockets with their owner; of several owners the first, under `root` the oldest."""
    left = dict(sockets)
    for pid in (*sorted(here), *others):
        if not left or clock.is_over:
            break
        for inode in _open_sockets(pid, left):
            found = here.get(pid) or Running(
                _display_text(_command(pid)), os.fsdecode(_read_link(pid, "cwd"))
            )
            yield Listening(*left.pop(inode), *found)
    for socket in left.values():  # another user's: the owner is not visible
        yield Listening(*socket, "", "")


def _listening_sockets() -> dict[int, _Socket]:
    found: dict[int, _Socket] = {}
    for table, protocol, wanted in _TABLES:
        for line in _read(f"/proc/net/{table}").splitlines()[1:]:
            fields = line.split()
            if len(fields) <= _INODE or fields[_STATE] != wanted:
                continue
            address, _, port = fields[_LOCAL].partition(":")
            number = int(port, 16)
            if protocol == "udp" and number >= _EPHEMERAL:
                continue  # a client that waits for a reply
            found[int(fields[_INODE])] = (protocol, _address(address), number)
    return found


def _address(digits: str) -> str:
    """Return an address from the kernel's form: 32-bit words in native byte order."""
    raw = bytes.fromhex(digits)
    address = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    if len(address) == 4:
        return ".".join(map(str, address))
    if not any(address[:15]):  # by far the most frequent: the wildcard, and loopback
        return "::1" if address[15] == 1 else "::"
    from socket import AF_INET6, inet_ntop  # rarely needed, and the import costs 3 ms

    return inet_ntop(AF_INET6, address)


def _pids() -> list[int]:
    """Return all process ids, newest first: new processes matter most if the budget runs out."""
    return sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True)


def _read_process(pid: int) -> _Process | None:
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return _Process(pid, int(fields[1]), int(fields[2]), int(fields[19]))


def _ancestors(process: _Process | None) -> set[int]:
    found: set[int] = set()
    while process is not None and process.pid not in found:
        found.add(process.pid)
        process = _read_process(process.parent) if process.parent else None
    return found


def _is_same_command_line(pid: int, own: _Process | None) -> bool:
    """Return whether a process belongs to the same command line as this process."""
    if own is None or _group(pid) != own.group:
        return False
    process = _read_process(pid)
    if process is None:
        return True
    # Not compared by parent: a subshell may be between the parts of one pipeline.
    return abs(process.started - own.started) < _SAME_COMMAND_SECONDS * os.sysconf("SC_CLK_TCK")


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def _open_sockets(pid: int, sockets: dict[int, _Socket]) -> list[int]:
    """Return which of the sockets a process has open."""
    directory = f"/proc/{pid}/fd"
    found = []
    try:
        for name in os.listdir(directory):
            target = os.readlink(f"{directory}/{name}")
            if target.startswith("socket:["):
                inode = int(target[8:-1])
                if inode in sockets:
                    found.append(inode)
    except OSError:
        return found  # ended, or not permitted
    return found


def _read_link(pid: int, name: str) -> bytes:
    try:
        return os.readlink(f"/proc/{pid}/{name}".encode())
    except OSError:
        return b""


def _is_within(directory: bytes, root: bytes) -> bool:
    return root == b"/" or directory == root or directory.startswith(root.rstrip(b"/") + b"/")


def _is_elsewhere(pid: int, directory: bytes) -> bool:
    """Return whether another directory is at that path for us: the process has other mounts."""
    try:
        return not os.path.samestat(os.stat(f"/proc/{pid}/cwd"), os.stat(directory))
    except OSError:
        return False  # deleted, or ended


def _command(pid: int) -> list[str]:
    words = _read(f"/proc/{pid}/cmdline", 4096).split("\0")
    return [word for word in words if word]


def _is_shell(command: list[str]) -> bool:
    """Return whether a command is an interactive shell: it runs no script."""
    name = os.path.basename(command[0]).lstrip("-")
    return name in _SHELLS and all(word.startswith("-") for word in command[1:])


def _is_detached_clew(command: list[str]) -> bool:
    """Return whether a command is a clew in the background; see `worktree/interpreter.py`."""
    module = command[3] if command[1:3] == ["-P", "-m"] and len(command) > 3 else ""
    return module.partition(".")[0] == "clew"


def _display_text(command: list[str]) -> str:
    if not command:
        return ""
    text = redact(" ".join([os.path.basename(command[0]), *command[1:]]))
    return shorten(text, _COMMAND_LIMIT)


def _read(path: str, limit: int = 1 << 20) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    pieces: list[bytes] = []
    try:
        while limit > 0 and (piece := os.read(descriptor, min(limit, _PIECE))):
            pieces.append(piece)
            limit -= len(piece)
    except OSError:
        pass  # the process has ended
    finally:
        os.close(descriptor)
    return b"".join(pieces).decode("utf-8", "surrogateescape")
