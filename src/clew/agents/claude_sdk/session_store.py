"""Session store for the Claude Agent SDK, backed by clew's store.

An SDK session is a clew session, and its entries are the conversation: every checkpoint contains
them, and a restore resets them together with the files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from claude_agent_sdk import SessionStore, fold_session_summary, project_key_for_directory

from clew.agents.claude_sdk.async_workspace import AsyncWorkspace, Where
from clew.agents.claude_sdk.entries import (
    MAIN,
    deletion_of,
    entries_of,
    has_main,
    line_of,
    subpaths_of,
)
from clew.agents.claude_sdk.received_results import ReceivedResults
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
    """Stores the entries of sessions with their workspace."""

    def __init__(self, where: Where) -> None:
        self._workspace = AsyncWorkspace(where)
        self.received = ReceivedResults()
        """The calls whose results have arrived, for hooks that wait for them."""

    async def begin(self, key: SessionKey) -> str:
        """Start a session in clew unless it exists, and return its name."""

        def started(workspace: Workspace) -> str:
            with workspace.reading_context() as context, context.store.database.transaction():
                return _find_or_start(context, key).native

        return await self._workspace.do(started)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Append entries atomically."""
        name = key.get("subpath") or MAIN
        lines = [line_of(name, cast("Entry", entry)) for entry in entries]
        await self._workspace.do(lambda workspace: _append(workspace, key, lines))
        self.received.add(cast("list[Entry]", entries))

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return the entries of a transcript; None if there are none."""
        name = key.get("subpath") or MAIN

        def loaded(workspace: Workspace) -> list[Entry]:
            with workspace.reading_context() as context:
                return entries_of(_lines(context, _find(context, key)), name)

        return cast("list[SessionStoreEntry]", await self._workspace.do(loaded)) or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project, each with the time of its last event."""

        def listed(workspace: Workspace) -> list[SessionStoreListEntry]:
            with workspace.reading_context() as context:
                return [
                    {"session_id": name, "mtime": info.seen_ns // _MILLISECOND}
                    for name, info in _sessions(context, project_key)
                    if has_main(_lines(context, info))
                ]

        return await self._workspace.do(listed)

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return the SDK's summary of each session.

        Summaries are computed on request: a stored one would be wrong after a restore.
        """

        def summarise(workspace: Workspace) -> list[SessionSummaryEntry]:
            with workspace.reading_context() as context:
                found = [
                    _summary(project_key, name, info, entries_of(_lines(context, info), MAIN))
                    for name, info in _sessions(context, project_key)
                ]
            return [summary for summary in found if summary is not None]

        return await self._workspace.do(summarise)

    async def delete(self, key: SessionKey) -> None:
        """Delete a session with its subagents, or one subagent; checkpoints retain their copy."""
        subpath = key.get("subpath")

        def deleted(workspace: Workspace) -> None:
            with workspace.reading_context() as context:
                if (info := _find(context, key)) is None:
                    return
                if subpath:
                    context.store.sessions.say(info.id, [deletion_of(subpath)])
                else:
                    _clear(context, info)

        await self._workspace.do(deleted)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the names of the transcripts of a session's subagents."""

        def listed(workspace: Workspace) -> list[str]:
            with workspace.reading_context() as context:
                return subpaths_of(_lines(context, _find(context, key)))

        return await self._workspace.do(listed)

    def close(self) -> None:
        """Close the store."""
        self._workspace.close()


def native_of(context: Context, key: SessionKey | SessionListSubkeysKey) -> str:
    """Return the name of a session: its id, with a suffix if it belongs to another directory."""
    return key["session_id"] + _project_suffix(context, key["project_key"])


def _project_suffix(context: Context, project_key: str) -> str:
    if project_key == project_key_for_directory(os.fsdecode(context.root)):
        return ""
    return "@" + sha256(project_key.encode("utf-8", "replace")).hexdigest()[:12]


def _sessions(context: Context, project_key: str) -> Iterator[tuple[str, SessionInfo]]:
    """Yield the id and the session of all sessions of a project."""
    suffix = _project_suffix(context, project_key)
    for info in context.store.sessions.of(context.workspace):
        name, at, rest = info.native.partition("@")
        if info.agent == AGENT and name and at + rest == suffix:
            yield name, info


def _find(context: Context, key: SessionKey | SessionListSubkeysKey) -> SessionInfo | None:
    native = native_of(context, key)
    for info in context.store.sessions.of(context.workspace):
        if (info.agent, info.native) == (AGENT, native):
            return info
    return None


def _find_or_start(context: Context, key: SessionKey) -> SessionInfo:
    """Return the session of a key; call it in a transaction, so that it is started once."""
    found = _find(context, key)
    if found is not None:
        return found
    started = SessionInfo(b"", context.workspace, agent=AGENT, native=native_of(context, key))
    return context.store.sessions.insert(started)


def _append(workspace: Workspace, key: SessionKey, lines: list[bytes]) -> None:
    if not lines:
        return
    with workspace.reading_context() as context, context.store.database.transaction():
        info = _find_or_start(context, key)
        context.store.sessions.add_pending(info.id, lines)
        context.store.sessions.set_state(info.id, info.state)  # updates the time of its last event


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


def _clear(context: Context, info: SessionInfo) -> None:
    """Remove the name and the conversation of a session."""
    cleared = info._replace(native="", attached=False, conversation=None, length=0)
    with context.store.database.transaction():
        last = max((number for number, _ in context.store.sessions.pending(info.id)), default=0)
        context.store.sessions.forget_pending(info.id, last)
        context.store.sessions.update(cleared)
