"""Effects: acts on the outside world, which no restore takes back.

An effect is written down before it happens, with its outcome unknown, and settled afterwards; what
was never settled may or may not have happened, and that is said.
An act is what somebody asked for, in his own words: a sentence, a command line, or the call of a
tool.  What two acts have in common is for `effect_meaning` to say.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class EffectOutcome:
    """What became of an effect."""

    UNKNOWN = "unknown"
    """Intended; whether it happened was never said."""
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    """It was done, and then taken back by another act."""

    ALL = (UNKNOWN, DONE, FAILED, UNDONE)


class Act(NamedTuple):
    """What is to be done outside: a sentence or a command line, or the call of a tool."""

    what: str
    """A description or a command line; beside a tool and its arguments, only a caption."""
    tool: str = ""
    arguments: object = None
    """A JSON value, as the tool is given it."""


class Effect(NamedTuple):
    """An act that was recorded, and what became of it."""

    number: int
    session: str
    act: Act
    reversible: bool = False
    undo: str = ""
    """The act that would take it back, in words or as a command line."""
    status: str = EffectOutcome.UNKNOWN
    """One of `Outcome`."""
    outcome: str = ""
    """What was said when it was settled."""
    time_ns: int = 0
    settled_ns: int | None = None

    @property
    def is_settled(self) -> bool:
        return self.status != EffectOutcome.UNKNOWN

    @property
    def may_stand(self) -> bool:
        """Tell whether it is, or could be, true outside."""
        return self.status in (EffectOutcome.DONE, EffectOutcome.UNKNOWN)
