"""The results of `clew grep`."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.excerpt import Excerpt
from clew.model.named_tuple import NamedTuple


class Lifetime(NamedTuple):
    """The checkpoints that hold a line, in the order they were saved."""

    first: Checkpoint
    last: Checkpoint
    held: int
    """How many checkpoints hold it."""
    between: int
    """How many there are from the first to the last; more than `held` if it was gone for a time."""
    is_current: bool
    """Whether the current checkpoint holds it."""


class GrepHit(NamedTuple):
    """One line of a file, once for all checkpoints that hold it."""

    path: bytes
    number: int
    """Its line number in the newest of them; 0 for a binary file, or if only files are listed."""
    line: Excerpt
    """With secrets redacted, unless they were asked for; empty if `number` is 0."""
    lifetime: Lifetime
    is_binary: bool = False
    is_redacted: bool = False


class GrepResult(NamedTuple):
    """The lines that match, by path and line number."""

    hits: tuple[GrepHit, ...]
    checkpoints: int
    """Number of checkpoints searched."""
    contents: int
    """Number of different files read; each is read once."""
    read_bytes: int
    more: int = 0
    """Number of hits beyond the limit."""
    skipped: tuple[bytes, ...] = ()
    """Generated directories that were not searched."""
    notes: tuple[str, ...] = ()
    """What else was not searched, one sentence each."""
