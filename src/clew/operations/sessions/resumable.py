"""Write a conversation as a new session that its agent can resume.

The agent's own transcript is never changed: the agent may be writing to it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

from clew.filenames import real_path
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.parts import Resumable
from clew.model.session import NOT_RESUMED, SessionInfo
from clew.operations.context import Context
from clew.operations.sessions.conversation import lines
from clew.transcripts.dialect import Dialect, Renewal
from clew.transcripts.registry import dialect_of
from clew.worktree.transcript_file import begins_with, replace

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Fresh(NamedTuple):
    """A session that continues another."""

    info: SessionInfo
    resumable: Resumable


def write_resumable(
    context: Context,
    session: SessionInfo,
    conversation: ObjectId,
    fresh: bytes,
    at_ns: int,
    cwd: str | None = None,
) -> Fresh:
    """Write a transcript under a new id; OSError or ValueError if that fails.

    The same `fresh` and `at_ns` produce the same file, so an interrupted write can be repeated.
    """
    dialect = dialect_of(session.format)
    assert dialect is not None
    assert session.transcript is not None
    name = uuid_text(fresh)
    timestamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at_ns // 10**9))
    path = dialect.place(session.transcript, name, cwd, timestamp)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    renewal = Renewal(name, cwd, timestamp)

    def said() -> Iterator[bytes]:
        return dialect.renewed(lines(conversation, context.store.objects.get), renewal)

    # One that was written before the restore was interrupted may have been continued since.
    if not begins_with(path, said()):
        replace(real_path(path), said, said, b".clew-" + fresh.hex().encode())
    info = session._replace(
        id=fresh,
        native=name,
        transcript=path,
        conversation=None,  # the next checkpoint reads it from the file
        length=0,
        attached=True,
        started_ns=0,
        seen_ns=0,
        ended_ns=0,
        process=NOT_RESUMED,
        origin=session.id,
    )
    return Fresh(info, Resumable(name, path, dialect.command(name)))


def standing_session(session: SessionInfo) -> Fresh:
    """Return a session whose own transcript already has the wanted content."""
    dialect = dialect_of(session.format)
    assert dialect is not None
    return Fresh(session._replace(attached=True), _resumable(session, dialect))


def uuid_text(identifier: bytes) -> str:
    """Return 16 bytes in the form of a random UUID."""
    found = bytearray(identifier)
    found[6] = found[6] & 0x0F | 0x40
    found[8] = found[8] & 0x3F | 0x80
    digits = found.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _resumable(session: SessionInfo, dialect: Dialect) -> Resumable:
    path = session.transcript or b""
    named = _UUID.findall(os.path.basename(path).decode("utf-8", "replace"))
    name = session.native or (named[-1] if named else "")
    return Resumable(name, path, dialect.command(name))
