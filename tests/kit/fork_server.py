"""Runs `clew` in forks of a process that has imported it already.

A test of the command line spends most of its time on starting Python: 100 ms of imports, and more
than a second where `mcp` is among them.  A fork has them.  What a command does is the same, and so
are its environment, directory, streams and exit code; its first lines, before `clew.app.main`, are
not run.  Tests about those start a process of their own, and so does everything when
`CLEW_TEST_PROFILE` is `thorough`.
"""

from __future__ import annotations

import array
import atexit
import marshal
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from tests.kit import fork_client
from tests.kit.fork_client import request

SOURCE = Path(__file__).resolve().parents[2] / "src"
_IS_THOROUGH = os.environ.get("CLEW_TEST_PROFILE") == "thorough"
_STARTS_DIFFERENTLY = ("LC_", "LANG", "PYTHON", "LD_")
"""Variables that Python and the loader read before a fork could."""
_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_NPROC)
_LARGEST = 1 << 20

PLAIN = (
    "clew.app", "clew.opening", "clew.workspace", "clew.cli", "clew.operations",
    "clew.story", "clew.detectors", "clew.store", "clew.worktree", "clew.diff", "clew.render",
    "clew.transcripts",
)  # fmt: skip
"""What commands import; packages of ours stand for all of their modules."""
SERVER = (*PLAIN, "clew.mcp", "uvicorn", "starlette")


class ForkServer(NamedTuple):
    """A running server."""

    address: str
    circumstances: tuple[object, ...]

    def command(self, *words: str) -> list[str]:
        """Return a command line that has a fork run a command, for programs that start one."""
        return [sys.executable, "-I", "-S", fork_client.__file__, self.address, *words]

    def run(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        *,
        stdin: int,
        stdout: int,
        stderr: int,
        timeout: float,
        tracer: Sequence[str] = (),
    ) -> int:
        """Run one command to its end and return its exit code, negative for a signal.

        A `tracer` is started before the command begins, with `-p` and the process as last words.
        """
        with ExitStack() as stack:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            stack.enter_context(connection)
            connection.connect(self.address)
            connection.settimeout(timeout)
            streams = (stdin, stdout, stderr)
            try:
                pid = request(connection, words, env, cwd, streams, stopped=bool(tracer))
                if tracer:
                    stack.enter_context(_traced(tracer, pid))
                return int(connection.recv(64))
            except TimeoutError:
                raise subprocess.TimeoutExpired(["clew", *words], timeout) from None


@contextmanager
def _traced(tracer: Sequence[str], pid: int) -> Iterator[None]:
    """Trace a process that stops itself, let it go on, and wait for the tracer at the end."""
    status = Path(f"/proc/{pid}/status")
    while "\nState:\tT" not in status.read_text():
        time.sleep(0.001)  # a SIGCONT that comes before the stop is lost
    with subprocess.Popen([*tracer, "-p", str(pid)], stdin=subprocess.DEVNULL) as tracing:
        try:
            while "\nTracerPid:\t0\n" in status.read_text():
                assert tracing.poll() is None, "the tracer ended early"
                time.sleep(0.001)
            os.kill(pid, signal.SIGCONT)
            yield
        except BaseException:
            tracing.kill()
            raise


@cache
def fork_server(modules: tuple[str, ...] = PLAIN) -> ForkServer:
    """Return the server of this process that has imported some modules; started at first use."""
    directory = tempfile.mkdtemp(prefix="clew-fork-server-")
    address = os.path.join(directory, "socket")
    lifeline, ours = os.pipe()
    started = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, address, *modules],
        stdin=lifeline,
        env={
            **environment(),
            "PYTHONPATH": f"{SOURCE}:{SOURCE.parent}",
            "PATH": os.environ["PATH"],
        },
        cwd=directory,
    )
    os.close(lifeline)  # the server ends when the other end closes, however we end
    # It has forked by then, so that it is no child of ours: tests count those.
    assert started.wait(60) == 0
    atexit.register(os.close, ours)
    return ForkServer(address, _circumstances())


