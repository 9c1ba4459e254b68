"""Pydantic AI messages as the conversation of a session, one JSON value each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from clew.workspace.session import Session


def history(session: Session) -> list[ModelMessage]:
    """Return the conversation of a session as `message_history`."""
    return ModelMessagesTypeAdapter.validate_python(session.messages())


def record_messages(session: Session, messages: Sequence[ModelMessage]) -> None:
    """Set a session's conversation: append new messages, or replace it if earlier ones changed."""
    dumped = cast("list[object]", ModelMessagesTypeAdapter.dump_python([*messages], mode="json"))
    known = session.messages()
    if dumped[: len(known)] != known:
        session.rewrite(dumped)
    elif len(dumped) > len(known):
        session.say(*dumped[len(known) :])
