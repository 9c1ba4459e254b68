"""Effects: recorded before they happen, settled afterwards, and not repeated by accident.

After a restore, the session no longer remembers later effects.  An action that repeats one of them
is refused, unless it is repeated on purpose.
"""

from __future__ import annotations

from clew.errors import BadOption, DuplicateEffect, EffectSettled, UnknownEffect
from clew.model.effect import Act, Effect, EffectOutcome
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.policy.effects.meaning import match
from clew.policy.effects.redact import redacted
from clew.policy.labels import label


def record_effect(
    context: Context,
    session: SessionInfo | None,
    act: Act,
    *,
    reversible: bool = False,
    undo: str = "",
    again: bool = False,
) -> Effect:
    """Record an effect before it happens; raise `DuplicateEffect` if it was done and forgotten."""
    context.store.require_writable()
    if not act.what.strip() and not act.tool:
        raise BadOption("WHAT", "a description or a tool is required")
    if not again:
        refuse_repeat(context, act)
    clean = redacted(act)
    clean = clean._replace(what=label(clean.what), tool=label(clean.tool))
    effect = Effect(
        0,
        session.text_id if session is not None else "",
        clean,
        reversible,
        label(undo),
    )
    return context.store.effects.intend(context.workspace, effect)


def settle(context: Context, number: int, status: str, outcome: str = "") -> Effect:
    """Record the outcome of an effect; the same outcome twice is accepted, another is refused."""
    if status not in (EffectOutcome.DONE, EffectOutcome.FAILED, EffectOutcome.UNDONE):
        raise BadOption("STATUS", "must be one of done, failed, undone")
    store = context.store
    with store.database.transaction():
        effect = store.effects.get(context.workspace, number)
        if effect is None:
            raise UnknownEffect(str(number))
        undoes = (effect.status, status) == (EffectOutcome.DONE, EffectOutcome.UNDONE)
        if effect.is_settled and not undoes and effect.status != status:
            raise EffectSettled(number, effect.act.what, effect.status)
        if not effect.is_settled or undoes:
            text = label(outcome)
            store.effects.settle(context.workspace, number, status, text)
    found = store.effects.get(context.workspace, number)
    assert found is not None
    return found


def refuse_repeat(context: Context, act: Act) -> None:
    """Raise `DuplicateEffect` for an action that was done and forgotten."""
    store = context.store
    forgotten = set(store.effects.forgotten(context.workspace))
    if not forgotten:
        return
    standing = [
        effect
        for effect in store.effects.of(context.workspace)
        if effect.number in forgotten and effect.may_stand
    ]
    found = match(act, standing)
    if found is not None:
        raise DuplicateEffect(found.effect.number, found.effect.act.what, found.reason)
