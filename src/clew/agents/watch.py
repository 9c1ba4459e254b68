"""Watch: record an agent's work in a workspace, event by event.

Hooks and adapters call its methods as events occur; `docs/design/0008` has the table.  Each takes a
checkpoint if files changed, and otherwise records only the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from clew.agents.calls import (
    Call,
    EndedCall,
    intent_for,
    prompt_words,
    why_for,
    words_for,
)
from clew.agents.session_scratch import Failure, SessionScratch, dump, load
from clew.errors import EffectSettled, UnknownEffect
from clew.model.effect import EffectOutcome
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.model.shorten import shorten_line
from clew.policy.labels import FAILED, KEPT_SINCE, PROMPT, RESTORED
from clew.workspace.session import Session
from clew.workspace.workspace import Workspace
from clew.worktree.agent_process import own_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.checkpoint import Checkpoint
    from clew.policy.approval.decision import Decision

__all__ = ["Call", "EndedCall", "Watch"]

_NO_SESSION = "none"
_MAX_FAILURES = 500
_BACKGROUND = "background"


class Watch:
    """The events of one agent session, recorded in a workspace."""

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
        """Start a session, or continue the one with the agent's session name `native`."""
        session = workspace.sessions.open(
            agent=agent, version=version, native=native, transcript=transcript, kind=kind,
            process=own_process(),
        )  # fmt: skip
        return cls(workspace, session)

    def started(self) -> str:
        """Record that the agent started or resumed; return a message for its model."""
        with self._open_scratch() as scratch:
            scratch.resting = False
            self._save("before the session", scratch)
            return scratch.take_news()

    def prompted(self, text: str) -> str:
        """Record a prompt; return a message for the model."""
        with self._open_scratch() as scratch:
            words = prompt_words(text)
            if scratch.resting:
                self._save_user_edits(words)
            self.session.keep_position()
            scratch.prompt, scratch.resting = words, False
            return scratch.take_news()

    def before(
        self, call: Call, *, ask: Callable[[str], bool] | None = None, alone: bool = True
    ) -> Decision:
        """Apply the gate to a call, and checkpoint before one that may delete or overwrite files.

        `ask` puts a question to a user; without it the answer to every question is no.
        `alone` is false if other calls of the batch are running: a checkpoint among them is
        useless, and the state before them has been saved.
        """
        decision = self.workspace.effects.gate(
            call.tool, call.arguments, session=self.session.id, ask=ask
        )
        if not decision.allowed:
            return decision
        from clew.policy.shell.tool_kinds import may_destroy

        is_checkpoint_due = (
            alone and decision.checkpoint is None and may_destroy(call.tool, call.arguments)
        )
        if not is_checkpoint_due and decision.effect is None:
            return decision
        with self._open_scratch() as scratch:
            if decision.effect is not None:
                scratch.effects[call.key] = decision.effect.number
            if is_checkpoint_due:
                # The conversation is captured by `after`, which follows soon.
                self._save(lambda: f"before: {words_for(call)}", scratch, leaves_said=True)
        return decision

    def failed(self, *ended: EndedCall) -> None:
        """Record failed calls whose batch is reported later."""
        with self._open_scratch() as scratch:
            self._record_ended(scratch, ended)

    def after(
        self,
        *ended: EndedCall,
        settle: Callable[[], None] | None = None,
        find_outcome: Callable[[Call], str] | None = None,
    ) -> str:
        """Record the end of a batch of calls; return a message for the model.

        `settle` waits until the agent has written the results; it is called if files changed.
        `find_outcome` returns the `EffectOutcome` of a call, where `ended` does not show which
        calls were refused; without it, a call that has not failed is done.
        """
        with self._open_scratch() as scratch:
            self._record_ended(scratch, ended, find_outcome)
            if ended:
                scratch.resting = False  # it may go on without a prompt
            prompt = scratch.prompt
            self._save(
                lambda: intent_for(prompt, [one.call for one in ended]), scratch, settle=settle
            )
            return scratch.take_news()

    def stopped(self, *, background: int = 0) -> None:
        """Record that the agent stopped while `background` agents still run."""
        with self._open_scratch() as scratch:
            meta = {_BACKGROUND: str(background)} if background else {}
            self._save(scratch.prompt or "at the end of a turn", scratch, meta)
            scratch.resting = not background

    def ended(self) -> None:
        """Record that the agent has ended: later saves do not belong to its session."""
        self.stopped()
        self.session.end()

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Replace the task list by the agent's own: title and status of each task."""
        self.session.plan(tasks)

    # Internals

    @contextmanager
    def _open_scratch(self) -> Iterator[SessionScratch]:
        with self.workspace.sessions.scratch(self.session.id) as (content, put):
            scratch = load(content)
            before = scratch.fields()
            self._check_for_restore(scratch)
            yield scratch
            here = self.workspace.here()
            scratch.here = here.id.hex() if here is not None else ""
            scratch.top = max(scratch.top, here.record.sequence if here is not None else 0)
            if scratch.fields() != before:
                put(dump(scratch))

    def _save(
        self,
        intent: str | Callable[[], str],
        scratch: SessionScratch,
        meta: dict[str, str] | None = None,
        settle: Callable[[], None] | None = None,
        *,
        leaves_said: bool = False,
    ) -> SaveResult:
        """Save if files changed; record failed calls in the new or the current checkpoint."""
        meta = dict(meta or {})
        if scratch.prompt:
            meta[PROMPT] = scratch.prompt
        before = self.workspace.here() if scratch.failed else None
        if scratch.failed:
            meta[FAILED] = _joined(map(str, scratch.failed.values()))
        result = self.workspace.save(
            intent,
            meta=meta,
            files_only=True,
            leaves_said=leaves_said,
            origin=Origin.HOOK,
            session=self.session.id,
            settle=settle,
        )
        if scratch.failed and not result.created:
            known = dict(result.checkpoint.labels.meta).get(FAILED, "")
            failures = _joined([*filter(None, [known]), *map(str, scratch.failed.values())])
            self.workspace.edit(result.checkpoint.id.hex(), meta={FAILED: failures})
        if before is not None:
            self.session.record_failures(before.id, result.checkpoint.id, scratch.failed.values())
        scratch.failed.clear()
        return result

    def _save_user_edits(self, prompt: str) -> None:
        """Save what changed between two turns without a session, then save the agent's starting point."""
        found = self.workspace.save(
            "edited between two turns", files_only=True, origin=Origin.HOOK, session=_NO_SESSION
        )
        if not found.checkpoint.record.position.session:  # also if a person has saved
            self.workspace.save(
                f"before: {prompt}",
                meta={PROMPT: prompt},
                skip_unchanged=True,
                origin=Origin.HOOK,
                session=self.session.id,
            )

    def _record_ended(
        self,
        scratch: SessionScratch,
        ended: Sequence[EndedCall],
        find_outcome: Callable[[Call], str] | None = None,
    ) -> None:
        for one in ended:
            if one.failed is not None:
                scratch.failed[one.call.key] = Failure(
                    words_for(one.call), why_for(one), self.session.now_ns()
                )
            number = scratch.effects.pop(one.call.key, None)
            if number is None:
                continue
            outcome = EffectOutcome.FAILED if one.failed is not None else EffectOutcome.DONE
            if outcome == EffectOutcome.DONE and find_outcome is not None:
                outcome = find_outcome(one.call)
            if outcome != EffectOutcome.UNKNOWN:
                with suppress(EffectSettled, UnknownEffect):  # a user may have settled it since
                    self.session.settle(number, outcome, one.failed or "")

    def _check_for_restore(self, scratch: SessionScratch) -> None:
        """Prepare a brief for the model if the workspace was restored since the last event."""
        here = self.workspace.here()
        if here is None or here.id.hex() == scratch.here:
            return
        is_new = not scratch.here
        if is_new or self._was_moved(scratch, here):
            from clew.agents.briefing import brief_for_model

            scratch.news = brief_for_model(self.workspace, only_if_restored=is_new) or scratch.news

    def _was_moved(self, scratch: SessionScratch, here: Checkpoint) -> bool:
        """Return whether anything but saves led from the last event's checkpoint to `here`."""
        at: Checkpoint | None = here
        with self.workspace.reading_context() as context:
            while at is not None and at.record.sequence > scratch.top:
                if {RESTORED, KEPT_SINCE} & dict(at.labels.meta).keys():
                    return True
                before = at.record.parent
                at = context.store.checkpoints.get(before) if before is not None else None
        return at is not None and at.id.hex() != scratch.here


def _joined(failures: Iterable[str]) -> str:
    return shorten_line("; ".join(failures), _MAX_FAILURES)
