"""SessionCheckpointManager: turns of a conversation, each reverted with its file changes.

A turn is a checkpoint with the session, so files and conversation are restored together.  If the
agent has its own conversation store, that is reset too.
Nothing here raises: a failed checkpoint must not end a turn.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from clew.compat.praisonai.conversation_store import ConversationStore
from clew.compat.praisonai.history import SaveRequest
from clew.compat.praisonai.service import CheckpointService
from clew.compat.praisonai.timeline import Timeline, Turn, read_timeline, write_timeline
from clew.compat.praisonai.types import CheckpointDiff
from clew.render.safe import safe
from clew.workspace import Workspace
from clew.workspace.session import Session

T = TypeVar("T")

AGENT = "praisonai"
ENABLE_VARIABLE = "PRAISONAI_CHECKPOINTS"

_LOG = logging.getLogger(__name__)
_TRUE_VALUES = ("1", "true", "yes", "on")
_DISABLED = (
    "Workspace checkpointing is disabled. Enable it with "
    "`checkpoints.auto: true` in config or `PRAISONAI_CHECKPOINTS=on`."
)


class Preview(str):
    """What a revert would undo, as text."""

    __slots__ = ("dropped_message_count",)

    dropped_message_count: int | None
    """Number of messages that it would drop; None without a conversation."""

    def __new__(cls, text: str = "", dropped_message_count: int | None = None) -> Preview:
        made = super().__new__(cls, text)
        made.dropped_message_count = dropped_message_count
        return made


class SessionCheckpointManager:
    """The turns of one session in one workspace."""

    def __init__(
        self,
        workspace_dir: str,
        enabled: bool = False,
        verbose: bool = False,
        storage_dir: str | None = None,
        session_store: Any = None,
        session_id: str | None = None,
    ) -> None:
        self.workspace_dir = workspace_dir
        self.enabled = enabled
        self.verbose = verbose
        self.storage_dir = storage_dir
        self.session_store = session_store
        self.session_id = session_id
        self.service = CheckpointService(workspace_dir, storage_dir)
        """The service that manages the checkpoints."""
        self._first_turn: int | None = None
        """The first turn of this process."""

    @classmethod
    def from_config(
        cls,
        workspace_dir: str | None = None,
        config: Mapping[str, Any] | None = None,
        verbose: bool = False,
        session_store: Any = None,
        session_id: str | None = None,
        default: bool = False,
    ) -> SessionCheckpointManager:
        """Return a manager configured by the section `checkpoints` and `$PRAISONAI_CHECKPOINTS`."""
        section = (config or {}).get("checkpoints")
        chosen: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
        enabled = bool(chosen.get("auto", default))
        if ENABLE_VARIABLE in os.environ:
            enabled = os.environ[ENABLE_VARIABLE].strip().lower() in _TRUE_VALUES
        return cls(
            workspace_dir or os.getcwd(),
            enabled,
            verbose,
            chosen.get("storage_dir"),
            session_store,
            session_id,
        )

    @property
    def turns(self) -> list[Turn]:
        """The turns that can be reverted, oldest first, including those of earlier processes."""
        if not self.enabled:
            return []
        try:
            with self._session() as (ws, session):
                return list(_remaining(ws, session).turns)
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, [])

    def say(self, *messages: object) -> None:
        """Add messages to the conversation, for agents without their own store."""
        if not self.enabled:
            return
        try:
            with self._session() as (_, session):
                session.say(*messages)
        except Exception as error:  # noqa: BLE001 - see the module
            _log_and_return(error, None)

    def messages(self) -> list[object]:
        """Return the conversation of the session."""
        if not self.enabled:
            return []
        try:
            with self._session() as (_, session):
                return session.messages()
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, [])

    def checkpoint_turn(self, message: str) -> str | None:
        """Save files and conversation at the start of a turn; return the checkpoint's id."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                timeline = _remaining(ws, session)
                count = self._record_conversation(ws, session)
                number = timeline.counted + 1
                label = f"turn {number}: {message}".strip()
                saved = self.service.history.save(
                    SaveRequest(label, allow_empty=True, metadata={"turn": number})
                )
                assert saved.checkpoint is not None  # empty checkpoints are allowed
                made = saved.checkpoint
                turn = Turn(number, made.id, made.short_id, made.message, count)
                write_timeline(session, timeline.with_turn(turn))
                if self._first_turn is None:
                    self._first_turn = number
                return made.id
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, None)

    def revert(self, n: int = 1) -> Turn | None:
        """Revert files and conversation of the last `n` turns; return the first of them."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                timeline = _remaining(ws, session)
                target = _turn_back(timeline, n)
                if target is None:
                    return None
                self._record_conversation(ws, session)  # the rescue then contains the conversation
                if ws.restore(target.checkpoint_id).is_partial:
                    _LOG.warning("Not every file could be restored from %s", target.short_id)
                write_timeline(session, timeline.before(target))
                self._reset_store(session)
                return target
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, None)

    def dropped_message_count(self, n: int = 1) -> int | None:
        """Return how many messages `revert(n)` would drop; None without a conversation."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                target = _turn_back(_remaining(ws, session), n)
                now = self._conversation(session)
                if target is None or (target.message_count is None and not now):
                    return None
                return max(0, len(now) - (target.message_count or 0))
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, None)

    def preview(self, n: int = 1) -> Preview:
        """Print and return what `revert(n)` would revert."""
        if not self.enabled:
            return Preview()
        try:
            with self._session() as (ws, session):
                target = _turn_back(_remaining(ws, session), n)
            if target is None:
                return Preview()
            text = self.service.history.compare(target.checkpoint_id, None).diff_content
            dropped = self.dropped_message_count(n)
            if dropped:
                text += (
                    f"This will also drop {dropped} conversation message(s)"
                    " to keep history in sync with the files.\n"
                )
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, Preview())
        shown = Preview(safe(text, keep="\n\t"), dropped)
        sys.stdout.write(shown)
        return shown

    def diff(self, turn_only: bool = False, path: str | None = None) -> CheckpointDiff | None:
        """Return what changed since the first turn, or since the last one; None without turns.

        The first turn is that of this process, or of all if this one has none.
        `path` selects a file by its path or the end of it, or the files of a directory.
        """
        turns = self.turns
        if not turns:
            return None
        own = [one for one in turns if one.turn >= (self._first_turn or 0)]
        start = turns[-1] if turn_only else (own or turns)[0]
        try:
            return self.service.history.compare(start.checkpoint_id, None, path)
        except Exception as error:  # noqa: BLE001 - see the module
            return _log_and_return(error, None)

    @staticmethod
    def render_diff(diff: CheckpointDiff | None, scope: str = "session") -> str:
        """Return a line for each file of a diff, and the totals."""
        if diff is None:
            return _DISABLED
        if not diff.files:
            return f"No file changes this {scope}."
        listed = [
            f"  {one.status:>8}  {safe(one.path)}  (+{one.additions}/-{one.deletions})"
            for one in diff.files
        ]
        totals = f"  +{diff.total_additions} / -{diff.total_deletions} across {len(listed)} file(s)"
        return "\n".join([f"Changes this {scope}:", "", *listed, "", totals])

    @contextmanager
    def _session(self) -> Iterator[tuple[Workspace, Session]]:
        """Open the workspace and its session, attached, so that checkpoints contain it."""
        if not self.service.is_initialized and not self.service.begin():
            raise OSError(f"Cannot checkpoint {self.workspace_dir!r}")
        with self.service.history.open() as ws:
            yield ws, ws.sessions.open(agent=AGENT, native=self.session_id or AGENT)

    def _conversation_store(self) -> ConversationStore | None:
        if self.session_store is None or not self.session_id:
            return None
        return ConversationStore(self.session_store, self.session_id)

    def _conversation(self, session: Session) -> list[Any]:
        """Return the current conversation from the agent's store, or else the session's."""
        talks = self._conversation_store()
        found = talks.messages() if talks is not None else None
        return found if found is not None else session.messages()

    def _record_conversation(self, ws: Workspace, session: Session) -> int | None:
        """Copy the agent's conversation to the session; return the number of messages."""
        known, conversation = session.messages(), self._conversation(session)
        if conversation[: len(known)] == known:
            session.say(*conversation[len(known) :])
        else:
            _replace_conversation(ws, session, conversation)
        return len(conversation) if conversation or self._conversation_store() is not None else None

    def _reset_store(self, session: Session) -> None:
        talks = self._conversation_store()
        if talks is None:
            return
        try:
            followed = talks.reset_to(session.messages())
        except Exception as error:  # noqa: BLE001 - a third-party store; the files are restored
            _LOG.warning("The conversation store could not be reset: %s", error)
            return
        if not followed:
            _LOG.warning("The conversation store was not reset with the files")


def _remaining(ws: Workspace, session: Session) -> Timeline:
    """Return the turns whose checkpoints still exist."""
    timeline = read_timeline(session)
    with ws.reading_context() as context:
        known = {one.id.hex() for one in context.store.checkpoints.newest_first(context.workspace)}
    turns = tuple(one for one in timeline.turns if one.checkpoint_id in known)
    return Timeline(turns, timeline.counted)


def _turn_back(timeline: Timeline, n: int) -> Turn | None:
    n = max(n, 1)
    return timeline.turns[-n] if n <= len(timeline.turns) else None


def _replace_conversation(ws: Workspace, session: Session, conversation: list[Any]) -> None:
    """Replace a conversation that was compacted or edited; checkpoints retain theirs."""
    import json

    contents = [json.dumps(one).encode() for one in conversation]
    with ws.reading_context() as context, context.store.database.transaction():
        sessions = context.store.sessions
        identifier = session.info.id
        pending = sessions.pending(identifier)
        sessions.forget_pending(identifier, pending[-1][0] if pending else 0)
        sessions.moved(identifier, None, 0)
        sessions.add_pending(identifier, contents)


def _log_and_return(error: Exception, answer: T) -> T:
    _LOG.warning("%s", error)
    return answer
