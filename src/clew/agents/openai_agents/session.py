"""SDK session whose items are the conversation of a clew session.

Each checkpoint contains them, and a restore resets them.
`limit` and an empty session behave as in the SDK's own `SQLiteSession`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agents.memory import SessionSettings

from clew.agents.serial_executor import SerialExecutor
from clew.worktree.agent_process import own_process

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

    from clew.workspace.session import Session
    from clew.workspace.workspace import Workspace

AGENT = "openai-agents"


class ClewSession:
    """Items of a conversation, stored with a workspace."""

    def __init__(
        self,
        session_id: str,
        workspace: Workspace,
        *,
        session_settings: SessionSettings | None = None,
        session: Session | None = None,
    ) -> None:
        """Start or continue the session of that name; `session` is one already open."""
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self.session = session or workspace.sessions.open(
            agent=AGENT, native=session_id, process=own_process()
        )
        """The session in clew."""
        self._executor = SerialExecutor(workspace, AGENT)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest items, oldest first; all of them without a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        found = await self._executor.run(self.session.messages)
        if limit is not None and limit >= 0:  # a negative limit means no limit, as in SQLite
            found = found[len(found) - min(limit, len(found)) :]
        return cast("list[Any]", found)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items; the next checkpoint contains them."""
        if items:
            await self._executor.run(lambda: self.session.say(*items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove and return the newest item; None if there is none."""
        taken = await self._executor.run(self.session.remove_last)
        return cast("Any", taken[0]) if taken else None

    async def clear_session(self) -> None:
        """Remove all items; checkpoints retain theirs."""
        await self._executor.run(lambda: self.session.rewrite(()))
