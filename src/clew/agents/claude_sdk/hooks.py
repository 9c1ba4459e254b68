"""Claude Agent SDK hooks: the events of Claude Code's command hooks, handled in this process."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from claude_agent_sdk import HookMatcher

from clew.agents.claude_sdk.async_workspace import AsyncWorkspace, Where
from clew.agents.claude_sdk.received_results import (
    SHORT_TIMEOUT_SECONDS,
    TIMEOUT_SECONDS,
    wait_for_results,
)
from clew.agents.claude_sdk.session_store import AGENT, ClewSessionStore
from clew.agents.hooks import claude_code, log
from clew.agents.hooks.act import apply_event
from clew.agents.hooks.events import Event, EventKind, HookAnswer
from clew.agents.watch import Watch

if TYPE_CHECKING:
    from claude_agent_sdk.types import HookEvent, HookJSONOutput

    from clew.workspace import Workspace

EVENTS = (
    "SessionStart",  # not sent by every version
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStop",
    "Stop",
    "SessionEnd",
)

Hooks = dict["HookEvent", list[HookMatcher]]


def clew_hooks(where: Where, session_store: ClewSessionStore | None = None) -> Hooks:
    """Return hooks for `ClaudeAgentOptions(hooks=...)` that checkpoint the agent's work.

    With the session store of the same options, the conversation is taken from it; without one it is
    read from Claude Code's own transcript.
    """
    listener = _Listener(where, session_store)
    matcher = HookMatcher(hooks=[listener.handle_event])
    return cast("Hooks", {event: [matcher] for event in EVENTS})


class _Listener:
    """Handles every event; errors are logged and do not stop the agent."""

    def __init__(self, where: Where, session_store: ClewSessionStore | None) -> None:
        self._workspace = AsyncWorkspace(where)
        self._store = session_store
        self._watches: dict[str, Watch] = {}
        self._timeout = TIMEOUT_SECONDS
        if session_store is not None:
            session_store.received.is_enabled = True

    async def handle_event(
        self, payload: Any, tool_use_id: str | None, context: Any
    ) -> HookJSONOutput:
        event = claude_code.read(payload)
        try:
            answer = await self._answer(event)
        except Exception as error:  # noqa: BLE001 - no error stops the agent
            _log(event, error)
            return {}
        return cast("HookJSONOutput", claude_code.reply(event, answer) or {})

    async def _answer(self, event: Event) -> HookAnswer:
        if event.kind == EventKind.OTHER or not event.session:
            return HookAnswer()
        if self._store is not None:  # for a transcript, the watch itself waits
            await self._wait_for_results(event, self._store)
        native = await self._native(event)

        def handle(workspace: Workspace) -> HookAnswer:
            news = ""
            if native not in self._watches:
                self._watches[native] = self._start_watch(workspace, event, native)
                if event.kind != EventKind.STARTED:
                    news = self._watches[native].started()
            answer = apply_event(self._watches[native], event)
            return answer._replace(context=answer.context or news)

        return await self._workspace.do(handle)

    def _start_watch(self, workspace: Workspace, event: Event, native: str) -> Watch:
        if self._store is not None:
            return Watch.begin(workspace, agent=AGENT, version=_version(), native=native)
        return Watch.begin(
            workspace,
            agent=claude_code.NAME,
            native=native,
            transcript=event.transcript,
            kind=event.format if event.transcript else None,
        )

    async def _native(self, event: Event) -> str:
        """Return the session's name in clew; the session store starts its own sessions."""
        if self._store is None or event.transcript is None:
            return event.session
        project = PurePath(event.transcript).parent.name
        return await self._store.begin({"project_key": project, "session_id": event.session})

    async def _wait_for_results(self, event: Event, store: ClewSessionStore) -> None:
        calls = [one.call.id for one in event.ended]
        if event.kind != EventKind.AFTER or not calls:
            return
        if not await wait_for_results(store.received, calls, self._timeout):
            self._timeout = SHORT_TIMEOUT_SECONDS
        store.received.forget(calls)


def _log(event: Event, error: Exception) -> None:
    message = f"{type(error).__name__}: {error}"
    try:
        log.write(log.log_path(os.environ), AGENT, event.name, event.cwd, message)
    except OSError:
        pass  # no other place to report it


def _version() -> str:
    from claude_agent_sdk import __version__

    return __version__
