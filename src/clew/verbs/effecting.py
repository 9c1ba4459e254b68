"""Effects: acts on the outside world, with or without a session."""

from __future__ import annotations

from clew.model.effect import Act, Effect
from clew.model.session_results import Brief, EffectList
from clew.monitor import Monitor
from clew.verbs.sessions import Sessions


class Effecting(Sessions):
    """The verbs about what no restore takes back."""

    def record_effect(
        self,
        what: str,
        *,
        tool: str = "",
        arguments: object = None,
        reversible: bool = False,
        undo: str = "",
        again: bool = False,
        session: str | None = None,
    ) -> Effect:
        """Write down what is about to be done outside; it reads *unknown* until it is settled.

        `EffectRepeats` if it means the same as one that was done and that a restore made
        forgotten, unless it is done `again` on purpose.
        """
        from clew.operations.sessions.effects import intend
        from clew.operations.sessions.sessions import find_session

        with self.reading_context() as context:
            attached = context.store.sessions.attached(context.workspace)
            info = find_session(context, session) if session is not None else attached
            act = Act(what, tool, arguments)
            return intend(context, info, act, reversible=reversible, undo=undo, again=again)

    def settle_effect(self, number: int, status: str, *, outcome: str = "") -> Effect:
        """Say what became of an effect: `done`, `failed` or `undone`."""
        from clew.operations.sessions.effects import settle

        with self.reading_context() as context:
            return settle(context, number, status, outcome)

    def effects(self, *, standing: bool = False) -> EffectList:
        """Return the effects of the workspace, or those that stand and are forgotten."""
        with self.reading_context() as context:
            forgotten = tuple(context.store.effects.forgotten(context.workspace))
            found = context.store.effects.of(context.workspace)
        if standing:
            found = [one for one in found if one.number in forgotten and one.may_stand]
        return EffectList(tuple(found), forgotten)

    def brief(self, ref: str | None = None, *, monitor: Monitor | None = None) -> Brief:
        """Return what a model must know after a restore: what is true again, and what is not."""
        from clew.operations.sessions.brief import brief

        with self.reading_context() as context:
            return brief(context, ref, monitor or self.monitor)
