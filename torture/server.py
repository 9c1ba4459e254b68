"""Fork server: a process that has imported clew and runs each command in a fork of itself.

A command costs milliseconds instead of an interpreter's start.  `torture/shim.c` is preloaded, so
the fork can be killed, or a call refused, at a chosen call; without it (no C compiler), a command
can only be killed after a time.

Each connection is one command.  A supervisor process, forked for it, forks the command, waits,
kills it if asked to, and answers.  It then stays until the processes that the command left behind
have ended, and the connection closes when it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import os
import pickle
import pkgutil
import resource
import select
import signal
import socket
import sys
import time
from types import FrameType
from typing import NoReturn

from torture.protocol import TRACE, Request, Response

PACKAGES = (
    "clew.app", "clew.opening", "clew.workspace", "clew.cli", "clew.operations", "clew.story",
    "clew.detectors", "clew.store", "clew.worktree", "clew.diff", "clew.render", "clew.transcripts",
    "clew.agents.hooks",
)  # fmt: skip
_STRAGGLER_SECONDS = 20.0
_SUBREAPER = 36
_SITE_FRAMES = 4


class _Control(ctypes.Structure):
    _fields_ = (
        *(
            (name, ctypes.c_long)
            for name in (
                "count", "at", "mask", "action", "error", "pid", "hits",
                "clock_ns", "clock_step_at", "clock_step_ns",
            )
        ),
        ("hit", ctypes.c_char * 32),
    )  # fmt: skip


_Tracer = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_long, ctypes.c_long)


def serve(address: str) -> NoReturn:
    """Accept commands until standard input closes."""
    for name in PACKAGES:
        _import_all(name)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are not waited for
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    while True:
        ready, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in ready:
            os._exit(0)
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _supervise(connection)
        connection.close()


def _import_all(name: str) -> None:
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
        if not found.name.endswith(("__main__", ".reference", ".make_index")):
            importlib.import_module(found.name)


def _supervise(connection: socket.socket) -> NoReturn:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_SUBREAPER, 1, 0, 0, 0)
        request = _receive(connection)
        control = _control(libc)
        _answer(connection, request, control)
        connection.shutdown(socket.SHUT_WR)
        _bury(time.monotonic() + _STRAGGLER_SECONDS)
    except BaseException:  # noqa: BLE001 - the client sees the connection close
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _receive(connection: socket.socket) -> Request:
    with connection.makefile("rb") as file:
        found: Request = pickle.load(file)
    return found


def _control(libc: ctypes.CDLL) -> _Control | None:
    """Return the shared memory of the shim; None if it is not preloaded."""
    try:
        create = libc.torture_control
    except AttributeError:
        return None
    create.restype = ctypes.POINTER(_Control)
    found: _Control = create().contents
    return found


def _answer(connection: socket.socket, request: Request, control: _Control | None) -> None:
    out, err, notes = (os.memfd_create(name) for name in ("out", "err", "notes"))
    fcntl.fcntl(notes, fcntl.F_SETFL, os.O_APPEND)  # processes of the command share it
    given = os.memfd_create("in")
    os.write(given, request.stdin)
    os.lseek(given, 0, os.SEEK_SET)
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _become(request, (given, out, err), notes, control)
    with contextlib.suppress(OSError):  # it does so itself, but may be killed before
        os.setpgid(pid, pid)
    code = _wait(pid, request)
    seconds = time.monotonic() - started
    response = Response(
        code, _text(out), _text(err), seconds, _cpu_seconds(),
        control.count if control else 0,
        control.hit.decode() if control and control.hits else "",
        [_site(line) for line in _text(notes).split("\n") if line[:1].isdigit()],
    )  # fmt: skip
    connection.sendall(pickle.dumps(response))


def _cpu_seconds() -> float:
    """Return the processor time of the command, without processes that it left behind."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _site(line: str) -> tuple[int, str, int, str]:
    index, name, kinds, where = line.split(" ", 3)
    return int(index), name, int(kinds), where


def _text(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode("utf-8", "backslashreplace")


def _wait(pid: int, request: Request) -> int:
    """Wait for the command, or kill it when its time has come."""
    limit = request.timeout if request.kill_after is None else request.kill_after
    handle = os.pidfd_open(pid)
    if not select.select([handle], [], [], limit)[0]:
        # A command that exceeds its limit is a fault that `code` reports; it must end anyway.
        is_hanging = request.kill_after is None
        os.kill(-pid if request.kills_group or is_hanging else pid, signal.SIGKILL)
    os.close(handle)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _bury(deadline: float) -> None:
    """Wait for the processes that a command left behind; kill them at the deadline."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid:
            continue
        if time.monotonic() > deadline:
            for child in _children():
                os.kill(child, signal.SIGKILL)
        time.sleep(0.002)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]


def _become(
    request: Request, streams: tuple[int, int, int], notes: int, control: _Control | None
) -> NoReturn:
    code = 70
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.dup2(notes, 400)
        os.closerange(3, 400)
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
        os.chdir(request.cwd)
        os.environ.clear()
        os.environ.update(request.env)
        # As an argument of a process is decoded in this locale.
        words = [os.fsdecode(word.encode("utf-8", "surrogateescape")) for word in request.words]
        sys.argv[:] = ["clew", *words]
        sys.orig_argv[:] = []  # clew reads the bytes from /proc if this is the process's own
        from clew.app import main  # noqa: PLC0415 - this process has the arguments now

        tracer = _Tracer(_note)
        if control:
            _arm(control, request, tracer)
        code = main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001 - what a command does not catch, Python prints
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _arm(control: _Control, request: Request, tracer: object) -> None:
    fault, clock = request.fault, request.clock
    control.at, control.mask, control.error = fault.at, fault.mask, fault.error
    control.clock_ns, control.clock_step_at = clock.offset_ns, clock.step_at
    control.clock_step_ns = clock.step_ns
    control.pid = os.getpid()
    if fault.action == TRACE:
        ctypes.CDLL(None).torture_trace(tracer)
    control.count = 0
    control.action = fault.action


def _note(name: bytes, index: int, kinds: int) -> None:
    """Write where in clew a call is made; called by the shim, in any process of the command."""
    frames: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(frames) < _SITE_FRAMES:
        code = frame.f_code
        if "/clew/" in code.co_filename:
            short = code.co_filename.rpartition("/clew/")[2]
            frames.append(f"{short}:{frame.f_lineno}")
        frame = frame.f_back
    os.write(400, f"{index} {name.decode()} {kinds} {' < '.join(frames)}\n".encode())


if __name__ == "__main__":
    serve(sys.argv[1])
