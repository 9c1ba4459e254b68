"""How one branch moved: new commits, a rebase, a reset, or several of them.

The branch's own log says it line by line.
Where it has none, as in bare repositories, the commits themselves are asked: a branch that still
holds all it held has new commits, any other was moved back or aside.

A reset is loud when commits are lost: no branch, tag or remote has them any more.
It is a note when another ref still has them, or when all that they changed stands in the working
tree just as they had it (`reset --soft`, `reset --mixed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from clew.detectors.repositories.git_history import Divergence, divergence
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import LogLine, is_none, short
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_COMMITS = frozenset(("commit", "cherry-pick", "revert", "am"))
_MOST_RESETS = 50


class Move(NamedTuple):
    """A branch before and now."""

    scope: str
    name: str
    before: str | None
    after: str | None
    lines: Sequence[LogLine] | None
    """What its log says about the time between; None where it says nothing."""
    evidence: tuple[str, ...]


class Ground:
    """What it takes to judge a move."""

    def __init__(
        self,
        objects: Objects,
        tips: frozenset[str],
        is_work_kept: Callable[[str, str], bool],
    ) -> None:
        self.objects = objects
        self.tips = tips
        """Everything that a ref leads to now."""
        self.is_work_kept = is_work_kept
        """Tells whether the working tree still has what the first commit has over the second."""

    @cached_property
    def commits(self) -> frozenset[str]:
        """What the tips are or, for tags, lead to."""
        return frozenset(found for tip in self.tips if (found := self.objects.resolve(tip)))

    def divergence(self, old: str, new: str) -> Divergence | None:
        return divergence(self.objects, (old,), (new,))

    def is_reachable(self, commit: str) -> bool | None:
        """Tell whether some ref leads to a commit; None where that cannot be told."""
        if commit in self.tips:
            return True
        found = divergence(self.objects, (commit,), self.commits)
        return None if found is None else not found.lost


def move_facts(move: Move, ground: Ground) -> Iterator[Fact]:
    """Yield what a branch's move amounts to."""
    tally = _Tally()
    for line in _lines(move):
        tally.add(line, ground)
    evidence = move.evidence
    before, after = short(move.before), short(move.after)
    if tally.marks():
        yield Fact(
            "git.commit", move.scope, move.name, before, after,
            evidence=evidence, marks=tuple(tally.marks()),
        )  # fmt: skip
    if tally.rebases:
        yield Fact(
            "git.rebase", move.scope, move.name, before, after,
            evidence=evidence, marks=_fewer(move, ground),
        )  # fmt: skip
    if tally.resets and move.after is not None:
        yield from _reset(move, tally.resets[-_MOST_RESETS:], ground)


def forced_update(move: Move, ground: Ground) -> Iterator[Fact]:
    """Yield the fact of a remote's branch that does not hold any more what it held."""
    before, after = move.before, move.after
    if before is None or after is None:
        return
    found = ground.divergence(before, after)
    said = any("forced-update" in line.detail for line in move.lines or ())
    if found.lost if found else said:
        kept = ground.is_reachable(before)
        yield Fact(
            "git.reset", move.scope, move.name, short(before), short(after),
            severity=Severity.NOTE if kept else Severity.HIGH,
            evidence=move.evidence, marks=("forced update", *_dropped(found)),
        )  # fmt: skip


