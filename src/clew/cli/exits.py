"""What the command tells the shell; docs/json.md lists the same codes."""

from __future__ import annotations


class ExitCode:
    """The codes a program may rely on."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    VERIFICATION = 4
    """A check that does not pass where it was asked to count."""
    UNCONFIRMED = 5
    DAMAGED = 6
    TIMED_OUT = 124
    """A command of `clew exec` that ran out of time; the code that `timeout` gives."""
    NOT_STARTED = 127
    """One that could not be started; the code that shells give."""
    INTERRUPTED = 130
    """128 and the number of SIGINT, as shells expect."""
    BROKEN_PIPE = 141
    """128 and the number of SIGPIPE."""
