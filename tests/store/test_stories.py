"""Stories are stored beside checkpoints, and can be lost without losing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.checkpoint import Checkpoint
from clew.model.fact import Fact, Severity
from clew.model.ids import CheckpointId
from clew.model.story import Story, StoryLine
from clew.store.backup import backup
from clew.store.database import Database
from clew.store.layout import Layout
from clew.store.rebuild import rebuild
from clew.store.stories import StoredHeadline, StoredStory
from tests.store.scratch import QUIET, Scratch

STORY = Story(
    "installed flask 3.0.0 (pip)",
    (Fact("package.added", "pip:.", "flask", None, "3.0.0"),),
    (StoryLine("Packages", "installed flask 3.0.0 (pip)", Severity.NOTE, (), 3),),
    3,
)
OTHER = Story("nothing changed")


@pytest.fixture
def saved(scratch: Scratch) -> Checkpoint:
    scratch.write("file", "x")
    return scratch.save("first")


def rebuilt(scratch: Scratch) -> None:
    scratch.close()
    try:
        rebuild(Layout(str(scratch.root)), QUIET)
    finally:
        scratch.open()


def told(scratch: Scratch, checkpoint: CheckpointId) -> Story | None:
    kept = scratch.store.stories.get(checkpoint)
    return kept.story if kept else None


def test_a_story_is_kept_as_it_was_told(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store.stories.put(saved.id, saved.record.parent, "1.a", STORY)
    scratch.reopen()

    assert scratch.store.stories.get(saved.id) == StoredStory(STORY, None, "1.a")


def test_a_story_takes_the_place_of_the_one_before(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store.stories.put(saved.id, None, "1.a", STORY)
    scratch.store.stories.put(saved.id, saved.id, "1.b", OTHER)

    assert scratch.store.stories.get(saved.id) == StoredStory(OTHER, saved.id, "1.b")


def test_what_nobody_told_is_not_there(scratch: Scratch, saved: Checkpoint) -> None:
    assert scratch.store.stories.get(saved.id) is None
    assert scratch.store.stories.headlines(scratch.context.workspace) == {}


def test_headlines_are_those_of_one_workspace(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store.stories.put(saved.id, None, "1.a", STORY)

    assert scratch.store.stories.headlines(scratch.context.workspace) == {
        saved.id: StoredHeadline(STORY.headline, "1.a")
    }
    assert scratch.store.stories.headlines(bytes(16)) == {}


def test_a_headline_with_half_a_character_is_kept(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store.stories.put(saved.id, None, "1", Story("bad\udcff added"))

    assert told(scratch, saved.id) == Story("bad\udcff added")
    assert scratch.store.stories.headlines(scratch.context.workspace)[saved.id].headline == (
        "bad? added"
    )


def test_a_story_is_buried_with_its_checkpoint(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.write("file", "y")
    second = scratch.save("second")
    for one in (saved, second):
        scratch.store.stories.put(one.id, None, "1", STORY)
    scratch.bury(saved)

    assert told(scratch, saved.id) is None
    assert told(scratch, second.id) == STORY
    assert not scratch.store.database.execute(
        "SELECT 1 FROM stories WHERE checkpoint = ?", (saved.id,)
    )


@pytest.mark.parametrize("content", [b"", b"junk", b"de", b"i1e", STORY.headline.encode()])
def test_a_story_that_cannot_be_read_is_none(
    scratch: Scratch, saved: Checkpoint, content: bytes
) -> None:
    scratch.store.stories.put(saved.id, None, "1", STORY)
    scratch.store.database.execute("UPDATE stories SET content = ?", (content,))

    assert scratch.store.stories.get(saved.id) is None


def test_a_rebuild_brings_stories_along(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store.stories.put(saved.id, None, "1", STORY)
    rebuilt(scratch)

    assert told(scratch, saved.id) == STORY


def test_stories_come_back_from_the_backup_when_the_catalogue_is_lost(
    scratch: Scratch, saved: Checkpoint
) -> None:
    scratch.store.stories.put(saved.id, None, "1", STORY)
    backup(scratch.store)
    scratch.close()
    _lose_catalogue(scratch.root)
    rebuild(Layout(str(scratch.root)), QUIET)
    scratch.open()

    assert told(scratch, saved.id) == STORY


def test_a_backup_from_before_there_were_stories_is_as_good(
    scratch: Scratch, saved: Checkpoint
) -> None:
    scratch.store.stories.put(saved.id, None, "1", STORY)
    backup(scratch.store)
    scratch.close()
    _lose_catalogue(scratch.root)
    _age(scratch.root / "backup" / "annotations.db")
    rebuild(Layout(str(scratch.root)), QUIET)
    scratch.open()

    assert told(scratch, saved.id) is None
    assert scratch.context.find(saved.id).labels.intent == "first"
    scratch.store.stories.put(saved.id, None, "1", STORY)
    assert told(scratch, saved.id) == STORY


def _lose_catalogue(root: Path) -> None:
    for name in ("catalog.db", "catalog.db-wal", "catalog.db-shm"):
        (root / name).unlink(missing_ok=True)


def _age(path: Path) -> None:
    database = Database(str(path))
    database.script("DROP TABLE stories; PRAGMA user_version = 1")
    database.close()


def test_what_an_older_version_stored_is_read_redacted(scratch: Scratch, saved: Checkpoint) -> None:
    token = "sk_live_" + "a1B2" * 6
    fact = Fact("table.dropped", "sqlite:app.db", f"k_{token}", "12 rows", marks=(token,))
    line = StoryLine("Data", f"table k_{token} dropped (app.db)", Severity.HIGH, (), 1)
    old = Story(f"! table k_{token} dropped", (fact,), (line,), 1, f"Somebody dropped {token}.")
    scratch.store.stories.put(saved.id, None, "1.a", old)
    kept = told(scratch, saved.id)
    headline = scratch.store.stories.headlines(scratch.context.workspace)[saved.id].headline

    assert kept is not None
    assert token not in f"{kept!r} {headline}"
    assert headline == kept.headline == "! table k_[redacted] dropped"
    assert kept.facts[0].subject == "k_[redacted]"
