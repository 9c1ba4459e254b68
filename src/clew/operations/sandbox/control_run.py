"""Control run: whether a check that fails in a copy judges the files, or the sandbox.

A check that needs what a copy lacks fails in every copy, and would blame the files.  So a failure is
compared with a run in a copy of a state on which the same check passed in the live workspace: if that
fails in the same way, the verdict is inconclusive.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.model.checkpoint import Checkpoint
from clew.model.verdict import RunEnd, Verdict, VerdictStatus, Where
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.render.checkpoint_title import called

NOT_FOUND = (126, 127)
"""Exit codes of a shell that cannot run a command."""

_ERROR = re.compile(
    r"error|exception|fail|not found|no such|cannot|can't|could not|denied|refused|unable|missing|fatal",
    re.IGNORECASE,
)
_VARIES = re.compile(r"0x[0-9a-f]+|\d+")

RunCheck = Callable[[Checkpoint], Verdict]
"""Runs the check in a copy of a checkpoint; stores nothing."""


def compare_with_control(
    context: Context, verdict: Verdict, run: RunCheck, monitor: Monitor
) -> tuple[Verdict, tuple[Checkpoint, Verdict] | None]:
    """Return a verdict, inconclusive if a control fails like it, and the control if it was run."""
    if verdict.status != VerdictStatus.FAILING or verdict.ran_in != Where.PRIVATE_COPY:
        return verdict, None
    with context.store.locks.shared(monitor):
        verdicts = context.store.verdicts
        runs = verdicts.of_state(verdict.state, verdict.command)
        if any(run.ran_in == Where.WORKSPACE and run.is_good for run in runs):
            reason = "the check passed on the same files in the workspace"
            return inconclusive(verdict, reason), None
        found = verdicts.passed_in_workspace(context.workspace, verdict.command)
        control = context.store.checkpoints.get(found) if found is not None else None
        if control is None:
            return verdict, None
        known = verdicts.of_state(control.record.state, verdict.command)
    other = next((run for run in known if run.ran_in == Where.PRIVATE_COPY), None)
    is_new = other is None
    if other is None:
        monitor.notice(f"Control run in a copy of {called(control)}, where the check passed live")
        other = run(control)
        if other.status == VerdictStatus.FAILING:
            other = inconclusive(other, "the check passed on the same files in the workspace")
    if not fails_alike(verdict, other):
        return verdict, (control, other) if is_new else None
    reason = f"it fails in the same way in a copy of {called(control)}, where it passed live"
    return inconclusive(verdict, reason), (control, other) if is_new else None


def inconclusive(verdict: Verdict, reason: str) -> Verdict:
    """Return a verdict that says nothing about the files, and why."""
    details = verdict.details._replace(reason=reason)
    return verdict._replace(end_reason=RunEnd.INCONCLUSIVE, details=details)


def fails_alike(one: Verdict, other: Verdict) -> bool:
    """Return whether two runs failed with the same exit code and the same first error."""
    if not one.exit_code or one.exit_code != other.exit_code:
        return False
    return one.exit_code in NOT_FOUND or first_error(one.output) == first_error(other.output)


def first_error(output: str) -> str:
    """Return the first line that looks like an error, without numbers."""
    lines = [line for line in output.splitlines() if line.strip()]
    in_traceback = False
    for line in lines:
        if line.startswith("Traceback "):
            in_traceback = True
        elif (in_traceback and not line.startswith(" ")) or (
            not in_traceback and _ERROR.search(line)
        ):
            return _VARIES.sub("#", line)
    return _VARIES.sub("#", lines[0]) if lines else ""
