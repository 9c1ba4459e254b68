"""File tracker: what an agent read and modified, retained when its conversation is compacted."""

from __future__ import annotations

import os
import re
from dataclasses import InitVar, dataclass, field

from clew.compat.chimera.workspaces import Records
from clew.places import StrPath

READ, MODIFIED = "read", "modified"

_TITLE = "## Files you've been working with"
_PATCHED = re.compile(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b/)(.+)$", re.MULTILINE)


@dataclass
class CompactionMetadata:
    """The files of a conversation that was compacted."""

    read_files: list[str] = field(default_factory=list)
    modified_files: list[str] = field(default_factory=list)
    tokens_before: int = 0
    tokens_after: int = 0

    def merge(self, other: CompactionMetadata) -> CompactionMetadata:
        """Return both, without duplicates; the token counts are those of `other`."""
        return CompactionMetadata(
            list(dict.fromkeys(self.read_files + other.read_files)),
            list(dict.fromkeys(self.modified_files + other.modified_files)),
            other.tokens_before,
            other.tokens_after,
        )

    def to_prompt_section(self) -> str:
        """Return a Markdown section for a prompt; empty if there are no files."""
        lines = []
        if self.modified_files:
            lines.append("Modified: " + ", ".join(self.modified_files))
        if self.read_files:
            lines.append("Read: " + ", ".join(self.read_files))
        return "\n".join([_TITLE, *lines]) if lines else ""


@dataclass
class FileTracker:
    """Files in the order in which they were first read or modified.

    With `workdir`, they are in the store: another process that tracks the same directory finds them.
    """

    read_files: list[str] = field(default_factory=list)
    modified_files: list[str] = field(default_factory=list)
    workdir: InitVar[StrPath | None] = field(default=None, kw_only=True)
    store: InitVar[StrPath | None] = field(default=None, kw_only=True)
    _records: Records | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self, workdir: StrPath | None, store: StrPath | None) -> None:
        if workdir is None:
            return
        self._records = Records(f"chimera.files {os.path.realpath(os.fspath(workdir))}", store)
        for entry in self._records.read().entries.values():
            self._add(entry["how"], entry["path"])

    def record_read(self, path: str) -> None:
        """Record a file as read."""
        self._record(READ, path)

    def record_modified(self, path: str) -> None:
        """Record a file as modified."""
        self._record(MODIFIED, path)

    def clear(self) -> None:
        """Remove all files, for a new conversation."""
        self.read_files.clear()
        self.modified_files.clear()
        if self._records is not None:
            with self._records.changing() as ledger:
                ledger.entries.clear()

    def to_metadata(self) -> CompactionMetadata:
        """Return the files as they are now."""
        return CompactionMetadata(list(self.read_files), list(self.modified_files))

    def to_prompt_section(self) -> str:
        """Return a Markdown section for a prompt; empty if there are no files."""
        return self.to_metadata().to_prompt_section()

    def _record(self, how: str, path: str) -> None:
        if self._add(how, path) and self._records is not None:
            with self._records.changing() as ledger:
                ledger.add({"how": how, "path": path})

    def _add(self, how: str, path: str) -> bool:
        files = self.read_files if how == READ else self.modified_files
        if path in files:
            return False
        files.append(path)
        return True


class FileAwareCompaction:
    """Mixin of a compaction strategy that mentions the files in its summary."""

    _metadata: CompactionMetadata | None = None

    def set_metadata(self, metadata: CompactionMetadata) -> None:
        """Set the files to mention."""
        self._metadata = metadata

    def get_file_prompt_section(self) -> str:
        """Return the section to prepend to a prompt; empty if there are no files."""
        return self._metadata.to_prompt_section() if self._metadata is not None else ""


def patched_files(patch: str) -> list[str]:
    """Return the files that a patch changes: of `apply_patch`, or a unified diff."""
    return list(dict.fromkeys(path.strip() for path in _PATCHED.findall(patch)))
