"""What exclude patterns would leave out of a checkpoint."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.path import as_text


class PatternEffect(NamedTuple):
    """What one pattern matches, by itself."""

    pattern: bytes
    files: int = 0
    size: int = 0
    """Of these files, in bytes."""
    left_out: int = 0
    """Names that the checkpoint does not hold for such a pattern already."""
    valued: tuple[tuple[bytes, str], ...] = ()
    """Databases, environment files and repositories among them: path and kind."""
    doubts: tuple[str, ...] = ()
    """What in it may not mean what its author thinks, one sentence each."""

    @property
    def warnings(self) -> list[str]:
        """What may not be meant, one sentence each; the names in it are not escaped."""
        named = [f"{as_text(path)} ({kind})" for path, kind in self.valued]
        kept = f"it leaves out {', '.join(named)}: not saved, and left as it is by a restore"
        return [*self.doubts, *([kept] if named else [])]


class ExcludeEffects(NamedTuple):
    """What the exclude patterns of a workspace match."""

    patterns: tuple[PatternEffect, ...]
    checkpoint: Checkpoint | None = None
    """The checkpoint that was searched, if there is one."""
    is_complete: bool = True
    """Whether all of it was searched."""
