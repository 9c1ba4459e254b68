"""Approval: actions on the outside world are recorded before they run, and may need approval.

Rules name the calls that are such actions (`policy/approval/rules.py`).  Each becomes an effect,
whether or not anyone is asked.  With the setting `gate` on, none runs without approval, and if
nobody can be asked, it is denied.  An action that was done and forgotten by a restore is denied in
any case, unless it is repeated on purpose.
"""

from __future__ import annotations

from collections.abc import Callable

from clew.errors import DuplicateEffect
from clew.model.checkpoint import Checkpoint
from clew.model.effect import Act
from clew.model.session import SessionInfo
from clew.model.shorten import shorten_line
from clew.operations.context import Context
from clew.operations.maintenance.settings import GATE, GATE_RULES, in_force
from clew.policy.approval.decision import Decision
from clew.policy.approval.defaults import DEFAULT_RULES
from clew.policy.approval.rules import ApprovalRule, parse_rules, rule_for
from clew.policy.shell.tool_call import shell_line

Ask = Callable[[str], bool]
"""Puts a question to a person."""

_LONGEST = 200


def decide(
    context: Context,
    session: SessionInfo | None,
    tool: str,
    arguments: object,
    *,
    ask: Ask | None = None,
    again: bool = False,
    keep: Callable[[str], Checkpoint] | None = None,
) -> Decision:
    """Decide whether a tool may be called, and record the effect.

    `keep` saves a checkpoint; it is called before an action that cannot be undone.
    """
    settings = in_force(context)
    rule = rule_for(tool, arguments, parse_rules(settings[GATE_RULES] or DEFAULT_RULES))
    if rule is None:
        return Decision(True)
    from clew.operations.sessions.effects import record_effect  # noqa: PLC0415  most calls are no such acts

    what = _words(tool, arguments)
    act = Act(what, tool, arguments)
    refusal = _refusal(context, act, rule, ask, again=again, gated=settings[GATE] == "on")
    if refusal is not None:
        return Decision(False, refusal, rule)
    kept = keep(f"before: {what}") if keep is not None and not rule.reversible else None
    effect = record_effect(context, session, act, reversible=rule.reversible, again=True)
    return Decision(True, rule.why, rule, effect, kept)


def _refusal(
    context: Context, act: Act, rule: ApprovalRule, ask: Ask | None, *, again: bool, gated: bool
) -> str | None:
    """Return why an action is denied; None if it is not."""
    from clew.operations.sessions.effects import refuse_repeat  # noqa: PLC0415  the same

    if not again:
        try:
            refuse_repeat(context, act)
        except DuplicateEffect as error:
            question = f"{error}. It is {error.reason}. Repeat it?"
            return None if ask is not None and ask(question) else f"{error}. It is {error.reason}"
    if not gated:
        return None
    why = f" ({rule.kind}: {rule.why})" if rule.why else f" ({rule.kind})"
    if ask is None:
        return f"Approval required, and no interactive user to ask{why}: {act.what}"
    return None if ask(f"Allow this{why}? {act.what}") else f"Refused by the user{why}: {act.what}"


def _words(tool: str, arguments: object) -> str:
    """Return the name of an action: its command line, or its tool."""
    from clew.policy.effects.redact import redacted_line  # noqa: PLC0415  the same

    line = shell_line(tool, arguments)
    return shorten_line(redacted_line(line[0] if line is not None else tool), _LONGEST)
