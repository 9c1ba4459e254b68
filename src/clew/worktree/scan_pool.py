"""Scan pool: worker processes that scan subtrees in parallel.

Python reads about 15,000 small files a second; two processes read nearly twice that.
If a worker dies, the whole scan fails: no share is ever missing from a tree.
A process with several threads must not fork, and scans alone; the result is the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from clew.model.named_tuple import NamedTuple
from clew.worktree.child_process import can_fork
from clew.worktree.scan import Job, walk_alone
from clew.worktree.side_by_side import Numbers, side_by_side
from clew.worktree.walk import Walker, WalkResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORTH_IT = 400
"""Directories below which a fork costs more than it gives."""


class ScanWorker(NamedTuple):
    """How a worker gets its own walker, and returns what its sink collected."""

    prepare: Callable[[], None]
    """Called in the parent right before the fork."""
    become_helper: Callable[[Walker, int], Walker]
    """Called in child number n: returns a walker with its own sink and its own view of the store."""
    finish: Callable[[Walker], Any]
    """Called in the child when its share is done: returns what the sink has to tell."""
    adopt: Callable[[Any], None]
    """Called in the parent with what `finish` returned."""
    abandon: Callable[[], None] = lambda: None
    """Called in the child when its share failed: reverts what its sink wrote."""


class ScanPool:
    """Distributes the jobs of a scan among processes."""

    def __init__(self, size: int, expected_directories: int | None, hands: ScanWorker) -> None:
        """`expected_directories` is what the last scan saw, or None if there was none."""
        self._size = size
        self._expected = expected_directories
        self._hands = hands

    def share(self, walker: Walker, jobs: list[Job]) -> list[WalkResult]:
        """Walk the jobs with all workers; in this process alone where a fork does not pay or is unsafe."""
        small = self._expected is not None and self._expected < _WORTH_IT
        if self._size < 2 or len(jobs) < 2 or small or not can_fork():
            return walk_alone(walker, jobs)
        self._hands.prepare()
        theirs: dict[int, WalkResult] = {}

        def here(numbers: Numbers) -> dict[int, WalkResult]:
            return {number: walker.walk(*jobs[number]) for number in numbers}

        def there(helper: int, numbers: Numbers) -> tuple[Any, ...]:
            return self._help(walker, jobs, helper, numbers)

        def adopt(share: tuple[Any, ...]) -> None:
            done, account, extra = share
            theirs.update({number: WalkResult(*fields) for number, fields in done})
            walker.account.add(account)
            self._hands.adopt(extra)

        results = side_by_side(self._size, len(jobs), here, there, adopt) | theirs
        return [results[number] for number in range(len(jobs))]

    def _help(
        self, walker: Walker, jobs: list[Job], helper: int, numbers: Numbers
    ) -> tuple[Any, ...]:
        try:
            own = self._hands.become_helper(walker, helper)
            done = [(number, tuple(own.walk(*jobs[number]))) for number in numbers]
            own.settle_doubts()
            return done, own.account.dump(), self._hands.finish(own)
        except BaseException:
            with contextlib.suppress(Exception):
                self._hands.abandon()
            raise
