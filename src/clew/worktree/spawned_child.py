"""Spawned child: a new Python that runs a pickled function.

For a process with several threads, which must not fork.  The child reads the function from its
standard input.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from clew.atomic_write import write_all
from clew.worktree.child_process import run_body

_TASK, _DESCRIPTOR = 0, 3
"""Descriptors of a spawned child: the task it reads, and the one it was given."""
_BOOTSTRAP = """\
import sys
sys.path.insert(0, sys.argv[1])
import clew
del sys.path[0]
from clew.worktree.spawned_child import main
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


class _Task:
    """What a spawned child does."""

    def __init__(
        self, body: Callable[[int], object], parent: int, modules: Iterable[str] = ()
    ) -> None:
        self.body = body
        self.parent = parent
        self.modules = tuple(modules)


def spawn(body: Callable[[int], object], parent: int, descriptor: int, *, preload: bool) -> int:
    """Start a new Python that runs `body(descriptor)`, and return its pid."""
    task = _Task(body, parent, _engine_modules() if preload else ())

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


# In the child


def main() -> None:
    """Run the task on standard input; the entry point of a spawned child."""
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
        status = run_body(task.body, _DESCRIPTOR, task.parent)
    except BaseException as error:  # noqa: BLE001 - the parent sees only that there is no answer
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(status)


def _extend_path(entries: Iterable[str]) -> None:
    """Import also from where the parent does, but after everything that is installed."""
    sys.path += [entry for entry in entries if os.path.isabs(entry) and entry not in sys.path]
