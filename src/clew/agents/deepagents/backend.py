"""A backend of deepagents, watched: what it changes is kept, before and after.

The wrapper is of a subclass of the backend's own class, and shares its attributes.  deepagents asks
for classes to tell what a backend can do and how its paths are checked: one that was none of them
would lose tools, and the rules of permissions would be checked against the wrong paths.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any

from deepagents.backends.protocol import BackendProtocol

from clew.agents.deepagents.outcomes import WATCHED, Given, Watched, with_news
from clew.agents.deepagents.watching import Ask, Watching, Where
from clew.agents.watch import Call, EndedCall

Method = Callable[..., Any]

call_id: ContextVar[str] = ContextVar("clew_call_id", default="")
"""What the agent calls the call that is being done, where somebody knows."""
_inside: ContextVar[bool] = ContextVar("clew_inside", default=False)
"""Whether a method is called by another of the same backend, which has told us already."""


class ClewBackend(BackendProtocol):
    """`ClewBackend(backend, workspace)` does what `backend` does, and keeps what it changes.

    `name` is what the session is called, so that another process can go on with it; `ask` puts the
    questions of the gate to a person, and without it the answer to every question is no.
    """

    clew: Watching
    """The watch, which a `ClewMiddleware` shares."""

    def __new__(
        cls, inner: BackendProtocol, where: Where, *, name: str = "", ask: Ask | None = None
    ) -> ClewBackend:
        kind = type(inner)
        methods: dict[str, object] = {"clew": Watching(where, name, ask)}
        for method, watched in WATCHED.items():
            if _is_done_by(kind, method):
                methods[method] = _in_thread(getattr(kind, method), watched)
                methods["a" + method] = _in_loop(getattr(kind, "a" + method), watched)
        made: Any = object.__new__(type(f"Clew{kind.__name__}", (cls, kind), methods))
        made.__dict__ = inner.__dict__
        return made  # type: ignore[no-any-return]  # a subclass that was made just now

    def __init__(self, *_: object, **__: object) -> None:
        """Leave the attributes as the backend has set them."""


def _is_done_by(kind: type[BackendProtocol], method: str) -> bool:
    """Tell whether a backend does more than say that it cannot."""
    found = getattr(kind, method, None)
    return found is not None and found is not getattr(BackendProtocol, method, None)


def _in_thread(method: Method, watched: Watched) -> Method:
    @wraps(method)
    def call(self: ClewBackend, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return method(self, *args, **kwargs)
        given = _given(method, self, args, kwargs)
        begun = Call(watched.tool, watched.named(given), call_id.get())
        decision = self.clew.before(begun)
        if not decision.allowed:
            return watched.refused(given, decision.reason)
        try:
            with _alone():
                result = method(self, *args, **kwargs)
        except BaseException as error:
            self.clew.after(EndedCall(begun, _words(error)))
            raise
        self.clew.after(EndedCall(begun, watched.failure(result)))
        return _with_news(self.clew, result)

    return call


def _in_loop(method: Method, watched: Watched) -> Method:
    @wraps(method)
    async def call(self: ClewBackend, *args: Any, **kwargs: Any) -> Any:
        if _inside.get():
            return await method(self, *args, **kwargs)
        given = _given(method, self, args, kwargs)
        begun = Call(watched.tool, watched.named(given), call_id.get())
        decision = await to_thread(self.clew.before, begun)
        if not decision.allowed:
            return watched.refused(given, decision.reason)
        try:
            with _alone():
                result = await method(self, *args, **kwargs)
        except BaseException as error:
            self.clew.after(EndedCall(begun, _words(error)))  # not awaited: we may be cancelled
            raise
        await to_thread(self.clew.after, EndedCall(begun, watched.failure(result)))
        return _with_news(self.clew, result)

    return call


@contextmanager
def _alone() -> Iterator[None]:
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def _given(method: Method, self: object, args: Any, kwargs: Any) -> Given:
    """Return arguments by name; none where the call is wrong, which the method itself will say."""
    try:
        return signature(method).bind(self, *args, **kwargs).arguments
    except TypeError:
        return {}


def _with_news(watching: Watching, result: Any) -> Any:
    if with_news(result, "") is None:
        return result
    news = watching.news()
    return with_news(result, news) if news else result


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
