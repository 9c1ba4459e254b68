"""Verify: runs a command in the workspace and says what it said.

The command is the user's own and runs after the capture is committed; whatever it does, the
capture stands.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import suppress

from clew.model.checkpoint import Checkpoint
from clew.model.labels import shorten_intent
from clew.model.redact import redact
from clew.model.verdict import Verdict
from clew.monitor import Monitor
from clew.operations.context import Context

OUTPUT_KEPT = 64 << 10
_PATIENCE = 0.05
_BLINK = 0.005


def verify(context: Context, checkpoint: Checkpoint, command: str, monitor: Monitor) -> Checkpoint:
    """Run `command` in the workspace and stamp the checkpoint with the verdict."""
    started, clock = time.time_ns(), time.monotonic_ns()
    monitor.notice(f"Checking: {command}")
    exit_code, output = _run(command, context.root)
    # Redacted before the cut that counts: half a secret would not be recognised.
    text = redact(output.decode("utf-8", "replace"))[-OUTPUT_KEPT:]
    verdict = Verdict(
        command=shorten_intent(redact(command))[0],
        exit_code=exit_code,
        duration_ns=time.monotonic_ns() - clock,
        output=text,
        time_ns=started,
        where="workspace",
        state=checkpoint.record.state,
    )
    context.store.verdicts.add(checkpoint.id, verdict)
    return context.mark_here(context.find(checkpoint.id))


def _run(command: str, directory: bytes) -> tuple[int | None, bytes]:
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    tail = _Tail(process.stdout.fileno())
    try:
        # Not until the end of the pipe: a server that the check left running holds it open.
        while process.poll() is None:
            tail.read(_PATIENCE)
        while tail.read(0):
            pass
        return process.returncode, tail.kept
    except KeyboardInterrupt:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None, tail.kept
    finally:
        process.stdout.close()


class _Tail:
    """The last bytes that came out of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._ended = False
        self.kept = b""

    def read(self, patience: float) -> bool:
        """Take what there is, waiting a little for it; tell whether there was anything."""
        if self._ended:
            time.sleep(min(patience, _BLINK))
            return False
        if not select.select([self._descriptor], [], [], patience)[0]:
            return False
        piece = os.read(self._descriptor, OUTPUT_KEPT)
        self._ended = not piece
        self.kept = (self.kept + piece)[-2 * OUTPUT_KEPT :]
        return bool(piece)
