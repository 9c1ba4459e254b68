"""What comes of running commands in private copies: a check, one command, several ways beside
each other, and moments put side by side.
"""

from __future__ import annotations

from shlex import join

from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.results import Difference
from clew.model.story import Story
from clew.model.verdict import RunEnd, Verdict

Command = str | tuple[str, ...]
"""Text for the shell, or the words of a command that needs none."""

SHELL = "/bin/sh"


def words_of(command: Command) -> tuple[str, ...]:
    """Return what is to be executed."""
    return (SHELL, "-c", command) if isinstance(command, str) else command


def line_of(command: Command) -> str:
    """Return the command as one would type it: by that line, verdicts know a check again."""
    return command if isinstance(command, str) else join(command)


def command_of(words: list[str]) -> Command:
    """Return the command that follows `--`: one word is text for the shell, several are none."""
    return words[0] if len(words) == 1 else tuple(words)


class Judged(NamedTuple):
    """What a check said of a moment."""

    checkpoint: Checkpoint
    """As it reads now."""
    verdict: Verdict
    """Of this run."""


class RunOutcome(NamedTuple):
    """How a command in a copy ended."""

    command: str
    ended: str
    """One of `Ended`."""
    exit_code: int | None
    duration_ns: int
    output: str
    """The tail of what it printed, secrets redacted."""
    where: str
    """One of `Where`."""
    net: str
    notes: tuple[str, ...] = ()
    """What was not isolated, and what the moment did not hold, a sentence each."""

    @property
    def succeeded(self) -> bool:
        return self.ended == RunEnd.EXITED and self.exit_code == 0


class Executed(NamedTuple):
    """One command in a throw-away copy, and what it would have changed."""

    outcome: RunOutcome
    difference: Difference | None
    """None where it was interrupted: then nobody waits for an answer."""


class Way(NamedTuple):
    """One way to go on from a moment."""

    name: str
    command: Command


class Tried(NamedTuple):
    """One way, and where it led."""

    name: str
    """As it was given."""
    outcome: RunOutcome
    fork: str = ""
    """What the result is called from now on; empty where there is none."""
    checkpoint: Checkpoint | None = None
    """The result."""
    verdict: Verdict | None = None
    """What the check said of the result, in this run."""
    difference: Difference | None = None
    """What the way changed, and what that means."""

    @property
    def is_good(self) -> bool:
        """Tell whether it led somewhere that the check, if there was one, approves of."""
        if self.checkpoint is None:
            return False
        return self.verdict.is_good if self.verdict is not None else self.outcome.succeeded


class Board(NamedTuple):
    """Several ways from one moment, beside each other."""

    base: Checkpoint
    check: str
    """What was asked of each result; empty if nothing was."""
    ways: tuple[Tried, ...]

    @property
    def was_interrupted(self) -> bool:
        return any(way.outcome.ended == RunEnd.INTERRUPTED for way in self.ways)


class ComparedState(NamedTuple):
    """One of several moments that are compared."""

    name: str
    """As it was asked for."""
    fork: str
    """The name of the fork whose newest state it is; empty for a checkpoint."""
    checkpoint: Checkpoint
    changes: ChangeCounts
    """Since the common ancestor."""
    story: Story
    """The same in words."""


class ComparedPath(NamedTuple):
    """One path that at least one side changed."""

    path: bytes
    kinds: tuple[str | None, ...]
    """How each side changed it, in their order; None for one that did not."""
    agreed: bool
    """Whether all that changed it made the same of it."""

    @property
    def changed_by(self) -> list[int]:
        """Return the numbers of the sides that changed it."""
        return [number for number, kind in enumerate(self.kinds) if kind is not None]


class Comparison(NamedTuple):
    """Moments side by side, seen from where they parted."""

    ancestor: Checkpoint
    sides: tuple[ComparedState, ...]
    paths: tuple[ComparedPath, ...]