class _Tally:
    """What the lines of a log add up to."""

    def __init__(self) -> None:
        self.commits = 0
        self.rebases = 0
        self.resets: list[LogLine] = []
        self._extra: dict[str, None] = {}
        self._made: set[str] = set()
        """Commits of this interval: to amend one of them makes no other."""

    def add(self, line: LogLine, ground: Ground) -> None:
        if not line.moves:
            return
        if line.verb in _COMMITS:
            self._add_commit(line)
        elif line.verb in ("rebase", "pull") and "finish" in line.action:
            self.rebases += 1
        elif line.verb == "reset" or _is_branch_reset(line):
            self.resets.append(line)
        elif line.verb in ("merge", "pull") and line.detail != "Fast-forward":
            self.commits += 1
            self._extra["merge"] = None
            self._made.add(line.new)
        elif not is_none(line.old) and not is_none(line.new):
            self._add_unknown(line, ground)

    def marks(self) -> list[str]:
        said = f"{self.commits:,} commit{'' if self.commits == 1 else 's'}"
        return [*([said] if self.commits else []), *self._extra]

    def _add_commit(self, line: LogLine) -> None:
        is_amended = "(amend)" in line.action
        self.commits += not (is_amended and line.old in self._made)
        if is_amended:
            self._extra["amended"] = None
        for what in ("merge", "cherry-pick", "revert"):
            if line.verb == what or f"({what})" in line.action:
                self._extra[what] = None
        self._made.add(line.new)

    def _add_unknown(self, line: LogLine, ground: Ground) -> None:
        """Add a move that can only be understood from the commits: a fast-forward, a push."""
        found = ground.divergence(line.old, line.new)
        if line.detail == "Fast-forward":
            self._extra["fast-forward"] = None
            self.commits += found.gained if found else 0
        elif found is None:
            self._extra["moved"] = None
        elif found.lost:
            self.resets.append(line)
        else:
            self.commits += found.gained


def _is_branch_reset(line: LogLine) -> bool:
    """Tell whether this is `git branch --force` or `git checkout -B`."""
    return line.action == "branch" and line.detail.startswith("Reset")


def _lines(move: Move) -> Sequence[LogLine]:
    if move.lines or move.before is None or move.after is None:
        return move.lines or ()
    return (LogLine(move.before, move.after, "", ""),) if move.before != move.after else ()


def _reset(move: Move, resets: list[LogLine], ground: Ground) -> Iterator[Fact]:
    """Yield the fact of a reset, unless the branch is where it was and has all that it had."""
    marks: tuple[str, ...]
    left = [line.old for line in resets]
    found = divergence(ground.objects, left, (str(move.after),))
    if found is not None and not found.lost:
        if move.before == move.after:
            return
        severity, marks = Severity.NONE, ("forward",)
    else:
        severity, why = _judged(resets, ground, found)
        marks = (*_dropped(found), *why)
    yield Fact(
        "git.reset", move.scope, move.name, short(resets[0].old), short(resets[-1].new),
        severity=severity, evidence=move.evidence, marks=marks,
    )  # fmt: skip


def _judged(
    resets: list[LogLine], ground: Ground, found: Divergence | None
) -> tuple[str, tuple[str, ...]]:
    if all(ground.is_reachable(line.old) for line in resets):
        return Severity.NOTE, ("kept by another ref",)
    if all(ground.is_work_kept(line.old, line.new) for line in resets):
        return Severity.NOTE, ("work kept in the files",)
    if found is None and not any(_goes_back(line) for line in resets):
        return Severity.NOTE, ()
    return Severity.HIGH, ()


def _goes_back(line: LogLine) -> bool:
    """Tell whether a reset was asked to go back; asked for when commits cannot be read."""
    target = line.detail.removeprefix("moving to ")
    return target.startswith(("HEAD~", "HEAD^", "HEAD@", "@~", "@^"))


def _fewer(move: Move, ground: Ground) -> tuple[str, ...]:
    """Return how many commits a rebase left out or put together, where that can be told."""
    found = ground.divergence(move.before, move.after) if move.before and move.after else None
    number = found.lost - found.gained if found else 0
    return (f"{number:,} commit{'' if number == 1 else 's'} fewer",) if number > 0 else ()


def _dropped(found: Divergence | None) -> tuple[str, ...]:
    if found is None or not found.lost:
        return ()
    return (f"{found.lost:,} commit{'' if found.lost == 1 else 's'} dropped",)
