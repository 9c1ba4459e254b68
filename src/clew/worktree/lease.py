"""Writer detection: whether any process has a file open for writing, by a read lease.

The kernel updates a file's times when a write begins, not when it ends.  Bytes read during a write
can be a mixture of old and new, and the times do not show it.  The kernel grants a read lease only
if no process has the file open for writing or mapped shared and writable.

The lease is released before anything is read: while it is held, a process that opens the file for
writing blocks, or fails if it opened with O_NONBLOCK.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal

CLOSED = 0
"""No process could write to it at the time of the check."""
OPEN = 1
"""A process has it open for writing, or mapped."""
UNKNOWN = 2
"""The kernel grants no lease: another user's file, or a filesystem without leases."""


def check_writers(descriptor: int) -> tuple[int, os.stat_result]:
    """Return whether a file is open for writing, and its stat at that time."""
    try:
        # The default signal of a lease break (SIGIO) would terminate this process.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        found = OPEN if error.errno == errno.EAGAIN else UNKNOWN
        return found, os.fstat(descriptor)
    try:
        return CLOSED, os.fstat(descriptor)
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
