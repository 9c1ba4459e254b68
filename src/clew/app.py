"""Entry point: the `clew` command on the streams of this process."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from clew.cli.library import Library


_GC_THRESHOLD = 100_000
"""Allocations between two collections: a command makes few cycles, and the default costs a fifth."""


def main(argv: list[str] | None = None) -> int:
    """Run the `clew` command and return its exit code.

    Without `argv`, run the command line of this process and exit.
    """
    if argv is None:
        gc.set_threshold(_GC_THRESHOLD)
        if os.environ.get("PYTHONPATH"):  # hooks empty it
            from clew.worktree.interpreter import clean_import_path

            clean_import_path(sys.path, os.environ)
        if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
            _exit(_hook(sys.argv[2:]))
        _exit(run(_arguments()))
    return run(argv)


def _arguments() -> list[str]:
    """Return the arguments of this process, decoded so that `os.fsencode` restores their bytes.

    The C library and Python decode some bytes of legacy encodings differently.
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
    is_same = len(given) == len(sys.orig_argv) and len(words) < len(given)
    return [as_argument(raw) for raw in given[len(given) - len(words) :]] if is_same else words


def _hook(words: list[str]) -> int:
    """Handle a hook without the command line, whose usage error (2) would block the agent's call."""
    from clew.agents.hooks import bundle

    path = bundle.bundle_path(os.environ)
    used = bundle.use(path)
    from clew.agents.hooks.entry import run as run_hook

    code = run_hook(words)
    try:
        bundle.keep(path, used)
    except (OSError, ValueError):
        pass  # the next hook starts as slowly as this one
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
        _discard_output()
        return code or ExitCode.FAILED
    return code


def _library() -> Library:
    from clew import opening  # `clew --help` does not need it

    return opening


def _stream(stream: TextIO | None, errors: str) -> TextIO:
    """Return a stream that accepts any character, even if it was closed before the start."""
    if stream is None:
        return open(os.devnull, "r+")
    from io import TextIOWrapper

    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors=errors)
    return stream


def _exit(code: int) -> NoReturn:
    """Exit at once: finalizing the interpreter costs about 6 ms."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def _discard_output() -> None:
    """Discard buffered output, or Python reports the error again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
