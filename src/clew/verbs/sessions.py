"""Sessions of a workspace: begun, found again, and saved with their position."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.model.session import SessionInfo
from clew.monitor import Monitor
from clew.verbs.keeping import Keeping

if TYPE_CHECKING:
    from clew.operations.context import Context
    from clew.verbs.session import Session


class Sessions(Keeping):
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
        attach: bool = True,
    ) -> Session:
        """Return the session that `ref` names, else begin one (or go on with one of that name).

        `native` is what the agent itself calls it; `transcript` a file that grows, one JSON value
        a line.  An attached session is carried by every checkpoint of the workspace.
        """
        from clew.operations.sessions import begin, find_session
        from clew.verbs.session import Session

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
        from clew.operations.sessions import current_session
        from clew.verbs.session import Session

        with self.reading_context() as context:
            return Session(self, current_session(context))

    def sessions(self) -> list[SessionInfo]:
        """Return every session of the workspace, newest first."""
        with self.reading_context() as context:
            return context.store.sessions.of(context.workspace)

    def session_info(self, ref: str) -> SessionInfo:
        """Return what is known of a session."""
        from clew.operations.sessions import find_session

        with self.reading_context() as context:
            return find_session(context, ref)

    @contextmanager
    def reading_context(self, monitor: Monitor | None = None) -> Iterator[Context]:
        """Give what operations work on, with the store held for the time of the block."""
        with self._reading(monitor):
            yield self._context
