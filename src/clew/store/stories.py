"""Stories table: a cache of derived stories.

A lost row can be derived again from the trees.  If the parent checkpoint is gone, the row is the only
source, and then it is never replaced.
"""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.story import Story


class StoredStory(NamedTuple):
    """A stored story."""

    story: Story
    since: CheckpointId | None
    """The checkpoint it was compared with."""
    version: str
    """The version of the detectors that derived it."""


class StoredHeadline(NamedTuple):
    """The part of a story that a timeline shows."""

    text: str
    """As an older version wrote it, perhaps with a token in a name."""
    version: str

    @property
    def headline(self) -> str:
        from clew.policy.redaction.redact import redact_sentence  # a timeline reads few of them

        return redact_sentence(self.text)


class Stories:
    """The rows of the stories table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, checkpoint: CheckpointId) -> StoredStory | None:
        """Return the stored story of a checkpoint; None if there is none or it cannot be read."""
        row = self._database.one(
            "SELECT content, since, version FROM stories WHERE checkpoint = ?", (checkpoint,)
        )
        if row is None:
            return None
        from clew.model.story import decode_story  # a timeline shows headlines only
        from clew.policy.redaction.story import redacted_story

        try:
            story = redacted_story(decode_story(row[0]))
        except ValueError:
            return None  # it is derived again
        return StoredStory(story, CheckpointId(row[1]) if row[1] else None, row[2])

    def headlines(self, workspace: bytes) -> dict[CheckpointId, StoredHeadline]:
        """Return the headline of every story of a workspace."""
        rows = self._database.execute(
            "SELECT s.checkpoint, s.headline, s.version FROM stories s"
            " JOIN checkpoints c ON c.id = s.checkpoint WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]): StoredHeadline(row[1], row[2]) for row in rows}

    def kinds(self, checkpoint: CheckpointId) -> frozenset[str] | None:
        """Return the kinds of the facts of a stored story; None if there is none."""
        row = self._database.one("SELECT content FROM stories WHERE checkpoint = ?", (checkpoint,))
        if row is None:
            return None
        from clew.model.story import decode_story

        try:
            return frozenset(fact.kind for fact in decode_story(row[0]).facts)
        except ValueError:
            return None

    def severities(self, workspace: bytes) -> dict[CheckpointId, str]:
        """Return the severity of every story of a workspace."""
        rows = self._database.execute(
            "SELECT s.checkpoint, s.severity FROM stories s"
            " JOIN checkpoints c ON c.id = s.checkpoint WHERE c.workspace = ?",
            (workspace,),
        )
        return {CheckpointId(row[0]): row[1] for row in rows}

    def missing(self, workspace: bytes, version: str, limit: int) -> list[CheckpointId]:
        """Return checkpoints, newest first, whose story is missing or of another version.

        A story of another version is not listed if the parent is gone: it is never replaced.
        """
        rows = self._database.execute(
            "SELECT c.id FROM checkpoints c"
            " LEFT JOIN stories s ON s.checkpoint = c.id"
            " LEFT JOIN checkpoints p ON p.id = c.parent"
            " WHERE c.workspace = ? AND c.deleted IS NULL AND (s.checkpoint IS NULL"
            " OR (s.version <> ? AND (c.parent IS NULL OR (p.id IS NOT NULL AND p.deleted IS NULL))))"
            " ORDER BY c.sequence DESC LIMIT ?",
            (workspace, version, limit),
        )
        return [CheckpointId(row[0]) for row in rows]

    def put(
        self, checkpoint: CheckpointId, since: CheckpointId | None, version: str, story: Story
    ) -> None:
        """Store a story, replacing the previous one, unless the checkpoint was deleted."""
        from clew.model.story import encode_story

        # SQLite rejects unpaired surrogates.
        headline = story.headline.encode(errors="replace").decode()
        self._database.execute(
            "INSERT OR REPLACE INTO stories SELECT id, ?, ?, ?, ?, ? FROM checkpoints"
            " WHERE id = ? AND deleted IS NULL",
            (since, version, headline, story.severity, encode_story(story), checkpoint),
        )
