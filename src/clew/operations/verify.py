"""Verify: runs a command in the workspace and says what it said.

The command is the user's own and runs after the capture is committed; whatever it does, the
capture stands.
"""

from __future__ import annotations

import time

from clew.model.checkpoint import Checkpoint
from clew.model.labels import shorten_intent
from clew.model.redact import redact
from clew.model.verdict import Verdict
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.worktree.running import run_command

OUTPUT_KEPT = 64 << 10


def verify(context: Context, checkpoint: Checkpoint, command: str, monitor: Monitor) -> Checkpoint:
    """Run `command` in the workspace and stamp the checkpoint with the verdict."""
    started = time.time_ns()
    monitor.notice(f"Checking: {command}")
    ran = run_command(["/bin/sh", "-c", command], context.root, timeout=None)
    # Redacted before the cut that counts: half a secret would not be recognised.
    text = redact(ran.output.decode("utf-8", "replace"))[-OUTPUT_KEPT:]
    verdict = Verdict(
        command=shorten_intent(redact(command))[0],
        exit_code=ran.exit_code,
        duration_ns=ran.duration_ns,
        output=text,
        time_ns=started,
        where="workspace",
        state=checkpoint.record.state,
        ended=ran.how,
    )
    context.store.verdicts.add(checkpoint.id, verdict)
    return context.mark_here(context.find(checkpoint.id))
