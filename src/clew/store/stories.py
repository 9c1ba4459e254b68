"""Stories that were told, kept so that nobody has to tell them again.

A row can be lost without losing a checkpoint: it is made again from the trees.
Only where the parent is gone is it the last witness, so then it is never replaced.
"""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.story import Story


class KeptStory(NamedTuple):
    """A story as it was told."""

    story: Story
    since: CheckpointId | None
    """What the checkpoint was compared with."""
    version: str
    """Which detectors told it."""


class KeptHeadline(NamedTuple):
    """What a timeline shows of a story."""

    headline: str
    version: str


class Stories:
    """The rows of the stories table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, checkpoint: CheckpointId) -> KeptStory | None:
        """Return the story of a checkpoint, if it was told and can be read."""
        row = self._database.one(
            "SELECT content, since, version FROM stories WHERE checkpoint = ?", (checkpoint,)
        )
        if row is None:
            return None
        from clew.model.story import decode_story  # a timeline shows headlines only

        try:
            story = decode_story(row[0])
        except ValueError:
            return None  # it is made again
        return KeptStory(story, CheckpointId(row[1]) if row[1] else None, row[2])

    def headlines(self, workspace: bytes) -> dict[CheckpointId, KeptHeadline]:
        """Return the headline of every story of a workspace."""
        rows = self._database.execute(
            "SELECT s.checkpoint, s.headline, s.version FROM stories s"
            " JOIN checkpoints c ON c.id = s.checkpoint WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]): KeptHeadline(row[1], row[2]) for row in rows}

    def severities(self, workspace: bytes) -> dict[CheckpointId, str]:
        """Return how loud every story of a workspace is."""
        rows = self._database.execute(
            "SELECT s.checkpoint, s.severity FROM stories s"
            " JOIN checkpoints c ON c.id = s.checkpoint WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]): row[1] for row in rows}

    def put(
        self, checkpoint: CheckpointId, since: CheckpointId | None, version: str, story: Story
    ) -> None:
        """Keep a story in place of the one before."""
        from clew.model.story import encode_story

        headline = story.headline.encode(
            errors="replace"
        ).decode()  # SQLite takes no half characters
        self._database.execute(
            "INSERT OR REPLACE INTO stories VALUES (?, ?, ?, ?, ?, ?)",
            (checkpoint, since, version, headline, story.severity, encode_story(story)),
        )
