"""Sessions of a workspace: begun, found again, and saved with their position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.session import SessionInfo
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.verbs.auto_prune import Thrift
from clew.verbs.keeping import Keeping
from clew.verbs.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.session_results import (
        Convert,
        Migrated,
        SessionFiles,
        SessionShown,
        SessionSummary,
    )
    from clew.policy.approval.decision import Decision


class Sessions(Keeping, Thrift):
    """The verbs about agents at work."""

    def session(
        self,
        ref: str | None = None,
        *,
        agent: str = "",
        version: str = "",
        native: str = "",
        transcript: str | None = None,
        kind: str | None = None,
        attach: bool | None = True,
    ) -> Session:
        """Return the session that `ref` names, else begin one (or go on with one of that name).

        `native` is what the agent itself calls it; `transcript` a file that grows, one JSON value
        a line.  An attached session is carried by every checkpoint of the workspace; with `attach`
        None a new one is attached, and one that goes on stays as it is.
        """
        from clew.operations.sessions.sessions import begin, find_session

        with self.reading_context() as context:
            if ref is not None:
                return Session(self, find_session(context, ref))
            found = begin(
                context, agent=agent, version=version, native=native, transcript=transcript,
                kind=kind, attach=attach,
            )  # fmt: skip
        return Session(self, found)

    def current_session(self) -> Session:
        """Return the session that is attached; `NoSession` if none is."""
        from clew.operations.sessions.sessions import current_session

        with self.reading_context() as context:
            return Session(self, current_session(context))

    def sessions(self) -> list[SessionInfo]:
        """Return every session of the workspace, newest first."""
        with self.reading_context() as context:
            return context.store.sessions.of(context.workspace)

    def session_info(self, ref: str) -> SessionInfo:
        """Return what is known of a session."""
        from clew.operations.sessions.sessions import find_session

        with self.reading_context() as context:
            return find_session(context, ref)

    def list_sessions(self) -> list[SessionSummary]:
        """Return every session with its tasks and the number of its checkpoints, newest first."""
        from clew.operations.sessions.show import summaries

        with self.reading_context() as context:
            return summaries(context)

    def attach_session(self, ref: str) -> SessionInfo:
        """Make a known session the one that checkpoints carry by themselves."""
        from clew.operations.sessions.sessions import attach

        with self.reading_context() as context:
            return attach(context, ref)

    def detach_session(self) -> SessionInfo:
        """Let checkpoints carry no session by themselves; return the one that was attached."""
        from clew.operations.sessions.sessions import detach

        with self.reading_context() as context:
            return detach(context)

    def show_session(self, ref: str | None = None, *, messages: int = 5) -> SessionShown:
        """Return all of a session, the attached one by default, with its last few messages."""
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.show import session_shown

        with self.reading_context() as context:
            return session_shown(context, current_session(context, ref), messages)

    def session_files(
        self, ref: str | None = None, *, checkpoint: str | None = None
    ) -> SessionFiles:
        """Return which files an agent read and changed, in all or for one checkpoint."""
        from clew.operations.sessions.files import session_files
        from clew.operations.sessions.sessions import current_session, session_at

        with self.reading_context() as context:
            at = self._resolve(checkpoint) if checkpoint is not None else None
            info = session_at(context, at) if ref is None and at is not None else None
            return session_files(context, info or current_session(context, ref), at)

    def migrate_session(
        self,
        ref: str | None = None,
        *,
        version: str,
        agent: str | None = None,
        convert: Convert | str | None = None,
    ) -> Migrated:
        """Carry a session, the attached one by default, to another version of its agent.

        `convert` gets the agent's own state and returns it in the new shape; text is a command that
        does so with JSON on its standard input and output.
        """
        from clew.operations.sessions.migrate import by_command, carry, prepare
        from clew.operations.sessions.sessions import current_session

        with self.reading_context() as context:
            old = current_session(context, ref)
        if isinstance(convert, str):
            convert = by_command(self.info.path, old, version, convert)
        wanted = prepare(old, version=version, agent=agent, convert=convert)
        with self.reading_context() as context:
            return carry(context, old, wanted, converted=convert is not None)

    def keep_position(self, ref: str | None = None) -> tuple[str, ...]:
        """Take what a session said and ticked off into the store; return what went wrong."""
        from clew.operations.save.position import keep_position

        with self._holding(self.monitor):
            return keep_position(self._context, self._session_id(ref))

    @contextmanager
    def desk(self, ref: str) -> Iterator[tuple[bytes, Callable[[bytes], None]]]:
        """Give what a session's hooks left for the next one, alone, and what leaves something else."""
        with self._store.desks.at(bytes.fromhex(ref)) as found:
            yield found

    def gate(
        self,
        tool: str,
        arguments: object,
        *,
        session: str | None = None,
        ask: Callable[[str], bool] | None = None,
        again: bool = False,
    ) -> Decision:
        """Tell whether a tool may be called so; an act on the outside world is written down.

        It belongs to `session`, else to the one that is attached, else to none.
        """
        from clew.operations.sessions.approval import decide

        def keep(intent: str) -> Checkpoint:
            saved = self.save(intent, skip_unchanged=True, origin=Origin.AUTOMATIC, session=session)
            return saved.checkpoint

        # Without the store held: a question may take its time, and a save takes its own locks.
        sessions = self._store.sessions
        info = self.session_info(session) if session else sessions.attached(self.info.uuid)
        return decide(self._context, info, tool, arguments, ask=ask, again=again, keep=keep)

    @contextmanager
    def reading_context(self, *, monitor: Monitor | None = None) -> Iterator[Context]:
        """Give what operations work on, with the store held for the time of the block."""
        with self._reading(monitor):
            yield self._context

    @contextmanager
    def writing_context(self, *, monitor: Monitor | None = None) -> Iterator[Context]:
        """Give the same with the workspace held: nobody saves or restores it meanwhile."""
        with self._holding(monitor or self.monitor):
            yield self._context
