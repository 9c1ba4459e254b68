"""Conversation store of the agent: read and reset it.

PraisonAI has several kinds of stores with different methods, and programs have their own; the
methods of each are probed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_CLEAR = ("clear_messages", "clear_session", "clear_history", "clear")
_PARTS = ("metadata", "tool_calls", "tool_call_id")


class ConversationStore:
    """One session in a conversation store."""

    def __init__(self, store: Any, session_id: str) -> None:
        self._store = store
        self._session_id = session_id

    def messages(self) -> list[Any] | None:
        """Return the messages as JSON values; None if the store cannot list them."""
        found = self._call_if_present("get_messages")
        if found is None:
            found = getattr(self._call_if_present("get_extended_session"), "messages", None)
        if found is None:
            found = self._call_if_present("get_chat_history")
        return None if found is None else [_as_json(one) for one in found]

    def reset_to(self, wanted: Sequence[Any]) -> bool:
        """Reset the store to exactly the wanted messages; return whether that succeeded."""
        there = self.messages()
        if there is None:
            return False
        if there[: len(wanted)] == list(wanted):
            self._cut(len(wanted), len(there))
        else:  # the earlier messages were compacted or edited
            self._rewrite(wanted)
        now = self.messages()
        return now is not None and len(now) == len(wanted)

    def _cut(self, wanted: int, there: int) -> None:
        if wanted == there:
            return
        if wanted == 0:
            self._clear()
        else:
            self._store.revert_to_message(self._session_id, wanted - 1)  # the last to retain

    def _rewrite(self, wanted: Sequence[Any]) -> None:
        self._clear()
        for one in wanted:
            extra = {name: one[name] for name in _PARTS if one.get(name)}
            self._store.add_message(
                self._session_id, one.get("role", ""), one.get("content", ""), **extra
            )

    def _clear(self) -> None:
        for name in _CLEAR:
            if callable(getattr(self._store, name, None)):
                getattr(self._store, name)(self._session_id)
                return
        raise AttributeError("the conversation store cannot be cleared")

    def _call_if_present(self, name: str) -> Any:
        method = getattr(self._store, name, None)
        return method(self._session_id) if callable(method) else None


def _as_json(message: Any) -> Any:
    """Return a message after a JSON round trip, so that two can be compared."""
    if not isinstance(message, str | Mapping | list | int | float | bool | None):
        message = message.to_dict() if hasattr(message, "to_dict") else vars(message)
    return json.loads(json.dumps(message, default=str))
