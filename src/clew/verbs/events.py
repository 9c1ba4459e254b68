"""Events: what a host program is told after a verb has done its work.

A handler hears of something when it is durable, once, in the thread that did it.
What a handler raises is its own affair: it is noticed and goes no further.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from clew.errors import BadOption, ClewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec, TypeVar

    from clew.verbs.base import WorkspaceBase

    P = ParamSpec("P")
    R = TypeVar("R")
    W = TypeVar("W", bound="WorkspaceBase")

SAVED = "saved"
RESTORED = "restored"
PRUNED = "pruned"
VERIFIED = "verified"
ERROR = "error"

EVENTS = (SAVED, RESTORED, PRUNED, VERIFIED, ERROR)

Handler = Callable[[object], object]
"""Given the verb's result, or the `ClewError` it raised."""


class Listeners:
    """Who wants to hear of what."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {event: [] for event in EVENTS}
        self.failures: list[str] = []
        """What handlers raised, newest last."""

    def add(self, event: str, handler: Handler) -> Callable[[], None]:
        """Have a handler called, and return what stops that."""
        if event not in EVENTS:
            raise BadOption("event", f"must be one of {', '.join(EVENTS)}")
        self._handlers[event].append(handler)
        return functools.partial(self._remove, event, handler)

    def tell(self, event: str, data: object) -> None:
        """Call whoever wants to hear."""
        for handler in list(self._handlers[event]):
            try:
                handler(data)
            except Exception as error:  # noqa: BLE001 - the work is done, whatever they make of it
                self.failures.append(f"A handler of {event!r} failed: {error!r}")

    def _remove(self, event: str, handler: Handler) -> None:
        if handler in self._handlers[event]:
            self._handlers[event].remove(handler)


def announced(
    event: str | None,
) -> Callable[[Callable[Concatenate[W, P], R]], Callable[Concatenate[W, P], R]]:
    """Make a verb announce its result as `event`, and what it refuses as an error."""

    def wrap(verb: Callable[Concatenate[W, P], R]) -> Callable[Concatenate[W, P], R]:
        @functools.wraps(verb)
        def told(self: W, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                result = verb(self, *args, **kwargs)
            except ClewError as error:
                self.listeners.tell(ERROR, error)
                raise
            if event is not None:
                self.listeners.tell(event, result)
            return result

        return told

    return wrap
