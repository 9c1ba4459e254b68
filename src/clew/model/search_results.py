"""The results of `clew search`."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.excerpt import Excerpt
from clew.model.named_tuple import NamedTuple


class Section:
    """Where a search looks; values of `--in` and of the JSON."""

    INTENTS = "intents"
    """Intent, name and description."""
    NOTES = "notes"
    """Notes and metadata that were added later."""
    CHECKS = "checks"
    """Commands of verdicts."""
    HEADLINES = "headlines"
    FACTS = "facts"
    """The lines and facts of stored stories."""
    PATHS = "paths"
    """Paths that changed since the parent."""
    CONVERSATION = "conversation"
    """Messages of agents' sessions."""

    ALL = (INTENTS, NOTES, CHECKS, HEADLINES, FACTS, PATHS, CONVERSATION)


class SearchHit(NamedTuple):
    """One place of a checkpoint where all words were found."""

    section: str
    excerpt: Excerpt
    """With secrets redacted."""
    role: str = ""
    """Who said a message."""
    path: bytes | None = None
    """The changed path, or the directory that the changed paths have in common."""
    kind: str = ""
    """How it changed."""
    paths: int = 1
    """Number of changed paths."""


class SearchMatch(NamedTuple):
    """A checkpoint, and where in it the words were found."""

    checkpoint: Checkpoint
    workspace: WorkspaceInfo
    hits: tuple[SearchHit, ...]
    hidden: int = 0
    """Number of further messages that match."""


class SearchResult(NamedTuple):
    """The checkpoints that match, newest first."""

    words: tuple[str, ...]
    matches: tuple[SearchMatch, ...]
    searched: int
    """Number of checkpoints searched."""
    more: int = 0
    """Number of matches beyond the limit."""
    notes: tuple[str, ...] = ()
    """What was not searched, one sentence each."""
