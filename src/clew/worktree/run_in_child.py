"""Child processes: run a function in a process of its own, and return its result or its error.

A fork copies one thread and every lock that the other threads hold, so a child forked from a
process with several threads can wait for ever.  A process with one thread forks; any other starts
a new Python and sends it the function, pickled.  Both kinds of child run the same code.

A child dies with its parent and never runs the parent's exit handlers.
This is the only module that forks.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from clew.errors import ClewError
from clew.worktree.syscalls import die_with
from clew.worktree.wait_child import Interrupts, Waiting, hear_of_children

T = TypeVar("T")

known_threads = 1
"""Threads that hold no lock when a child is forked.  A test runner with idle threads raises it."""

_INTERRUPT = {signal.SIGINT}
_EXITING = 20
_EXITING_PAUSE = 0.0005
_TASK, _DESCRIPTOR = 0, 3
"""Descriptors of a spawned child: the task it reads, and the one it was given."""
_BOOTSTRAP = """\
import sys
sys.path.insert(0, sys.argv[1])
import clew
del sys.path[0]
from clew.worktree.run_in_child import main
main()
"""
_ENGINE = tuple(
    f"clew.{name}"
    for name in (
        *("detectors", "diff", "errors", "filenames", "model", "monitor"),
        *("operations", "policy", "store", "story", "worktree"),
    )
)
_LIBRARIES = ("apsw", "backports.zstd", "compression.zstd", "blake3", "pyfastcdc")


# --- the two ways to start a child -----------------------------------------------------------------


def can_fork() -> bool:
    """Return whether this process has no thread that could hold a lock during a fork."""
    for _ in range(_EXITING):
        if kernel_threads() <= known_threads:
            return True
        if _thread._count() >= known_threads:
            return False
        time.sleep(_EXITING_PAUSE)  # a thread that was joined is still in the kernel's list
    return False


def fork(body: Callable[[], int | None]) -> int:
    """Run `body` in a forked child and return its pid; its return value is the exit code."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        status = body() or 0
    finally:
        os._exit(status)  # the parent's files and connections stay open


def start_child(
    body: Callable[[int], object],
    descriptor: int,
    *,
    must_fork: bool = False,
    preload: bool = False,
) -> int:
    """Run `body(descriptor)` in a child that dies with this process, and return its pid.

    Without `must_fork`, `body` must be picklable: a function of a module, or a `partial` of one.
    With `preload` a spawned child imports what this process has imported before it runs `body`.
    """
    parent = os.getpid()
    if must_fork or can_fork() or not sys.executable:
        return fork(partial(_run_body, body, descriptor, parent))
    return _spawn(_Task(body, parent, _engine_modules() if preload else ()), descriptor)


class Child:
    """A child process and the pipe that it writes to."""

    def __init__(self, body: Callable[[int], object], *, must_fork: bool = False) -> None:
        """Start `body`, which is given the writing end."""
        self.output, writing = os.pipe()
        try:
            self.pid = start_child(body, writing, must_fork=must_fork)
        except BaseException:
            os.close(self.output)
            raise
        finally:
            os.close(writing)
        self._is_ended = False

    def read_all(self) -> bytes:
        """Return everything that the child writes until it closes its end."""
        with os.fdopen(self.output, "rb", closefd=False) as file:
            return file.read()

    def signal(self, number: int) -> None:
        """Send a signal, unless the child has been waited for."""
        if not self._is_ended:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def end(self) -> None:
        """Kill the child if it still runs, wait for it, and close the pipe."""
        if self._is_ended:
            return
        os.close(self.output)
        self.signal(signal.SIGKILL)
        self._is_ended = True
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


# --- one call --------------------------------------------------------------------------------------


def run_in_child(
    function: Callable[[Interrupts], T], interrupts: Interrupts, *, must_fork: bool = False
) -> T:
    """Run `function` in a child process, and return its result or raise its error."""
    call = ChildCall(function, must_fork=must_fork)
    try:
        return call.result(interrupts)
    finally:
        call.end()


class ChildCall(Generic[T]):
    """A function that runs in a child process.

    The child is in a session of its own, so a terminal does not reach it.  The first Ctrl-C is
    passed on to it; the second one is raised here.
    """

    def __init__(
        self,
        function: Callable[[Interrupts], T],
        *,
        must_fork: bool = False,
        preload: bool = False,
    ) -> None:
        """Start it; the function is given the interrupts that are passed on."""
        self.was_interrupted = False
        """Whether a Ctrl-C was passed on."""
        # A file in memory, not a pipe: the child can write an answer of any size and exit.
        self._answer = os.memfd_create("clew-answer")
        hear_of_children()
        _flush()  # or both processes would write what is buffered
        # Until both processes record it instead of raising it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPT)
        try:
            body = partial(_answer_call, function, tuple(mask))
            self._pid = start_child(body, self._answer, must_fork=must_fork, preload=preload)
        except BaseException:
            os.close(self._answer)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def result(self, interrupts: Interrupts) -> T:
        """Wait for the child, and return its result or raise its error."""
        waiting = Waiting(self._pid, interrupts.call)
        try:
            while not waiting.is_over:
                waiting.wait(None)
                if interrupts.come():
                    self._pass_on_interrupt()
        finally:
            waiting.close()
        answer = os.pread(self._answer, os.fstat(self._answer).st_size, 0)
        if not answer:
            raise ClewError("A child process was killed")
        result: T = _decode_answer(answer)
        return result

    def end(self) -> None:
        """Kill the child if it still runs, wait for it, and close the answer."""
        os.close(self._answer)
        os.kill(self._pid, signal.SIGKILL)  # not waited for yet, so the pid is still the child's
        os.waitpid(self._pid, 0)

    def _pass_on_interrupt(self) -> None:
        if self.was_interrupted:
            raise KeyboardInterrupt
        self.was_interrupted = True
        os.kill(self._pid, signal.SIGINT)


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of `content` to a descriptor."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


