"""Where the command line is wired to the real machine: its streams, its clock, and the library."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from clew.cli.library import Library


_RARELY = 100_000
"""Objects between two collections: a command makes few cycles, and looking for them costs a fifth."""


def main(argv: list[str] | None = None) -> int:
    """Run the `clew` command and return its exit code.

    Without `argv` it is the command line of this process, which then ends here.
    """
    if argv is None:
        gc.set_threshold(_RARELY)
        if os.environ.get("PYTHONPATH"):  # hooks empty it
            from clew.worktree.interpreter import clean_import_path

            clean_import_path(sys.path, os.environ)
        if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
            _leave(_hook(sys.argv[2:]))
        _leave(run(_words()))
    return run(argv)


def _words() -> list[str]:
    """Return the words of the command line, each so that `os.fsencode` gives its bytes back.

    The C library and Python do not read every byte of a legacy encoding alike.
    """
    words = sys.argv[1:]
    if sys.getfilesystemencoding() == "utf-8":
        return words
    from clew.filenames import as_argument

    try:
        with open("/proc/self/cmdline", "rb") as file:
            given = file.read().split(b"\0")[:-1]
    except OSError:
        return words
    same = len(given) == len(sys.orig_argv) and len(words) < len(given)
    return [as_argument(raw) for raw in given[len(given) - len(words) :]] if same else words


def _hook(words: list[str]) -> int:
    """Answer an agent: without the command line, whose refusal (2) would forbid the agent's call."""
    from clew.agents.hooks import bundle

    path = bundle.bundle_path(os.environ)
    used = bundle.use(path)
    from clew.agents.hooks.entry import run as run_hook

    code = run_hook(words)
    try:
        bundle.keep(path, used)
    except (OSError, ValueError):
        pass  # then the next hook starts as slowly as this one
    return code


def run(words: list[str]) -> int:
    """Run one command line on the streams of this process."""
    from clew.cli.context import CommandContext
    from clew.cli.dispatch import dispatch
    from clew.cli.exits import ExitCode
    from clew.cli.terminal import Terminal

    terminal = Terminal(
        _stream(sys.stdin, "replace"),
        _stream(sys.stdout, "backslashreplace"),
        _stream(sys.stderr, "backslashreplace"),
        os.environ,
    )
    code = dispatch(words, CommandContext(terminal, _library))
    try:
        terminal.stdout.flush()
    except OSError:
        _forget_output()
        return code or ExitCode.FAILED
    return code


def _library() -> Library:
    from clew import opening  # `clew --help` needs neither store nor hashes

    return opening


def _stream(stream: TextIO | None, errors: str) -> TextIO:
    """Return a stream that takes any character, also where it was closed before we started."""
    if stream is None:
        return open(os.devnull, "r+")
    from io import TextIOWrapper

    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors=errors)
    return stream


def _leave(code: int) -> NoReturn:
    """End the process at once: taking down the interpreter piece by piece costs some 6 ms."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def _forget_output() -> None:
    """Send what is still buffered nowhere, or Python complains of it once more at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
