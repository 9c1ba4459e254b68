"""The watch: an agent at work in a workspace, and what is kept when.

Whoever sits between an agent and us calls these five as things happen; `docs/design/0008` has the
table.  The rule of all of them: a checkpoint if files changed, else only what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from clew.agents.calls import (
    Call,
    EndedCall,
    intent_for,
    prompt_words,
    shortened,
    why_for,
    words_for,
)
from clew.agents.session_scratch import SessionScratch, dump, load
from clew.errors import EffectSettled, UnknownEffect
from clew.model.effect import EffectOutcome
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.policy.labels import FAILED, KEPT_SINCE, RESTORED
from clew.workspace.session import Session
from clew.workspace.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.checkpoint import Checkpoint
    from clew.policy.approval.decision import Decision

__all__ = ["Call", "EndedCall", "Watch"]

_NOBODY = "none"
_LONGEST_FAILURES = 500
_BACKGROUND = "background"


class Watch:
    """One session of an agent, watched."""

    def __init__(self, workspace: Workspace, session: Session) -> None:
        self.workspace = workspace
        self.session = session

    @classmethod
    def begin(
        cls,
        workspace: Workspace,
        *,
        agent: str,
        version: str = "",
        native: str = "",
        transcript: str | None = None,
        kind: str | None = None,
    ) -> Watch:
        """Begin a session, or go on with the one that the agent calls by the same name."""
        session = workspace.sessions.open(
            agent=agent, version=version, native=native, transcript=transcript, kind=kind
        )
        return cls(workspace, session)

    def started(self) -> str:
        """Told that the agent begins, or goes on; return what its model must know."""
        with self._desk() as desk:
            desk.resting = False
            self._save("before the session", desk)
            return desk.take_news()

    def prompted(self, text: str) -> str:
        """Told what a person asked for; return what the model must know."""
        with self._desk() as desk:
            words = prompt_words(text)
            if desk.resting:
                self._keep_what_a_person_did(words)
            self.session.keep_position()
            desk.prompt, desk.resting = words, False
            return desk.take_news()

    def before(
        self, call: Call, *, ask: Callable[[str], bool] | None = None, alone: bool = True
    ) -> Decision:
        """Told that a tool is about to be called; return whether it may be.

        `ask` puts a question to a person; without it the answer to every question is no.
        `alone` is false where other calls of its batch run already: a moment in the middle of
        them is worth nothing, and the one before them is kept.
        """
        decision = self.workspace.effects.gate(
            call.tool, call.arguments, session=self.session.id, ask=ask
        )
        if not decision.allowed:
            return decision
        from clew.policy.shell.tool_kinds import may_destroy

        looks = alone and decision.checkpoint is None and may_destroy(call.tool, call.arguments)
        if not looks and decision.effect is None:
            return decision
        with self._desk() as desk:
            if decision.effect is not None:
                desk.effects[call.key] = decision.effect.number
            if looks:
                # What was said is taken after the call, which is soon told of.
                self._save(lambda: f"before: {words_for(call)}", desk, leaves_said=True)
        return decision

    def failed(self, *ended: EndedCall) -> None:
        """Told of calls that failed, where their batch is told of later."""
        with self._desk() as desk:
            self._note(desk, ended)

    def after(
        self,
        *ended: EndedCall,
        settle: Callable[[], None] | None = None,
        find_outcome: Callable[[Call], str] | None = None,
    ) -> str:
        """Told that a batch of calls has ended; return what the model must know.

        `settle` waits until the agent has written down how they ended; called if files changed.
        `find_outcome` returns the `Outcome` of an act outside, where `ended` does not tell of
        calls that were refused; without it what has not failed was done.
        """
        with self._desk() as desk:
            self._note(desk, ended, find_outcome)
            prompt = desk.prompt
            self._save(lambda: intent_for(prompt, [one.call for one in ended]), desk, settle=settle)
            return desk.take_news()

    def stopped(self, *, background: int = 0) -> None:
        """Told that the agent has stopped, and how many of its kind still run."""
        with self._desk() as desk:
            meta = {_BACKGROUND: str(background)} if background else {}
            self._save(desk.prompt or "at the end of a turn", desk, meta)
            desk.resting = not background

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Told the agent's own list: title and status of each task."""
        self.session.plan(tasks)

    # Behind the events

    @contextmanager
    def _desk(self) -> Iterator[SessionScratch]:
        with self.workspace.sessions.scratch(self.session.id) as (content, put):
            desk = load(content)
            before = desk.notes()
            self._hear(desk)
            yield desk
            here = self.workspace.here()
            desk.here = here.id.hex() if here is not None else ""
            desk.top = max(desk.top, here.record.sequence if here is not None else 0)
            if desk.notes() != before:
                put(dump(desk))

    def _save(
        self,
        intent: str | Callable[[], str],
        desk: SessionScratch,
        meta: dict[str, str] | None = None,
        settle: Callable[[], None] | None = None,
        *,
        leaves_said: bool = False,
    ) -> SaveResult:
        """Keep the moment if files changed; calls that failed go with it, or with where we are."""
        meta = dict(meta or {})
        if desk.failed:
            meta[FAILED] = _joined(desk.failed.values())
        result = self.workspace.save(
            intent,
            meta=meta,
            files_only=True,
            leaves_said=leaves_said,
            origin=Origin.HOOK,
            session=self.session.id,
            settle=settle,
        )
        if desk.failed and not result.created:
            known = dict(result.checkpoint.labels.meta).get(FAILED, "")
            every = _joined([*filter(None, [known]), *desk.failed.values()])
            self.workspace.edit(result.checkpoint.id.hex(), meta={FAILED: every})
        desk.failed.clear()
        return result

    def _keep_what_a_person_did(self, prompt: str) -> None:
        """Keep what changed while the agent rested as nobody's session, then as the agent found it."""
        found = self.workspace.save(
            "edited between two turns", files_only=True, origin=Origin.HOOK, session=_NOBODY
        )
        if found.created:
            self.workspace.save(
                f"before: {prompt}",
                skip_unchanged=True,
                origin=Origin.HOOK,
                session=self.session.id,
            )

    def _note(
        self,
        desk: SessionScratch,
        ended: Sequence[EndedCall],
        find_outcome: Callable[[Call], str] | None = None,
    ) -> None:
        for one in ended:
            if one.failed is not None:
                desk.failed[one.call.key] = f"{words_for(one.call)}: {why_for(one)}"
            number = desk.effects.pop(one.call.key, None)
            if number is None:
                continue
            outcome = EffectOutcome.FAILED if one.failed is not None else EffectOutcome.DONE
            if outcome == EffectOutcome.DONE and find_outcome is not None:
                outcome = find_outcome(one.call)
            if outcome != EffectOutcome.UNKNOWN:
                with suppress(EffectSettled, UnknownEffect):  # a person may have settled it since
                    self.session.settle(number, outcome, one.failed or "")

    def _hear(self, desk: SessionScratch) -> None:
        """Take a brief for the model, if somebody moved the workspace since the last event."""
        here = self.workspace.here()
        if here is None or here.id.hex() == desk.here:
            return
        is_new = not desk.here
        if is_new or self._was_moved(desk, here):
            from clew.agents.briefing import brief_for_model

            desk.news = brief_for_model(self.workspace, only_if_restored=is_new) or desk.news

    def _was_moved(self, desk: SessionScratch, here: Checkpoint) -> bool:
        """Tell whether anything but saves led here from where the last event left the workspace."""
        at: Checkpoint | None = here
        with self.workspace.reading_context() as context:
            while at is not None and at.record.sequence > desk.top:
                if {RESTORED, KEPT_SINCE} & dict(at.labels.meta).keys():
                    return True
                before = at.record.parent
                at = context.store.checkpoints.get(before) if before is not None else None
        return at is not None and at.id.hex() != desk.here


def _joined(failures: Iterable[str]) -> str:
    return shortened("; ".join(failures), _LONGEST_FAILURES)
