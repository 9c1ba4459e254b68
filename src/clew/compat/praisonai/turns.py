"""SessionCheckpointManager: turns of a conversation, each taken back with the files it changed.

A turn is a checkpoint that carries the session, so files and conversation come back together and
from one moment.  Where the agent has a store of its own for what was said, that is set back too.
Nothing here raises: a checkpoint that cannot be taken must not end a turn.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from clew.compat.praisonai.history import SaveRequest
from clew.compat.praisonai.service import CheckpointService
from clew.compat.praisonai.talks import Talks
from clew.compat.praisonai.timeline import Timeline, Turn, read_timeline, write_timeline
from clew.compat.praisonai.types import CheckpointDiff
from clew.render.safe import safe
from clew.workspace import Workspace
from clew.workspace.session import Session

T = TypeVar("T")

AGENT = "praisonai"
SWITCH = "PRAISONAI_CHECKPOINTS"

_LOG = logging.getLogger(__name__)
_YES = ("1", "true", "yes", "on")


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
        """The same checkpoints without turns."""

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
        """Return a manager as the section `checkpoints` and `$PRAISONAI_CHECKPOINTS` say."""
        section = (config or {}).get("checkpoints")
        chosen: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
        enabled = bool(chosen.get("auto", default))
        if SWITCH in os.environ:
            enabled = os.environ[SWITCH].strip().lower() in _YES
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
        """The turns that can be taken back, oldest first; those of earlier processes too."""
        if not self.enabled:
            return []
        try:
            with self._session() as (ws, session):
                return list(_left(ws, session).turns)
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, [])

    def say(self, *messages: object) -> None:
        """Add messages to the conversation, for agents that have no store of their own."""
        with self._session() as (_, session):
            session.say(*messages)

    def messages(self) -> list[object]:
        """Return the conversation as the session has it."""
        with self._session() as (_, session):
            return session.messages()

    def checkpoint_turn(self, message: str) -> str | None:
        """Keep files and conversation as a turn begins; return the checkpoint's id."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                timeline = _left(ws, session)
                count = self._take_over(ws, session)
                number = timeline.counted + 1
                label = f"turn {number}: {message}".strip()
                kept = self.service.history.keep(
                    SaveRequest(label, allow_empty=True, metadata={"turn": number})
                )
                assert kept.checkpoint is not None  # an empty one is allowed
                made = kept.checkpoint
                turn = Turn(number, made.id, made.short_id, made.message, count)
                write_timeline(session, timeline.with_turn(turn))
                return made.id
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, None)

    def revert(self, n: int = 1) -> Turn | None:
        """Take back the last `n` turns, files and conversation; return the first of them."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                timeline = _left(ws, session)
                target = _counted_back(timeline, n)
                if target is None:
                    return None
                self._take_over(ws, session)  # the rescue holds all that was said
                if ws.restore(target.checkpoint_id).is_partial:
                    _LOG.warning("Not every file could be brought back by %s", target.short_id)
                write_timeline(session, timeline.before(target))
                self._hand_back(session)
                return target
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, None)

    def dropped_message_count(self, n: int = 1) -> int | None:
        """Return how many messages `revert(n)` would drop; None where nothing is said at all."""
        if not self.enabled:
            return None
        try:
            with self._session() as (ws, session):
                target = _counted_back(_left(ws, session), n)
                now = self._said(session)
                if target is None or (target.message_count is None and not now):
                    return None
                return max(0, len(now) - (target.message_count or 0))
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, None)

    def preview(self, n: int = 1) -> str:
        """Print what `revert(n)` would take back, and return it."""
        if not self.enabled:
            return ""
        try:
            with self._session() as (ws, session):
                target = _counted_back(_left(ws, session), n)
            if target is None:
                return ""
            text = self.service.history.compare(target.checkpoint_id, None).diff_content
            dropped = self.dropped_message_count(n)
            if dropped:
                text += (
                    f"This will also drop {dropped} conversation message(s)"
                    " to keep history in sync with the files.\n"
                )
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, "")
        shown = safe(text, keep="\n\t")
        sys.stdout.write(shown)
        return shown

    def diff(self, turn_only: bool = False, path: str | None = None) -> CheckpointDiff | None:
        """Return what changed since the first turn, or since the last one; None before any."""
        turns = self.turns
        if not turns:
            return None
        start = turns[-1] if turn_only else turns[0]
        try:
            return self.service.history.compare(start.checkpoint_id, None, path)
        except Exception as error:  # noqa: BLE001 - see the module
            return _gave_up(error, None)

    def render_diff(self, turn_only: bool = False, path: str | None = None) -> str:
        """Return the same as text that can be shown."""
        found = self.diff(turn_only, path)
        return safe(found.diff_content, keep="\n\t") if found is not None else ""

    @contextmanager
    def _session(self) -> Iterator[tuple[Workspace, Session]]:
        """Give the workspace and its session, attached, so that every checkpoint carries it."""
        if not self.service.is_initialized and not self.service.begin():
            raise OSError(f"Checkpoints cannot be kept of {self.workspace_dir!r}")
        with self.service.history.open() as ws:
            yield ws, ws.sessions.open(agent=AGENT, native=self.session_id or AGENT)

    def _talks(self) -> Talks | None:
        if self.session_store is None or not self.session_id:
            return None
        return Talks(self.session_store, self.session_id)

    def _said(self, session: Session) -> list[Any]:
        """Return the conversation as it is now, where the agent keeps it."""
        talks = self._talks()
        found = talks.messages() if talks is not None else None
        return found if found is not None else session.messages()

    def _take_over(self, ws: Workspace, session: Session) -> int | None:
        """Let the session say what the agent's own store says; return how much that is."""
        known, said = session.messages(), self._said(session)
        if said[: len(known)] == known:
            session.say(*said[len(known) :])
        else:
            _say_anew(ws, session, said)
        return len(said) if said or self._talks() is not None else None

    def _hand_back(self, session: Session) -> None:
        talks = self._talks()
        if talks is None:
            return
        try:
            followed = talks.set_back(session.messages())
        except Exception as error:  # noqa: BLE001 - a stranger's store; the files are back
            _LOG.warning("The conversation store could not be set back: %s", error)
            return
        if not followed:
            _LOG.warning("The conversation store did not go back with the files")


def _left(ws: Workspace, session: Session) -> Timeline:
    """Return the turns whose checkpoints are still there."""
    timeline = read_timeline(session)
    with ws.reading_context() as context:
        known = {one.id.hex() for one in context.store.checkpoints.newest_first(context.workspace)}
    turns = tuple(one for one in timeline.turns if one.checkpoint_id in known)
    return Timeline(turns, timeline.counted)


def _counted_back(timeline: Timeline, n: int) -> Turn | None:
    n = max(n, 1)
    return timeline.turns[-n] if n <= len(timeline.turns) else None


def _say_anew(ws: Workspace, session: Session, said: list[Any]) -> None:
    """Put a conversation in place of one that was compacted or edited; checkpoints keep theirs."""
    import json

    contents = [json.dumps(one).encode() for one in said]
    with ws.reading_context() as context, context.store.database.transaction():
        sessions = context.store.sessions
        identifier = session.info.id
        pending = sessions.pending(identifier)
        sessions.forget_pending(identifier, pending[-1][0] if pending else 0)
        sessions.moved(identifier, None, 0)
        sessions.add_pending(identifier, contents)


def _gave_up(error: Exception, answer: T) -> T:
    _LOG.warning("%s", error)
    return answer
