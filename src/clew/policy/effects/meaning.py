"""Effect matching: whether an action repeats an earlier effect.

After a restore the same intent comes back with a new id, at a new time, with its arguments in another
order, so idempotency keys do not help: actions are compared by meaning.  `meaning_of` returns the
canonical form of an action; `match` searches earlier effects for it and describes the differences.

In doubt, actions count as the same, because then the user is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clew.model.effect import Act, Effect, EffectOutcome
from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten
from clew.policy.effects.commands import NormalizedCommand, written_line
from clew.policy.effects.keys import action_kind_of, key_words
from clew.policy.effects.noise import Noise
from clew.policy.effects.redact import redacted
from clew.policy.effects.sentence import is_command_line, written_sentence
from clew.policy.effects.spelling import digest_of, shown
from clew.policy.effects.values import Values
from clew.policy.labels import INTENT_LIMIT, shorten_intent
from clew.policy.redaction.redact import MARK, redact
from clew.policy.shell.tool_call import is_shell, shell_line

LONGEST_MEANING = 16_384
_MAX_CAPTION = 80


class Meaning(NamedTuple):
    """The canonical form of an action; equal texts mean the same action."""

    text: str

    def __str__(self) -> str:
        return self.text


class EffectMatch(NamedTuple):
    """An earlier effect with the same meaning."""

    effect: Effect
    reason: str
    """A sentence for the user who must decide."""


def meaning_of(act: Act) -> Meaning:
    """Return the meaning of `act`, without generated ids and times."""
    return Meaning(_written(act).text)


def match(act: Act, earlier: Sequence[Effect]) -> EffectMatch | None:
    """Return the first of `earlier` with the same meaning as `act` that may be in effect."""
    ours = _written(act)
    stored: NormalizedCommand | None = None
    for effect in earlier:
        if not effect.may_stand:
            continue
        theirs = _written(effect.act)
        if theirs.text != ours.text and _was_changed(effect.act, theirs):
            stored = stored or _written(_as_stored(act))
        if theirs.text == ours.text or (stored is not None and theirs.text == stored.text):
            return EffectMatch(effect, _reason(act, ours, effect, theirs))
    return None


def _written(act: Act) -> NormalizedCommand:
    line = shell_line(act.tool, act.arguments) if act.tool else None
    if line is not None:
        found = written_line(*line)
    elif act.tool:
        found = _written_call(act)
    else:
        found = _written_words(act)
    if not found.text.strip():  # nothing but noise: compare the noise
        return NormalizedCommand(shown(f"{act.tool} {act.what}".strip()), ())
    if len(found.text) <= LONGEST_MEANING:
        return found
    return found._replace(text=f"{found.text[:200]} <{digest_of(found.text)}>")


def _written_call(act: Act) -> NormalizedCommand:
    """Return a tool call in canonical form; its description counts only if it has no arguments."""
    values = Values(action_kind_of((act.tool, *_verbs(act.arguments))))
    arguments = values.written(act.arguments)
    name = "_".join(key_words(act.tool)) or shown(act.tool)
    if arguments is None and act.what and act.what != act.tool:
        found = _written_words(act._replace(arguments=None))
        if is_command_line(act.what) and is_shell(act.tool):
            return found
        return NormalizedCommand(f"{name}: {found.text}", (*values.noise, *found.noise))
    return NormalizedCommand(f"{name}({arguments or ''})", tuple(values.noise))


def _written_words(act: Act) -> NormalizedCommand:
    written = written_line if is_command_line(act.what) else written_sentence
    found = written(act.what)
    if act.arguments is None:
        return found
    values = Values(action_kind_of(act.what.split()[:5]))
    arguments = values.written(act.arguments)
    return NormalizedCommand(f"{found.text} with {arguments}", (*found.noise, *values.noise))


def _verbs(arguments: object) -> list[str]:
    if not isinstance(arguments, Mapping):
        return []
    named = (arguments.get(key) for key in ("method", "action", "operation", "verb"))
    return [value for value in named if isinstance(value, str) and len(value) < 100]


def _reason(act: Act, ours: NormalizedCommand, effect: Effect, theirs: NormalizedCommand) -> str:
    caption = shorten(redact(effect.act.what), _MAX_CAPTION)
    named = f"the same action as effect {effect.number}, {caption!r}"
    if effect.status == EffectOutcome.UNKNOWN:
        named += ", whose outcome is unknown"
    return f"{named}: {_difference(act, ours, effect.act, theirs)}"


def _difference(act: Act, ours: NormalizedCommand, other: Act, theirs: NormalizedCommand) -> str:
    if _is_equal(act, other):
        return "identical"
    differing = sorted({noise.what for noise in _only_in_one(ours.noise, theirs.noise)})
    if not differing:
        return "only the spelling differs"
    if len(differing) == 1:
        return f"only {differing[0]} differs"
    return f"only {', '.join(differing[:-1])} and {differing[-1]} differ"


def _is_equal(act: Act, other: Act) -> bool:
    try:
        return act == other
    except RecursionError:  # arguments nested too deeply for Python to compare
        return False


def _only_in_one(ours: Sequence[Noise], theirs: Sequence[Noise]) -> frozenset[Noise]:
    return frozenset(ours) ^ frozenset(theirs)


def _was_changed(act: Act, written: NormalizedCommand) -> bool:
    """Return whether an act may have been truncated or redacted when it was stored."""
    is_cut = len(act.what) >= INTENT_LIMIT or "\ufffd" in act.what
    return is_cut or any(MARK in noise.value for noise in written.noise)


def _as_stored(act: Act) -> Act:
    clean = redacted(act)
    return clean._replace(what=shorten_intent(clean.what)[0])
