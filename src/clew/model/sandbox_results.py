"""Results of commands run in private copies: verify, drill, exec, try and compare."""

from __future__ import annotations

from shlex import join, quote

from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint
from clew.model.drill import Drill, DrillDifference
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import SkippedPath
from clew.model.results import Difference
from clew.model.story import Story
from clew.model.verdict import RunEnd, Verdict

Command = str | tuple[str, ...]
"""A shell command line, or the arguments of a command without a shell."""

SHELL = "/bin/sh"


def words_of(command: Command) -> tuple[str, ...]:
    """Return the arguments to execute."""
    return (SHELL, "-c", command) if isinstance(command, str) else command


def line_of(command: Command) -> str:
    """Return the command as a command line, which identifies a check in verdicts."""
    return command if isinstance(command, str) else join(command)


def command_of(words: list[str]) -> Command:
    """Return the command after `--`: one word is a shell command line, several are arguments."""
    return words[0] if len(words) == 1 else tuple(words)


def in_directory(command: Command, directory: str) -> str:
    """Return the command line that runs `command` in a directory below the workspace's root.

    The directory is part of the command: the same words in two directories are two checks.
    """
    line = command if isinstance(command, str) else join(command)
    if isinstance(command, str) and any(sign in command for sign in ";&|\n"):
        line = f"({command})"
    return f"cd {quote(directory)} && {line}"


class VerifyResult(NamedTuple):
    """The result of a check on a checkpoint."""

    checkpoint: Checkpoint
    """With the new verdict."""
    verdict: Verdict
    """The verdict of this run."""
    notices: tuple[str, ...] = ()


class DrillResult(NamedTuple):
    """The result of a drill."""

    checkpoint: Checkpoint
    """With the drill, and the verdict if a check ran."""
    drill: Drill
    differences: tuple[DrillDifference, ...]
    """All paths that differ."""
    limits: tuple[SkippedPath, ...]
    """What this user or filesystem cannot restore, such as a foreign owner; not compared."""
    verdict: Verdict | None
    """The result of its check; None if none ran."""
    duration_ns: int
    notices: tuple[str, ...] = ()
    """Why no check ran, and what could not be recorded."""


class RunOutcome(NamedTuple):
    """The outcome of a command in a copy."""

    command: str
    end_reason: str
    """One of `RunEnd`."""
    exit_code: int | None
    duration_ns: int
    output: str
    """The end of its output, redacted."""
    ran_in: str
    """One of `Where`."""
    network: str
    notes: tuple[str, ...] = ()
    """What was not isolated, and what the checkpoint lacks, one sentence each."""

    @property
    def succeeded(self) -> bool:
        return self.end_reason == RunEnd.EXITED and self.exit_code == 0


class Executed(NamedTuple):
    """One command in a temporary copy, and what it would have changed."""

    outcome: RunOutcome
    difference: Difference | None
    """None if it was interrupted."""


class NamedCommand(NamedTuple):
    """One of several commands to try from a checkpoint."""

    name: str
    command: Command


class AttemptResult(NamedTuple):
    """One tried command, and its result."""

    name: str
    """The name as given."""
    outcome: RunOutcome
    fork: str = ""
    """The name of the fork with the result; empty if there is none."""
    checkpoint: Checkpoint | None = None
    """The checkpoint of the result."""
    verdict: Verdict | None = None
    """The verdict of this run on the result."""
    difference: Difference | None = None
    """What the command changed."""

    @property
    def is_good(self) -> bool:
        """Whether there is a result and the check, if any, passed."""
        if self.checkpoint is None:
            return False
        return self.verdict.is_good if self.verdict is not None else self.outcome.succeeded


class TryResult(NamedTuple):
    """The results of several commands from one checkpoint."""

    base: Checkpoint
    check: str
    """The check run on each result; empty if there was none."""
    attempts: tuple[AttemptResult, ...]

    @property
    def was_interrupted(self) -> bool:
        return any(one.outcome.end_reason == RunEnd.INTERRUPTED for one in self.attempts)


class ComparedState(NamedTuple):
    """One of several compared states."""

    name: str
    """The reference as given."""
    fork: str
    """The fork whose newest state it is; empty for a checkpoint."""
    checkpoint: Checkpoint
    changes: ChangeCounts
    """Since the common ancestor."""
    story: Story
    """The story of these changes."""


class ComparedPath(NamedTuple):
    """One path that differs from the ancestor in at least one state."""

    path: bytes
    kinds: tuple[str | None, ...]
    """How it changed in each state, in order; None if it did not."""
    is_same: bool
    """Whether it is the same in all states in which it changed."""

    @property
    def changed_by(self) -> list[int]:
        """The numbers of the states in which it changed."""
        return [number for number, kind in enumerate(self.kinds) if kind is not None]


class Comparison(NamedTuple):
    """Several states compared with their common ancestor."""

    ancestor: Checkpoint
    states: tuple[ComparedState, ...]
    paths: tuple[ComparedPath, ...]
    generated: tuple[bytes, ...] = ()
    """Generated directories that their name alone does not show."""
