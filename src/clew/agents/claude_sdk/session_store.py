"""A session store of the Claude Agent SDK in clew's own.

A session of the SDK is a session of clew, and its entries are what was said in it: every checkpoint
holds them as far as they were, and a restore sets them back together with the files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from claude_agent_sdk import SessionStore, fold_session_summary, project_key_for_directory

from clew.agents.claude_sdk.arrival import Mirrored
from clew.agents.claude_sdk.entries import (
    MAIN,
    deletion_of,
    entries_of,
    has_main,
    line_of,
    subpaths_of,
)
from clew.agents.claude_sdk.place import AsyncWorkspace, Where
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.operations.sessions.conversation import lines as lines_of_conversation

if TYPE_CHECKING:
    from claude_agent_sdk.types import (
        SessionKey,
        SessionListSubkeysKey,
        SessionStoreEntry,
        SessionStoreListEntry,
        SessionSummaryEntry,
    )

    from clew.agents.claude_sdk.entries import Entry
    from clew.workspace import Workspace

AGENT = "claude-agent-sdk"
_MILLISECOND = 1_000_000


class ClewSessionStore(SessionStore):
    """What sessions said, kept with the workspace they worked in."""

    def __init__(self, where: Where) -> None:
        self._place = AsyncWorkspace(where)
        self.mirrored = Mirrored()
        """Which results of calls have come in; for hooks that wait for them."""

    async def begin(self, key: SessionKey) -> str:
        """Make sure that clew knows a session, and return what it is called there."""

        def begun(workspace: Workspace) -> str:
            with workspace.reading_context() as context, context.store.database.transaction():
                return _found_or_begun(context, key).native

        return await self._place.do(begun)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Keep entries behind those that are there; all of them or none."""
        name = key.get("subpath") or MAIN
        lines = [line_of(name, cast("Entry", entry)) for entry in entries]
        await self._place.do(lambda workspace: _say(workspace, key, lines))
        self.mirrored.add(cast("list[Entry]", entries))

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return a transcript as it stands; None where there is none."""
        name = key.get("subpath") or MAIN

        def loaded(workspace: Workspace) -> list[Entry]:
            with workspace.reading_context() as context:
                return entries_of(_lines(context, _find(context, key)), name)

        return cast("list[SessionStoreEntry]", await self._place.do(loaded)) or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project, each with the time it was last heard of."""

        def listed(workspace: Workspace) -> list[SessionStoreListEntry]:
            with workspace.reading_context() as context:
                return [
                    {"session_id": name, "mtime": info.seen_ns // _MILLISECOND}
                    for name, info in _sessions(context, project_key)
                    if has_main(_lines(context, info))
                ]

        return await self._place.do(listed)

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return what the SDK makes of each session's entries.

        It is made when it is asked for: a summary that was kept would be wrong after a restore.
        """

        def summed_up(workspace: Workspace) -> list[SessionSummaryEntry]:
            with workspace.reading_context() as context:
                found = [
                    _summary(project_key, name, info, entries_of(_lines(context, info), MAIN))
                    for name, info in _sessions(context, project_key)
                ]
            return [summary for summary in found if summary is not None]

        return await self._place.do(summed_up)

    async def delete(self, key: SessionKey) -> None:
        """Forget a session and its helpers, or one helper; checkpoints that hold it stay."""
        subpath = key.get("subpath")

        def deleted(workspace: Workspace) -> None:
            with workspace.reading_context() as context:
                if (info := _find(context, key)) is None:
                    return
                if subpath:
                    context.store.sessions.say(info.id, [deletion_of(subpath)])
                else:
                    _forget(context, info)

        await self._place.do(deleted)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the names of the transcripts of a session's helpers."""

        def listed(workspace: Workspace) -> list[str]:
            with workspace.reading_context() as context:
                return subpaths_of(_lines(context, _find(context, key)))

        return await self._place.do(listed)

    def close(self) -> None:
        """Let go of the store."""
        self._place.close()


def native_of(context: Context, key: SessionKey | SessionListSubkeysKey) -> str:
    """Return what a session is called: its id, and a mark where it is of another directory."""
    return key["session_id"] + _mark(context, key["project_key"])


def _mark(context: Context, project_key: str) -> str:
    if project_key == project_key_for_directory(os.fsdecode(context.root)):
        return ""
    return "@" + sha256(project_key.encode("utf-8", "replace")).hexdigest()[:12]


def _sessions(context: Context, project_key: str) -> Iterator[tuple[str, SessionInfo]]:
    """Yield id and session of all that belong to a project."""
    mark = _mark(context, project_key)
    for info in context.store.sessions.of(context.workspace):
        name, at, rest = info.native.partition("@")
        if info.agent == AGENT and name and at + rest == mark:
            yield name, info


def _find(context: Context, key: SessionKey | SessionListSubkeysKey) -> SessionInfo | None:
    native = native_of(context, key)
    for info in context.store.sessions.of(context.workspace):
        if (info.agent, info.native) == (AGENT, native):
            return info
    return None


def _found_or_begun(context: Context, key: SessionKey) -> SessionInfo:
    """Return the session of a key; inside a transaction, so that two do not begin it both."""
    found = _find(context, key)
    if found is not None:
        return found
    begun = SessionInfo(b"", context.workspace, agent=AGENT, native=native_of(context, key))
    return context.store.sessions.insert(begun)


def _say(workspace: Workspace, key: SessionKey, lines: list[bytes]) -> None:
    if not lines:
        return
    with workspace.reading_context() as context, context.store.database.transaction():
        info = _found_or_begun(context, key)
        context.store.sessions.add_pending(info.id, lines)
        context.store.sessions.set_state(info.id, info.state)  # heard of now


def _lines(context: Context, info: SessionInfo | None) -> Iterator[bytes]:
    if info is None:
        return
    yield from lines_of_conversation(info.conversation, context.store.objects.get)
    for _, content in context.store.sessions.pending(info.id):
        yield content


def _summary(
    project_key: str, name: str, info: SessionInfo, entries: list[Entry]
) -> SessionSummaryEntry | None:
    if not entries:
        return None
    key: SessionKey = {"project_key": project_key, "session_id": name}
    summary = fold_session_summary(None, key, cast("list[SessionStoreEntry]", entries))
    summary["mtime"] = info.seen_ns // _MILLISECOND
    return summary


def _forget(context: Context, info: SessionInfo) -> None:
    """Leave a session without name and without words."""
    nameless = info._replace(native="", attached=False, conversation=None, length=0)
    with context.store.database.transaction():
        last = max((number for number, _ in context.store.sessions.pending(info.id)), default=0)
        context.store.sessions.forget_pending(info.id, last)
        context.store.sessions.update(nameless)
