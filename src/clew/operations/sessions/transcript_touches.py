"""Files that an agent read and changed, according to its transcript.

Only lines added since the last checkpoint are read.  Known files stay known: a compacted transcript,
or the start of a continued session, adds only files that are new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from clew.errors import OutsideWorkspace
from clew.filenames import absolute_path, as_argument, from_utf8
from clew.model.checkpoint import WorkspaceInfo
from clew.model.session import SessionInfo, Touch
from clew.operations.context import Context
from clew.operations.find_workspace import relative_path
from clew.operations.sessions.conversation import Taken
from clew.operations.sessions.lineage import lineage
from clew.transcripts.dialect import LARGE, Dialect
from clew.transcripts.registry import dialect_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_LOOKS_BACK = 1 << 20
"""How far back the beginning of a line is searched."""

Touches = list[tuple[bytes, str]]


def find_touches(context: Context, info: SessionInfo, taken: Taken) -> Touches:
    """Return path and `Touch` of every file in the added part of a transcript."""
    dialect = dialect_of(info.format)
    if dialect is None or info.transcript is None or taken.kept == taken.length:
        return []
    with open(info.transcript, "rb") as file:
        found = dict.fromkeys(_touches(context, file, taken, dialect))
    has_only_grown = 0 < info.length == taken.kept
    known = set() if has_only_grown else set(_known(context, info))
    return [touch for touch in found if touch not in known]


def keep_touches(context: Context, info: SessionInfo, touches: Touches) -> Callable[[], None]:
    """Return a function that writes them for the next checkpoint, inside its transaction."""
    sequence = context.store.workspaces.next_sequence(context.workspace)

    def commit() -> None:
        for path, how in touches:
            context.store.sessions.touch(info.id, path, how, sequence)

    return commit


def _touches(
    context: Context, file: BinaryIO, taken: Taken, dialect: Dialect
) -> Iterator[tuple[bytes, str]]:
    for line in _lines(file, taken):
        touched = dialect.touched(line)
        for how, texts in ((Touch.READ, touched.read), (Touch.CHANGED, touched.changed)):
            for text in texts:
                if "\0" not in text:
                    path = os.path.join(as_argument(context.root), from_utf8(text))
                    yield touched_path(context.info, path), how


def _lines(file: BinaryIO, taken: Taken) -> Iterator[bytes]:
    """Yield the added lines; a line that was incomplete before is read as a whole."""
    start = max(taken.kept - _LOOKS_BACK, 0)
    file.seek(start)
    begun = file.read(taken.kept - start).rfind(b"\n") + 1
    at = start + begun if begun or not start else taken.kept
    file.seek(at)
    while at < taken.length and (line := file.readline(LARGE)):
        at += len(line)
        yield line


def _known(context: Context, info: SessionInfo) -> Iterator[tuple[bytes, str]]:
    for session in lineage(context, info):
        for path, how, _ in context.store.sessions.touched(session.id):
            yield path, how


def touched_path(info: WorkspaceInfo, path: str) -> bytes:
    """Return a path as stored: relative inside the workspace, absolute elsewhere."""
    try:
        return relative_path(info, path)
    except OutsideWorkspace:
        return absolute_path(os.fsencode(path))
