"""Stories: what happened between a checkpoint and its parent, or between any two states.

A worker derives a story after the commit, so it cannot harm a capture: a failure becomes a line of
the story.  Commands that read derive a story that is missing, or of another version, in memory;
`derive_and_store` and `missing_stories` store it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.fact import Fact
from clew.model.ids import CheckpointId
from clew.model.results import CheckpointStory, Difference
from clew.model.story import NOTHING, UNTOLD, Story, StoryLine
from clew.model.tree import count_files
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.diff import compare
from clew.operations.history.moment import StorySide
from clew.operations.maintenance.settings import WRITER
from clew.operations.restore.stopped_processes import signals_of
from clew.operations.save.scan import scan_live
from clew.operations.sessions.task_lists import with_tasks
from clew.render.units import count
from clew.story.looked import looked_facts
from clew.story.observed import observed_facts
from clew.story.version import cut_version, is_current_version, story_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.story.budget import WorkerLimits

_PATIENCE = 2.0
"""Seconds that a timeline spends on deriving missing stories."""


def story_of(context: Context, checkpoint: Checkpoint, *, with_paths: bool = False) -> Story:
    """Return the story of a checkpoint since its parent; write nothing."""
    since, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
    stored = None if with_paths else _stored_story(context, checkpoint, since)
    if stored is not None:
        return stored
    story = derive(context, checkpoint, since)
    return story if with_paths else story.without_paths()


def derive_and_store(context: Context, checkpoint: Checkpoint) -> Story:
    """Return the story of a checkpoint, and store it if it was missing or of another version.

    The caller holds the store's lock, shared.
    """
    since, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
    stored = _stored_story(context, checkpoint, since)
    if stored is not None:
        return stored
    version = current_version(context)
    story = derive(context, checkpoint, since)
    if context.store.writable and story.headline != UNTOLD:
        try:
            kept = cut_version(version) if story.is_cut else version
            context.store.stories.put(checkpoint.id, since, kept, story)
        except ClewError:
            pass  # it is derived again
    return story.without_paths()


def current_version(context: Context) -> str:
    """Return the version of a story that is derived now."""
    return story_version(context.store.settings.all(context.workspace))


def derive(
    context: Context,
    checkpoint: Checkpoint,
    since: CheckpointId | None,
    limits: WorkerLimits | None = None,
) -> Story:
    """Derive the story of a checkpoint since an ancestor; write nothing."""
    context.host.fail_point("story.derive")
    return _retold(context, _derive(context, checkpoint, since, limits))


def story_details(
    context: Context, checkpoint: Checkpoint, *, with_paths: bool = False
) -> CheckpointStory:
    """Return a checkpoint with its story, and what its intent does not mention."""
    from clew.story.intent import left_unsaid  # noqa: PLC0415  a save does not ask for it

    story = story_of(context, checkpoint, with_paths=with_paths)
    unmentioned = left_unsaid(checkpoint.labels.intent, story)
    verdicts = tuple(context.store.verdicts.of_state(checkpoint.record.state))
    shown = with_tasks(context, checkpoint._replace(headline=story.headline))
    look = context.store.looks.get(checkpoint.id)
    return CheckpointStory(shown, story, unmentioned, verdicts, look)


def derive_unstored(
    context: Context, checkpoints: Sequence[Checkpoint]
) -> dict[CheckpointId, Story]:
    """Return the stories of checkpoints that have none, as many as time allows; store nothing."""
    deadline = context.host.monotonic() + _PATIENCE
    found: dict[CheckpointId, Story] = {}
    for checkpoint in checkpoints:
        if context.host.monotonic() > deadline:
            break
        try:
            since, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
            stored = _stored_story(context, checkpoint, since)
            found[checkpoint.id] = stored or _derive(context, checkpoint, since)
        except (ClewError, OSError):
            continue  # the timeline is shown without it
    return found


def story_between(
    context: Context, old: StorySide, new: StorySide, limits: WorkerLimits | None = None
) -> Story:
    """Return the story between any two states, in either direction."""
    facts = [
        *observed_facts(old.signals, new.signals, os.fsdecode(context.root)),
        *looked_facts(old.look, new.look),
    ]
    if old.tree == new.tree:
        return _only_observed(facts)
    from clew.operations.history.story_worker import derive_story  # noqa: PLC0415  an unchanged save needs none of it

    return derive_story(context, old, new, facts, limits)


def difference_with_story(
    context: Context,
    old: Checkpoint | None,
    new: Checkpoint | None,
    within: Sequence[bytes],
    monitor: Monitor,
) -> Difference:
    """Return how two states differ, with the story of the whole workspace."""
    signals = None if new is not None else context.host.observe(context.root)
    seen = scan_live(context, monitor) if new is None else None
    found = compare(context, old, new, seen, within)
    if old is None:
        return found
    if seen is not None:
        after = StorySide(seen[0].tree, signals, seen[1])
    else:
        assert new is not None
        after = story_side(context, new)
    story = story_between(context, story_side(context, old), after)
    return found._replace(story=story.without_paths())


def story_side(context: Context, checkpoint: Checkpoint) -> StorySide:
    """Return a checkpoint as one side of a story."""
    look = context.store.looks.get(checkpoint.id)
    return StorySide(checkpoint.record.tree, signals_of(context, checkpoint), look=look)


def _stored_story(
    context: Context, checkpoint: Checkpoint, since: CheckpointId | None
) -> Story | None:
    """Return the stored story if it is current; one whose parent is gone cannot be derived again."""
    stored = context.store.stories.get(checkpoint.id)
    if stored is None:
        return None
    is_frozen = since != checkpoint.record.parent
    is_current = is_current_version(stored.version, current_version(context))
    return stored.story if is_frozen or is_current else None


def _derive(
    context: Context,
    checkpoint: Checkpoint,
    since: CheckpointId | None,
    limits: WorkerLimits | None = None,
) -> Story:
    if since is None:
        files = count_files(checkpoint.record.tree, context.store.objects.get)
        what = "new workspace" if checkpoint.record.parent is None else "the first that is left"
        return Story(f"{what}, {count(files, 'file')}")
    parent = context.find(since)
    before, after = story_side(context, parent), story_side(context, checkpoint)
    story = story_between(context, before, after, limits)
    if since == checkpoint.record.parent:
        return story
    text = "told since an earlier checkpoint: those between were deleted"
    return story._replace(lines=(*story.lines, StoryLine("Not analysed", text)))


def _only_observed(facts: list[Fact]) -> Story:
    """Return the story of a period in which no file changed."""
    if not facts:
        return Story(NOTHING)
    from clew.story.compose import compose_observed  # noqa: PLC0415  most saves have no such facts

    return compose_observed(facts)


def _retold(context: Context, story: Story) -> Story:
    """Let the user's writer command rephrase a story, if one is set."""
    command = context.store.settings.all(context.workspace).get(WRITER, "")
    if not command or not story.facts:
        return story
    from clew.policy.redaction.redact import redact_sentence  # noqa: PLC0415  the same
    from clew.render.json import dumps  # noqa: PLC0415  only for those who have a writer
    from clew.render.json_values import story_value  # noqa: PLC0415
    from clew.story.writer import write_text  # noqa: PLC0415

    text = write_text(story, command, dumps(story_value(story)))
    return story._replace(retold=redact_sentence(text))
