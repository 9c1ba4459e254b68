"""Events: handlers that a host program has called after a call has succeeded or failed.

A handler is called once, when the result is durable, in the thread that produced it.
An exception of a handler is recorded and not raised.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from clew.errors import BadOption, ClewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec, TypeVar

    from clew.workspace.workspace import Workspace

    P = ParamSpec("P")
    R = TypeVar("R")
    W = TypeVar("W", bound="Workspace")

SAVED = "saved"
RESTORED = "restored"
PRUNED = "pruned"
VERIFIED = "verified"
ERROR = "error"

EVENTS = (SAVED, RESTORED, PRUNED, VERIFIED, ERROR)

Handler = Callable[[object], object]
"""Called with the result of the call, or with the `ClewError` that it raised."""


class Listeners:
    """The handlers of each event."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {event: [] for event in EVENTS}
        self.failures: list[str] = []
        """What handlers raised, newest last."""

    def add(self, event: str, handler: Handler) -> Callable[[], None]:
        """Add a handler; return a function that removes it."""
        if event not in EVENTS:
            raise BadOption("event", f"must be one of {', '.join(EVENTS)}")
        self._handlers[event].append(handler)
        return functools.partial(self._remove, event, handler)

    def tell(self, event: str, data: object) -> None:
        """Call the handlers of an event."""
        for handler in list(self._handlers[event]):
            try:
                handler(data)
            except Exception as error:  # noqa: BLE001 - the call itself has succeeded
                self.failures.append(f"A handler of {event!r} failed: {error!r}")

    def _remove(self, event: str, handler: Handler) -> None:
        if handler in self._handlers[event]:
            self._handlers[event].remove(handler)


def announced(
    event: str | None,
) -> Callable[[Callable[Concatenate[W, P], R]], Callable[Concatenate[W, P], R]]:
    """Make a method report its result as `event`, and its errors as `error`."""

    def wrap(verb: Callable[Concatenate[W, P], R]) -> Callable[Concatenate[W, P], R]:
        @functools.wraps(verb)
        def wrapper(self: W, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                result = verb(self, *args, **kwargs)
            except ClewError as error:
                self.listeners.tell(ERROR, error)
                raise
            if event is not None:
                self.listeners.tell(event, result)
            return result

        return wrapper

    return wrap
