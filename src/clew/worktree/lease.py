"""Whether somebody has a file open for writing, asked of the kernel by way of a read lease.

The kernel moves a file's times when a write begins, not when it ends.  Bytes that are read while a
write is under way can be a mixture, and the times show nothing of it.  A read lease is granted only
while nobody has the file open for writing or mapped shared and writable.

The lease is dropped before anything is read: while we hold it, whoever opens the file for writing
waits for us, and is refused if it does not want to wait.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal

CLOSED = 0
"""Nobody could write to it when it was looked at."""
OPEN = 1
"""Somebody has it open for writing, or mapped."""
UNKNOWN = 2
"""The kernel gives no answer: not our file, or a filesystem without leases."""


def look(descriptor: int) -> tuple[int, os.stat_result]:
    """Return whether a file is open for writing, and its stat of that very moment."""
    try:
        # The default signal would end a process that is asked to give the lease back.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        found = OPEN if error.errno == errno.EAGAIN else UNKNOWN
        return found, os.fstat(descriptor)
    try:
        return CLOSED, os.fstat(descriptor)
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
