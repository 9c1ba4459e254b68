"""The facts that a restore takes back and brings back, derived only when somebody reads them.

What was done since the target and the live workspace parted is taken back; what was done in the
target's line since then is brought back.  Both are told in the words of history: `pydantic 2.9
installed` is taken back, and not `pydantic removed` done.
"""

from __future__ import annotations

import os

from clew.model.checkpoint import Checkpoint
from clew.model.path import is_within
from clew.model.restore_results import RestoreFacts
from clew.model.story import Story
from clew.operations.context import Context
from clew.operations.history.moment import StorySide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.ids import ObjectId
    from clew.model.restore_results import RestorePreview
    from clew.monitor import Monitor
    from clew.operations.access import Access
    from clew.operations.forks.merge_draft import MergeRequest
    from clew.operations.save.scan import LiveTrees

_SECONDS = 10.0
"""Time on the clock for a story, on a machine that is busy with something else."""
_PROCESSOR_SECONDS = 1.5
"""Processor time for a story: somebody waits for the question."""
_PER_PATH = 2e-5


def taking_locks(access: Access, preview: RestorePreview, monitor: Monitor) -> RestorePreview:
    """Return a preview whose facts take the lock that they need, for a caller without locks."""
    derive = preview.facts

    def locked() -> RestoreFacts:
        with access.reading(monitor):
            return derive() if derive is not None else RestoreFacts()

    return preview._replace(facts=locked)


class RestoreStory:
    """Derives the facts of one restore on request; equal for the same restore."""

    __slots__ = ("_context", "_here", "_live", "_target", "_trees", "_within")

    def __init__(
        self,
        context: Context,
        target: Checkpoint,
        live: ObjectId,
        trees: LiveTrees,
        within: Sequence[bytes],
    ) -> None:
        self._context = context
        self._here = context.here
        self._target = target
        self._live = live
        self._trees = trees
        self._within = tuple(within)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RestoreStory) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self._target.id, self._live, self._within

    def __call__(self) -> RestoreFacts:
        """Derive the facts; the caller holds the store's lock."""
        from clew.operations.history.story import story_side  # noqa: PLC0415  only a reader needs it

        context = self._context
        parted = self._parted()
        base, wanted = story_side(context, parted), story_side(context, self._target)
        live = StorySide(self._live, context.host.observe(context.root), self._trees)
        taken = self._between(base, live)
        brought = self._between(base, wanted) if parted.id != self._target.id else None
        return _without_common(RestoreFacts(taken, brought))

    def _parted(self) -> Checkpoint:
        """Return the newest checkpoint of which both the target and the live workspace are later."""
        from clew.operations.history.ancestry import nearest_common  # noqa: PLC0415  the same

        if self._here is None:
            return self._target
        found, _ = nearest_common(self._context, [self._here.id, self._target.id])
        return self._context.find(found) if found is not None else self._target

    def _between(self, old: StorySide, new: StorySide) -> Story | None:
        return _story(self._context, old, new, self._within)


class MergeStory:
    """Derives the facts of a merge on request; equal for the same merge."""

    __slots__ = ("_base", "_context", "_is_reverse", "_theirs", "_within")

    def __init__(self, context: Context, request: MergeRequest) -> None:
        self._context = context
        self._base = request.base
        self._theirs = request.theirs
        self._within = request.within
        self._is_reverse = not request.name
        """Whether `theirs` is the older one: what was done since is taken back."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergeStory) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self._base.id, self._theirs.id, self._within

    def __call__(self) -> RestoreFacts:
        """Derive the facts; the caller holds the store's lock."""
        from clew.operations.history.story import story_side  # noqa: PLC0415  only a reader needs it

        base, theirs = (story_side(self._context, one) for one in (self._base, self._theirs))
        if self._is_reverse:
            return RestoreFacts(taken_back=_story(self._context, theirs, base, self._within))
        return RestoreFacts(brought_back=_story(self._context, base, theirs, self._within))


def _story(
    context: Context, old: StorySide, new: StorySide, within: tuple[bytes, ...]
) -> Story | None:
    from clew.operations.history.story import story_between  # noqa: PLC0415  only a reader needs it
    from clew.story.budget import WorkerLimits  # noqa: PLC0415

    seconds = context.host.story_seconds or _SECONDS
    limits = WorkerLimits(seconds, _PROCESSOR_SECONDS, per_path=_PER_PATH)
    story = story_between(context, old, new, limits)
    if within:
        story = story.limited_to(
            lambda path: any(is_within(os.fsencode(path), one) for one in within)
        )
    return story.without_paths() if story.lines else None


def _without_common(facts: RestoreFacts) -> RestoreFacts:
    """Leave out what happened on both sides: the restore does not change it."""
    taken, brought = facts
    if taken is None or brought is None:
        return facts
    common = {line.text for line in taken.lines} & {line.text for line in brought.lines}
    if not common:
        return facts
    left = [
        story._replace(lines=tuple(line for line in story.lines if line.text not in common))
        for story in (taken, brought)
    ]
    return RestoreFacts(*(story if story.lines else None for story in left))
