"""Messages of Pydantic AI as the conversation of a session, one JSON value each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from clew.workspace.session import Session


def history(session: Session) -> list[ModelMessage]:
    """Return what was said, to go on from as `message_history`."""
    return ModelMessagesTypeAdapter.validate_python(session.messages())


def keep_messages(session: Session, messages: Sequence[ModelMessage]) -> None:
    """Make a session's conversation these messages: what is new is added, else it is told anew."""
    said = cast("list[object]", ModelMessagesTypeAdapter.dump_python([*messages], mode="json"))
    known = session.messages()
    if said[: len(known)] != known:
        session.retell(said)
    elif len(said) > len(known):
        session.say(*said[len(known) :])