def usable(env: Mapping[str, str]) -> bool:
    """Tell whether a fork of the server would run as a new process of ours would."""
    if _IS_THOROUGH:
        return False
    usual = environment()
    named = {key for key in (*env, *usual) if key.startswith(_STARTS_DIFFERENTLY)}
    if any(env.get(key) != usual.get(key) for key in named):
        return False
    return fork_server().circumstances == _circumstances()


def environment() -> dict[str, str]:
    """Return the variables that decide how Python starts, as tests of the command line set them."""
    return {
        "PYTHONPATH": str(SOURCE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
    }


def _circumstances() -> tuple[object, ...]:
    """Return what a process inherits and a request does not carry."""
    spaces = [os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "pid", "user")]
    return (os.getresuid(), os.getresgid(), *map(resource.getrlimit, _LIMITS), *spaces)


# The server


def _serve(address: str) -> NoReturn:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen(64)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    if os.fork():
        os._exit(0)  # whoever started us knows by this that we listen
    # After the fork: asyncio, if it is imported, resets it in a child from Python 3.12 on.
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    waiting: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for file in (listener, woken, 0):
            selector.register(file, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    connection, _ = listener.accept()
                    pid = _start(connection)
                    waiting[pid] = connection
                    selector.register(connection, selectors.EVENT_READ, pid)
                elif key.fileobj == woken:
                    os.read(woken, 4096)
                    _bury(waiting, selector)
                elif key.fileobj == 0:
                    os.unlink(address)
                    os.rmdir(os.path.dirname(address))
                    os._exit(0)
                else:  # whoever asked is gone
                    selector.unregister(key.fileobj)
                    if key.data in waiting:
                        os.kill(key.data, signal.SIGKILL)


def _bury(waiting: dict[int, socket.socket], selector: selectors.BaseSelector) -> None:
    while waiting:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        connection = waiting.pop(pid)
        if connection.fileno() in selector.get_map():
            selector.unregister(connection)
        with connection:
            try:
                connection.send(b"%d" % os.waitstatus_to_exitcode(status))
            except OSError:
                pass


def _start(connection: socket.socket) -> int:
    room = socket.CMSG_SPACE(3 * array.array("i").itemsize)
    asked, ancillary, _, _ = connection.recvmsg(_LARGEST, room)
    streams = array.array("i", ancillary[0][2])
    pid = os.fork()
    if pid == 0:
        _become(streams, *marshal.loads(asked))
    for stream in streams:
        os.close(stream)
    connection.send(b"%d" % pid)
    return pid


def _become(
    streams: Sequence[int],
    words: list[bytes],
    env: dict[bytes, bytes],
    cwd: bytes,
    umask: int,
    stopped: bool,
) -> NoReturn:
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 64)
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
        os.umask(umask)
        os.chdir(cwd)
        os.environb.clear()
        os.environb.update(env)
        time.tzset()
        sys.argv[:] = [str(SOURCE / "clew" / "__main__.py"), *map(os.fsdecode, words)]
        from clew.app import main

        if stopped:
            os.kill(os.getpid(), signal.SIGSTOP)
        code = main()
    except BaseException:  # noqa: BLE001 - what a command does not catch, Python prints
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def import_all(modules: Sequence[str]) -> None:
    """Import modules, and of our packages all that is in them."""
    import importlib
    import pkgutil

    for name in modules:
        module = importlib.import_module(name)
        inside = getattr(module, "__path__", ()) if name.startswith("clew") else ()
        for found in pkgutil.walk_packages(inside, f"{name}."):
            if not found.name.endswith(("__main__", ".reference")):
                importlib.import_module(found.name)


if __name__ == "__main__":
    import gc

    sys.path.remove(str(SOURCE.parent))  # it is there for the line that starts us
    import_all(sys.argv[2:])

    gc.freeze()
    _serve(sys.argv[1])
