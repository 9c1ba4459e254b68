"""Effects, actions on the outside world that a restore cannot undo: `ws.effects`."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Act, Effect
from clew.model.record import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.model.session_results import EffectList
    from clew.policy.approval.decision import Decision
    from clew.workspace.workspace import Workspace


class Effects:
    """Records effects, and decides which calls need approval."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def record(
        self,
        action: str,
        *,
        tool: str = "",
        arguments: object = None,
        reversible: bool = False,
        undo: str = "",
        again: bool = False,
        session: str | None = None,
    ) -> Effect:
        """Record an effect before it happens; its outcome is *unknown* until it is settled.

        Raise `DuplicateEffect` if it repeats an effect from before a restore, unless `again` says
        that this is intended.
        """
        from clew.operations.sessions.effects import record_effect
        from clew.operations.sessions.sessions import find_session, running_session

        with self._workspace.reading_context() as context:
            info = (
                find_session(context, session) if session is not None else running_session(context)
            )
            act = Act(action, tool, arguments)
            return record_effect(context, info, act, reversible=reversible, undo=undo, again=again)

    def settle(self, number: int, status: str, *, outcome: str = "") -> Effect:
        """Record the outcome of an effect: `done`, `failed` or `undone`."""
        from clew.operations.sessions.effects import settle

        with self._workspace.reading_context() as context:
            return settle(context, number, status, outcome)

    def list(self, *, outstanding: bool = False) -> EffectList:
        """Return the effects; `outstanding` selects those that a restore left in place."""
        from clew.model.session_results import EffectList

        with self._workspace.reading_context() as context:
            forgotten = tuple(context.store.effects.forgotten(context.workspace))
            found = context.store.effects.of(context.workspace)
        if outstanding:
            found = [one for one in found if one.number in forgotten and one.may_stand]
        return EffectList(tuple(found), forgotten)

    def gate(
        self,
        tool: str,
        arguments: object,
        *,
        session: str | None = None,
        ask: Callable[[str], bool] | None = None,
        again: bool = False,
    ) -> Decision:
        """Decide whether a tool may be called, and record an effect if it acts on the outside.

        The effect belongs to `session`, else to the attached one if its agent runs, else to none.  `ask` puts a
        question to a person; without it every question is answered with no.
        """
        from clew.operations.sessions.approval import decide
        from clew.operations.sessions.sessions import running_session

        def save(intent: str) -> Checkpoint:
            saved = self._workspace.save(
                intent, skip_unchanged=True, origin=Origin.AUTOMATIC, session=session
            )
            return saved.checkpoint

        with self._workspace.reading_context() as context:
            running = running_session(context)
        info = self._workspace.sessions.info(session) if session else running
        # No lock is held here: a question may take long, and a save takes its own locks.
        return decide(context, info, tool, arguments, ask=ask, again=again, keep=save)