# --- spawning --------------------------------------------------------------------------------------


class _Task:
    """What a spawned child does."""

    def __init__(
        self, body: Callable[[int], object], parent: int, modules: Iterable[str] = ()
    ) -> None:
        self.body = body
        self.parent = parent
        self.modules = tuple(modules)


def _spawn(task: _Task, descriptor: int) -> int:
    """Start a new Python that reads a task from standard input."""
    import pickle  # a fork needs it for an answer only, and a scan not at all

    content = pickle.dumps((sys.path, task.modules, pickle.dumps(task)))
    file = os.memfd_create("clew-task")
    try:
        write_all(file, content)
        os.lseek(file, 0, os.SEEK_SET)
        actions = [
            (os.POSIX_SPAWN_DUP2, descriptor, _DESCRIPTOR),
            (os.POSIX_SPAWN_DUP2, file, _TASK),
        ]
        if file == _DESCRIPTOR:  # or the first would overwrite it
            actions.reverse()
        return os.posix_spawn(sys.executable, _command(), os.environb, file_actions=actions)
    finally:
        os.close(file)


def _command() -> list[str]:
    """Return the command line of a Python that imports nothing from the current directory."""
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    words = [sys.executable, "-I"]
    if sys.dont_write_bytecode:
        words.append("-B")
    if sys.flags.utf8_mode:
        words += ["-X", "utf8"]
    return [*words, "-c", _BOOTSTRAP, source]


def _engine_modules() -> tuple[str, ...]:
    """Return the modules of the engine that this process has imported."""
    return tuple(
        name for name in sys.modules if name.startswith(_ENGINE) or name.startswith(_LIBRARIES)
    )


def kernel_threads() -> int:
    """Return the number of threads of this process, also of those that C libraries started."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return _thread._count() + 1


# --- in the child ----------------------------------------------------------------------------------


def main() -> None:
    """Run the task on standard input; the entry point of a spawned child."""
    import pickle

    status = 1
    try:
        with os.fdopen(_TASK, "rb", closefd=False) as file:
            path, modules, pickled = pickle.load(file)  # noqa: S301 - from our parent
        os.set_inheritable(_DESCRIPTOR, False)
        _extend_path(path)
        from importlib import import_module

        for name in modules:
            with suppress(ImportError):
                import_module(name)
        task: _Task = pickle.loads(pickled)  # noqa: S301 - from our parent
        status = _run_body(task.body, _DESCRIPTOR, task.parent)
    except BaseException as error:  # noqa: BLE001 - the parent sees only that there is no answer
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(status)


def _extend_path(entries: Iterable[str]) -> None:
    """Import also from where the parent does, but after everything that is installed."""
    sys.path += [entry for entry in entries if os.path.isabs(entry) and entry not in sys.path]


def _run_body(body: Callable[[int], object], descriptor: int, parent: int) -> int:
    die_with(parent)
    body(descriptor)
    return 0


def _answer_call(function: Callable[[Interrupts], Any], mask: Iterable[int], answer: int) -> None:
    import pickle

    os.setsid()
    interrupts = Interrupts()  # until the process ends
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        content = pickle.dumps((function(interrupts), None))
    except BaseException as error:  # noqa: BLE001 - the parent raises it, whatever it is
        content = _encode_error(error)
    write_all(answer, content)
    _flush()


def _encode_error(error: BaseException) -> bytes:
    """Pickle an error so that another process can raise it."""
    import pickle

    if isinstance(error, ClewError):
        # By its parts: its arguments are not its message.
        with suppress(Exception):
            return pickle.dumps((None, (type(error), error.args, error.__dict__)))
    else:
        error.add_note(_trace(error))
        with suppress(Exception):
            content = pickle.dumps((None, error))
            pickle.loads(content)  # noqa: S301 - some errors can be pickled and not unpickled
            return content
    return pickle.dumps((None, (ClewError, (f"{type(error).__name__}: {error}",), {})))


def _trace(error: BaseException) -> str:
    from traceback import format_exception

    return "In a child process:\n" + "".join(format_exception(error))


def _decode_answer(answer: bytes) -> Any:
    import pickle

    result, error = pickle.loads(answer)  # noqa: S301 - from our own child
    if isinstance(error, tuple):
        kind, args, state = error
        error = kind.__new__(kind, *args)
        error.__dict__.update(state)
    if error is not None:
        raise error
    return result


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # none, broken, or closed
            stream.flush()
