"""Output of the commands that run in copies: verify, exec, try, bisect; and of compare."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.history import DiffOutput
from clew.render.shapes.values import (
    Checkpoint,
    Drill,
    Path,
    PathAndReason,
    Story,
    Verdict,
)


class VerifyOutput(TypedDict):
    checkpoint: Checkpoint
    """the checkpoint with its new verdict"""
    verdict: Verdict
    """the result of this run"""


class DrillOutput(TypedDict):
    checkpoint: Checkpoint
    """the checkpoint with its drill, and with its new verdict if a check ran"""
    drill: Drill
    """the drill, with all paths that differ"""
    not_compared: list[PathAndReason]
    """what this user or filesystem cannot restore, such as the owner of a file; each with `path` and `reason`"""
    verdict: Verdict | None
    """the result of its check, or `null` if none ran"""
    duration_ms: int
    """how long it took"""
    notices: list[str]
    """why no check ran, and what could not be recorded, one sentence each"""


class RunOutcome(TypedDict):
    command: str
    """the command"""
    end_reason: str
    """how it ended: `exited`, `timeout`, `interrupted`, or `failed` if it could not be started"""
    exit_code: int | None
    """its exit code, or `null`"""
    duration_ms: int
    """how long it took"""
    output: str
    """the end of its output, secrets redacted"""
    ran_in: str
    network: str
    notes: list[str]
    """as in a verdict"""


class ExecOutput(RunOutcome):
    difference: DiffOutput | None
    """what it changed in the copy, in the form of `diff`, with the story; `null` if it was interrupted"""


class Attempt(RunOutcome):
    name: str
    """its name"""
    fork: str | None
    """name of the fork that holds the result; `null` if the command did not finish"""
    checkpoint: Checkpoint | None
    """the result, or `null`"""
    verdict: Verdict | None
    """the check's verdict on it, or `null`"""
    check_status: str
    """status of that verdict, or `not run`"""
    check_exit_code: int | None
    """exit code of the check, or `null`; `exit_code` is that of the command"""
    difference: DiffOutput | None
    """what the command changed, in the form of `diff`, with the story; or `null`"""


class TryOutput(TypedDict):
    base: Checkpoint
    """the checkpoint that all attempts start from"""
    check: str | None
    """the check that ran on each result, or `null`"""
    attempts: list[Attempt]
    """the attempts, see below"""


class ComparedState(Story):
    name: str
    """the reference as given"""
    fork: str | None
    """name of the fork, or `null` for a checkpoint"""
    checkpoint: Checkpoint
    """its checkpoint"""
    change_counts: dict[str, int]
    """number of changes since the ancestor by kind"""


class ComparedPath(Path):
    changed_by: list[str]
    """names of the states that changed it"""
    kinds: list[str | None]
    """how each of these changed it"""
    is_same: bool
    """whether all of these made the same change"""


class CompareOutput(TypedDict):
    ancestor: Checkpoint
    """the nearest common ancestor"""
    states: list[ComparedState]
    """the compared states, see below"""
    paths: list[ComparedPath]
    """every path that at least one state changed, see below"""


class BisectOutput(Story):
    outcome: str
    """`found`; `between` if no run could judge those before the first bad one; `all good`, `all bad`, `undecided`, or `inconclusive` if the check cannot judge in a copy"""
    command: str
    """the check"""
    first_bad: Checkpoint | None
    """the oldest checkpoint known to be bad, or `null`"""
    last_good: Checkpoint | None
    """the newest good one before it, or `null`"""
    suspects: list[str]
    """if the outcome is `between`: ids of the checkpoints that may be the first bad one, oldest first"""
    skipped: list[str]
    """ids of the checkpoints that no run could judge"""
    flaky: list[str]
    """ids of the checkpoints on which the check both passes and fails"""
    oldest: str
    newest: str
    """ids of the first and last checkpoint of the search"""
    candidate_count: int
    """number of states searched; equal ones in a row count once"""
    known_count: int
    """number of these that had a verdict already"""
    deleted_count: int
    """number of deleted checkpoints in the range"""
    run_count: int
    """number of runs of the check"""
    reason: str | None
    """why the outcome is `inconclusive`, or `null`"""
    unmentioned: NotRequired[list[str]]
    """as in `show`"""
