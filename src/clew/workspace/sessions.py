"""Sessions of agents in a workspace: `ws.sessions`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clew.model.session import SessionInfo
from clew.monitor import Monitor
from clew.workspace.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.session_results import (
        Brief,
        Convert,
        Migrated,
        SessionFiles,
        SessionShown,
        SessionSummary,
    )
    from clew.workspace.workspace import Workspace


class Sessions:
    """Starts, finds, shows and attaches sessions."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._access = workspace._access

    def open(
        self,
        ref: str | None = None,
        *,
        agent: str = "",
        version: str = "",
        native: str = "",
        transcript: str | None = None,
        kind: str | None = None,
        attach: bool | None = True,
        process: str = "",
    ) -> Session:
        """Return the session that `ref` names, else open a new one (or continue the one of that name).

        `native` is what the agent itself calls it; `transcript` a file that grows, one JSON value
        a line.  An attached session is carried by every checkpoint of the workspace; with `attach`
        None a new one is attached, and one that continues is unchanged.  With `process`, that of the
        agent, it is carried as long as that process runs.
        """
        from clew.operations.sessions.sessions import begin, find_session

        with self._access.reading() as context:
            if ref is not None:
                return Session(self._workspace, find_session(context, ref))
            found = begin(
                context, agent=agent, version=version, native=native, transcript=transcript,
                kind=kind, attach=attach, process=process,
            )  # fmt: skip
        return Session(self._workspace, found)

    def current(self) -> Session:
        """Return the session that is attached; `NoSession` if none is."""
        from clew.operations.sessions.sessions import current_session

        with self._access.reading() as context:
            return Session(self._workspace, current_session(context))

    def all(self) -> list[SessionInfo]:
        """Return every session of the workspace, newest first."""
        with self._access.reading() as context:
            return context.store.sessions.of(context.workspace)

    def info(self, ref: str) -> SessionInfo:
        """Return what is known of a session."""
        from clew.operations.sessions.sessions import find_session

        with self._access.reading() as context:
            return find_session(context, ref)

    def list(self) -> list[SessionSummary]:
        """Return every session with its tasks and the number of its checkpoints, newest first."""
        from clew.operations.sessions.show import summaries

        with self._access.reading() as context:
            return summaries(context)

    def attach(self, ref: str) -> SessionInfo:
        """Make a known session the one that checkpoints carry by themselves."""
        from clew.operations.sessions.sessions import attach

        with self._access.reading() as context:
            return attach(context, ref)

    def detach(self) -> SessionInfo:
        """Let checkpoints carry no session by themselves; return the one that was attached."""
        from clew.operations.sessions.sessions import detach

        with self._access.reading() as context:
            return detach(context)

    def show(self, ref: str | None = None, *, messages: int = 5) -> SessionShown:
        """Return all of a session, the attached one by default, with its last few messages."""
        from clew.operations.sessions.sessions import current_session
        from clew.operations.sessions.show import session_shown

        with self._access.reading() as context:
            return session_shown(context, current_session(context, ref), messages)

    def files(self, ref: str | None = None, *, checkpoint: str | None = None) -> SessionFiles:
        """Return which files an agent read and changed, in all or for one checkpoint."""
        from clew.operations.sessions.files import session_files
        from clew.operations.sessions.sessions import current_session, session_at

        with self._access.reading() as context:
            at = self._access.resolve(checkpoint) if checkpoint is not None else None
            info = session_at(context, at) if ref is None and at is not None else None
            return session_files(context, info or current_session(context, ref), at)

    def migrate(
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

        with self._access.reading() as context:
            old = current_session(context, ref)
        if isinstance(convert, str):
            convert = by_command(self._access.info.path, old, version, convert)
        wanted = prepare(old, version=version, agent=agent, convert=convert)
        with self._access.reading() as context:
            return carry(context, old, wanted, converted=convert is not None)

    def keep_position(self, ref: str | None = None) -> tuple[str, ...]:
        """Store the conversation and tasks of a session; return problems, one sentence each."""
        from clew.operations.save.position import keep_position
        from clew.operations.sessions.sessions import session_id

        with self._access.writing() as context:
            session = session_id(context, ref) if ref is not None else None
            return keep_position(context, session)

    @contextmanager
    def scratch(self, ref: str) -> Iterator[tuple[bytes, Callable[[bytes], None]]]:
        """Give what a session's hooks left for the next one, alone, and what leaves something else."""
        with self._access.store.desks.at(bytes.fromhex(ref)) as found:
            yield found

    def conversation(self, ref: str) -> Iterator[bytes]:
        """Yield the conversation up to a checkpoint, one JSON value per line, in pieces."""
        from clew.operations.sessions.conversation import content

        with self._access.reading() as context:
            position = self._access.look_up(ref).record.position
            yield from content(position.conversation, context.store.objects.get)

    def brief(self, ref: str | None = None, *, monitor: Monitor | None = None) -> Brief:
        """Return what a model must know after a restore: what was undone, and what was not."""
        from clew.operations.sessions.brief import brief

        with self._access.reading() as context:
            return brief(context, ref, monitor or self._access.monitor)
