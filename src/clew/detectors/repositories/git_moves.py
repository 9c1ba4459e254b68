"""Classification of a branch move: new commits, a rebase, a reset, or several of them.

The branch's log lists each move.
Without a log, as in bare repositories, the commits decide: a branch that still contains its old
tip has new commits; any other was reset.

A reset has high severity if commits are lost: no branch, tag or remote contains them.
It is a note if another ref contains them, or if the working tree still has their changes
(`reset --soft`, `reset --mixed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from clew.detectors.repositories.git_history import Divergence, divergence
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import LogLine, is_none, short
from clew.detectors.repositories.git_work import FilesOfWork
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

COMMITS = frozenset(("commit", "cherry-pick", "revert", "am"))
"""What git notes in a log when it makes a commit, apart from merges."""
_MAX_RESETS = 50
_MAX_MERGED = 4
"""How many merged branches are listed by name."""
_BRANCH = re.compile(r"[\w./+-]{1,80}")


class Move(NamedTuple):
    """A branch before and after."""

    scope: str
    name: str
    before: str | None
    after: str | None
    lines: Sequence[LogLine] | None
    """Its log lines of the interval; None if there is no log."""
    evidence: tuple[str, ...]


class MoveContext:
    """What is needed to classify a move."""

    def __init__(
        self,
        objects: Objects,
        tips: frozenset[str],
        files: FilesOfWork,
    ) -> None:
        self.objects = objects
        self.tips = tips
        """Every commit that a ref points to now."""
        self.files = files

    @cached_property
    def commits(self) -> frozenset[str]:
        """The tips, with tags peeled to commits."""
        return frozenset(found for tip in self.tips if (found := self.objects.resolve(tip)))

    def divergence(self, old: str, new: str) -> Divergence | None:
        return divergence(self.objects, (old,), (new,))

    def beyond(self, commit: str) -> Divergence | None:
        """Return the commits that lead to this one and that no ref contains; None if unknown."""
        if commit in self.tips:
            return Divergence(0, 0, commit)
        return divergence(self.objects, (commit,), self.commits)

    def is_reachable(self, commit: str) -> bool | None:
        """Return whether some ref contains a commit; None if unknown."""
        found = self.beyond(commit)
        return None if found is None else not found.lost


def move_facts(move: Move, context: MoveContext) -> Iterator[Fact]:
    """Yield the facts that describe a branch's move."""
    tally = _Tally()
    for line in _lines(move):
        tally.add(line, context)
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
            evidence=evidence, marks=_fewer(move, context),
        )  # fmt: skip
    if tally.resets and move.after is not None:
        yield from _reset(move, tally.resets[-_MAX_RESETS:], context)


def forced_update(move: Move, context: MoveContext) -> Iterator[Fact]:
    """Yield the fact of a remote-tracking branch that no longer contains its old tip."""
    before, after = move.before, move.after
    if before is None or after is None:
        return
    found = context.divergence(before, after)
    was_forced = any("forced-update" in line.detail for line in move.lines or ())
    if found.lost if found else was_forced:
        is_kept = context.is_reachable(before) or _is_replaced(context, found, before)
        yield Fact(
            "git.reset", move.scope, move.name, short(before), short(after),
            severity=Severity.NOTE if is_kept else Severity.HIGH,
            evidence=move.evidence, marks=("forced update", *_exchanged(found)),
        )  # fmt: skip


def _is_replaced(context: MoveContext, found: Divergence | None, old: str) -> bool:
    """Return whether other commits took the place of the dropped ones, and the work is there."""
    if found is None or found.base is None or not found.gained:
        return False
    return context.files.have(old, found.base)


