"""Effects: external actions that a restore cannot undo.

An effect is recorded before it happens, with an unknown outcome, and settled afterwards; one that was
never settled may or may not have happened, and is reported as such.
An act is the action as requested: a sentence, a command line, or a tool call.
`policy/effects/meaning.py` compares two acts.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class EffectOutcome:
    """The outcome of an effect."""

    UNKNOWN = "unknown"
    """Intended; whether it happened was not recorded."""
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    """It was done, and then undone by another action."""

    ALL = (UNKNOWN, DONE, FAILED, UNDONE)


class Act(NamedTuple):
    """An external action: a sentence, a command line, or a tool call."""

    what: str
    """A description or a command line; only a caption if there are a tool and arguments."""
    tool: str = ""
    arguments: object = None
    """The JSON value passed to the tool."""


class Effect(NamedTuple):
    """A recorded act and its outcome."""

    number: int
    session: str
    act: Act
    reversible: bool = False
    undo: str = ""
    """The action that would undo it, as a description or a command line."""
    status: str = EffectOutcome.UNKNOWN
    """One of `EffectOutcome`."""
    outcome: str = ""
    """The text given when it was settled."""
    time_ns: int = 0
    settled_ns: int | None = None

    @property
    def is_settled(self) -> bool:
        return self.status != EffectOutcome.UNKNOWN

    @property
    def may_stand(self) -> bool:
        """Whether it is, or may be, in effect."""
        return self.status in (EffectOutcome.DONE, EffectOutcome.UNKNOWN)
