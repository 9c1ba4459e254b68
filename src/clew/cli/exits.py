"""Exit codes, documented in docs/json.md."""

from __future__ import annotations


class ExitCode:
    """Stable exit codes."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    VERIFICATION = 4
    """A check did not pass."""
    UNCONFIRMED = 5
    DAMAGED = 6
    TIMED_OUT = 124
    """The command of `clew exec` timed out; as with `timeout`."""
    NOT_STARTED = 127
    """The command of `clew exec` or `clew enter` could not be started; as in shells."""
    INTERRUPTED = 130
    """128 plus SIGINT, as in shells."""
    BROKEN_PIPE = 141
    """128 plus SIGPIPE."""