class _Tally:
    """Totals over log lines."""

    def __init__(self) -> None:
        self.commits = 0
        self.rebases = 0
        self.resets: list[LogLine] = []
        self._extra: dict[str, None] = {}
        self._made: set[str] = set()
        """Commits created in this interval: amending one of them adds no commit."""

    def add(self, line: LogLine, context: MoveContext) -> None:
        if not line.moves:
            return
        if line.verb in COMMITS:
            self._add_commit(line)
        elif line.verb in ("rebase", "pull") and "finish" in line.action:
            self.rebases += 1
        elif line.verb == "reset" or _is_branch_reset(line):
            self.resets.append(line)
        elif line.verb in ("merge", "pull") and line.detail != "Fast-forward":
            self.commits += 1
            self._extra[_merged(line)] = None
            self._made.add(line.new)
        elif not is_none(line.old) and not is_none(line.new):
            self._add_unknown(line, context)

    def marks(self) -> list[str]:
        return [*([counted(self.commits, "commit")] if self.commits else []), *self._extra]

    def _add_commit(self, line: LogLine) -> None:
        is_amended = "(amend)" in line.action
        self.commits += not (is_amended and line.old in self._made)
        if is_amended:
            self._extra["amended"] = None
        for what in ("merge", "cherry-pick", "revert"):
            if line.verb == what or f"({what})" in line.action:
                self._extra[what] = None
        self._made.add(line.new)

    def _add_unknown(self, line: LogLine, context: MoveContext) -> None:
        """Count a move that only the commits can classify: a fast-forward, a push."""
        found = context.divergence(line.old, line.new)
        if line.detail == "Fast-forward":
            self._extra["fast-forward"] = None
            self.commits += found.gained if found else 0
        elif found is None:
            self._extra["moved"] = None
        elif found.lost:
            self.resets.append(line)
        else:
            self.commits += found.gained


def _merged(line: LogLine) -> str:
    """Return the mark of a merge: `merge of cart, gifts` if the log names the branches."""
    names = line.action.split(" ")[1:] if line.verb == "merge" else []
    if not names or not all(_BRANCH.fullmatch(name) for name in names):
        return "merge"
    if len(names) > _MAX_MERGED:
        return f"merge of {len(names):,} branches"
    return f"merge of {', '.join(names)}"


def _is_branch_reset(line: LogLine) -> bool:
    """Return whether this is `git branch --force` or `git checkout -B`."""
    return line.action == "branch" and line.detail.startswith("Reset")


def _lines(move: Move) -> Sequence[LogLine]:
    if move.lines or move.before is None or move.after is None:
        return move.lines or ()
    return (LogLine(move.before, move.after, "", ""),) if move.before != move.after else ()


def _reset(move: Move, resets: list[LogLine], context: MoveContext) -> Iterator[Fact]:
    """Yield the fact of a reset, unless the branch still contains its old tip."""
    marks: tuple[str, ...]
    left = [line.old for line in resets]
    found = divergence(context.objects, left, (str(move.after),))
    if found is not None and not found.lost:
        if move.before == move.after:
            return
        severity, marks = Severity.NONE, ("forward",)
    else:
        severity, why = _severity_and_marks(resets, context, found)
        marks = (*_exchanged(found), *why)
    yield Fact(
        "git.reset", move.scope, move.name, short(resets[0].old), short(resets[-1].new),
        severity=severity, evidence=move.evidence, marks=marks,
    )  # fmt: skip


def _severity_and_marks(
    resets: list[LogLine], context: MoveContext, found: Divergence | None
) -> tuple[str, tuple[str, ...]]:
    if all(context.is_reachable(line.old) for line in resets):
        return Severity.NOTE, ("kept by another ref",)
    if all(context.files.have(line.old, line.new) for line in resets):
        return Severity.NOTE, ("work kept in the files",)
    if found is None and not any(_goes_back(line) for line in resets):
        return Severity.NOTE, ()
    return Severity.HIGH, ()


def _goes_back(line: LogLine) -> bool:
    """Return whether the reset's arguments move back; used if commits cannot be read."""
    target = line.detail.removeprefix("moving to ")
    return target.startswith(("HEAD~", "HEAD^", "HEAD@", "@~", "@^"))


def _fewer(move: Move, context: MoveContext) -> tuple[str, ...]:
    """Return how many commits a rebase dropped or squashed, if known."""
    found = context.divergence(move.before, move.after) if move.before and move.after else None
    number = found.lost - found.gained if found else 0
    return (f"{counted(number, 'commit')} fewer",) if number > 0 else ()


def _exchanged(found: Divergence | None) -> tuple[str, ...]:
    """Return how many commits were dropped, and how many took their place."""
    if found is None or not found.lost:
        return ()
    made = (f"{found.gained:,} new",) if found.gained else ()
    return (f"{counted(found.lost, 'commit')} dropped", *made)
