"""Rows of a timeline: which lines there are, before they are laid out.

A run of checkpoints of one session and prompt has a heading.  Routine checkpoints that follow one
another are folded.  A failed call that changed no file has a row of its own above the checkpoint in
whose state it failed; one that did is marked at its checkpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.failed_call import FailedCall
    from clew.model.ids import CheckpointId
    from clew.model.results import Branches, ForkPoint, Log

_LEAST_FOLDED = 3
_LEAST_HEADED = 2
_MOST_FAILURES = 4
"""Failed calls at one checkpoint that have a row each."""


class CheckpointRow(NamedTuple):
    """One checkpoint."""

    checkpoint: Checkpoint
    failures: tuple[FailedCall, ...] = ()
    """The calls that failed and led to it."""
    is_headed: bool = False
    """Whether a heading names its session and prompt."""


class FoldedRow(NamedTuple):
    """Several routine checkpoints, newest first."""

    checkpoints: tuple[Checkpoint, ...]
    is_headed: bool = False


class FailureRow(NamedTuple):
    """Calls that failed without changing a file, newest first; only the first is shown."""

    failures: tuple[FailedCall, ...]
    is_headed: bool = False


class ForkRow(NamedTuple):
    """A fork."""

    fork: ForkPoint


class HeadingRow(NamedTuple):
    """The session and prompt of the rows below."""

    checkpoint: Checkpoint
    """One of them."""
    number: int
    """Number of checkpoints below."""


class GapRow(NamedTuple):
    """Checkpoints that are not listed."""

    number: int


class HereRow(NamedTuple):
    """The current checkpoint, older than those listed."""

    checkpoint: Checkpoint


Row = CheckpointRow | FoldedRow | FailureRow | ForkRow | HeadingRow | GapRow | HereRow
_Item = CheckpointRow | FailureRow | ForkRow


def rows(log: Log, *, fold: bool) -> list[Row]:
    """Return the rows of a timeline, newest first."""
    items = list(_items(log))
    found: list[Row] = []
    at = 0
    while at < len(items):
        run = _run_at(items, at)
        count = sum(isinstance(item, CheckpointRow) for item in run)
        first = next((item for item in run if isinstance(item, CheckpointRow)), None)
        is_headed = first is not None and _needs_heading(run, first)
        if is_headed and first is not None:
            found.append(HeadingRow(first.checkpoint, count))
        found += _folded(run, log.branches if fold else None, is_headed)
        at += len(run)
    if log.branches is not None and log.branches.here is not None:
        if log.branches.unlisted_count:
            found.append(GapRow(log.branches.unlisted_count))
        found.append(HereRow(log.branches.here))
    return found


def _items(log: Log) -> Iterator[_Item]:
    """Yield checkpoints, failed calls and forks, newest first."""
    branches = log.branches
    if branches is None:
        for checkpoint in log.checkpoints:
            yield CheckpointRow(checkpoint)
        return
    above, at = _placed(branches.failures, log.checkpoints)
    forks = sorted(branches.forks, key=lambda fork: -fork.time_ns)
    for checkpoint in log.checkpoints:
        due = [
            fork
            for fork in forks
            if fork.time_ns >= checkpoint.record.time_ns or fork.base == checkpoint.id
        ]
        for fork in due:
            yield ForkRow(fork)
            forks.remove(fork)
        failures = above.get(checkpoint.id, [])
        for number, failure in enumerate(failures[: _MOST_FAILURES - 1]):
            is_last = number == _MOST_FAILURES - 2
            yield FailureRow(tuple(failures[number:]) if is_last else (failure,))
        yield CheckpointRow(checkpoint, tuple(at.get(checkpoint.id, ())))


_Failures = dict["CheckpointId", list["FailedCall"]]


def _placed(
    failures: Sequence[FailedCall], checkpoints: Sequence[Checkpoint]
) -> tuple[_Failures, _Failures]:
    """Return the failed calls above each checkpoint, and those that led to it."""
    listed = {one.id: one for one in checkpoints}
    above: _Failures = {}
    at: _Failures = {}
    for failure in failures:
        after = listed.get(failure.checkpoint)
        is_its_own = (
            after is not None
            and failure.checkpoint != failure.before
            and failure.call in after.labels.intent
        )
        if is_its_own or failure.before not in listed:
            at.setdefault(failure.checkpoint, []).append(failure)
        else:
            above.setdefault(failure.before, []).append(failure)
    return above, at


def _run_at(items: Sequence[_Item], start: int) -> list[_Item]:
    """Return the items from `start` on that belong to one session and prompt."""
    session, prompt = _author(items[start])
    run = [items[start]]
    for item in items[start + 1 :]:
        its_session, its_prompt = _author(item)
        if its_session != session:
            break
        if session and None not in (prompt, its_prompt) and its_prompt != prompt:
            break
        prompt = prompt if prompt is not None else its_prompt
        run.append(item)
    return run


def _needs_heading(run: Sequence[_Item], first: CheckpointRow) -> bool:
    """Return whether something can be said once for a run: its prompt, or the session of several."""
    session, prompt = _author(first)
    return bool(session) and (bool(prompt) or len(run) >= _LEAST_HEADED)


def _author(item: _Item) -> tuple[bytes, str | None]:
    """Return session and prompt; None for the prompt if it is not known."""
    match item:
        case CheckpointRow(checkpoint):
            if checkpoint.is_rescue:
                return b"", None
            return checkpoint.record.position.session, checkpoint.labels.prompt
        case FailureRow(failures):
            return failures[0].session, None
        case ForkRow():
            return b"", None


def _folded(run: Sequence[_Item], branches: Branches | None, is_headed: bool) -> Iterator[Row]:
    """Yield the rows of a run, with neighbouring routine checkpoints in one."""
    pending: list[CheckpointRow] = []
    for item in run:
        row = item if isinstance(item, ForkRow) else item._replace(is_headed=is_headed)
        is_routine = (
            branches is not None
            and isinstance(row, CheckpointRow)
            and row.checkpoint.id in branches.routine
        )
        if is_routine and isinstance(row, CheckpointRow):
            if pending and branches is not None and not _follow(pending, row, branches.parents):
                yield from _one_or_all(pending, is_headed)
                pending = []
            pending.append(row)
            continue
        yield from _one_or_all(pending, is_headed)
        pending = []
        yield row
    yield from _one_or_all(pending, is_headed)


def _follow(
    pending: Sequence[CheckpointRow],
    row: CheckpointRow,
    parents: Mapping[CheckpointId, CheckpointId],
) -> bool:
    return parents.get(pending[-1].checkpoint.id) == row.checkpoint.id


def _one_or_all(pending: Sequence[CheckpointRow], is_headed: bool) -> Iterator[Row]:
    if len(pending) >= _LEAST_FOLDED:
        yield FoldedRow(tuple(row.checkpoint for row in pending), is_headed)
    else:
        yield from pending
