"""Backend wrapper for deepagents: checkpoints before and after calls that change files.

The wrapper is an instance of a subclass of the backend's class, and shares its attributes.
deepagents uses the class to derive what a backend supports and how its paths are checked: a wrapper
of another class would lose tools, and permissions would be checked against the wrong paths.
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

from clew.agents.deepagents.thread_safe_watch import Ask, ThreadSafeWatch, Where
from clew.agents.deepagents.watched_methods import WATCHED, Given, Watched, with_news
from clew.agents.watch import Call, EndedCall

Method = Callable[..., Any]

call_id: ContextVar[str] = ContextVar("clew_call_id", default="")
"""The agent's id of the current call, if known."""
_is_nested: ContextVar[bool] = ContextVar("clew_inside", default=False)
"""Whether a watched method of the same backend is the caller."""


class ClewBackend(BackendProtocol):
    """`ClewBackend(backend, workspace)` wraps `backend` and checkpoints what it changes.

    `name` is the name of the session, with which another process can continue it; `ask` puts
    questions of the gate to a user, and without it the answer to every question is no.
    """

    clew: ThreadSafeWatch
    """The watch, which a `ClewMiddleware` shares."""

    def __new__(
        cls, inner: BackendProtocol, where: Where, *, name: str = "", ask: Ask | None = None
    ) -> ClewBackend:
        kind = type(inner)
        methods: dict[str, object] = {"clew": ThreadSafeWatch(where, name, ask)}
        for method, watched in WATCHED.items():
            if _implements(kind, method):
                methods[method] = _wrap_sync(getattr(kind, method), watched)
                methods["a" + method] = _wrap_async(getattr(kind, "a" + method), watched)
        made: Any = object.__new__(type(f"Clew{kind.__name__}", (cls, kind), methods))
        made.__dict__ = inner.__dict__
        return made  # type: ignore[no-any-return]  # a subclass created above

    def __init__(self, *_: object, **__: object) -> None:
        """Do nothing: the attributes are the backend's."""


def _implements(kind: type[BackendProtocol], method: str) -> bool:
    """Return whether a backend implements a method."""
    found = getattr(kind, method, None)
    return found is not None and found is not getattr(BackendProtocol, method, None)


def _wrap_sync(method: Method, watched: Watched) -> Method:
    @wraps(method)
    def call(self: ClewBackend, *args: Any, **kwargs: Any) -> Any:
        if _is_nested.get():
            return method(self, *args, **kwargs)
        given = _given(method, self, args, kwargs)
        begun = Call(watched.tool, watched.named(given), call_id.get())
        decision = self.clew.before(begun)
        if not decision.allowed:
            return watched.refused(given, decision.reason)
        try:
            with _nested():
                result = method(self, *args, **kwargs)
        except BaseException as error:
            self.clew.after(EndedCall(begun, _describe(error)))
            raise
        self.clew.after(EndedCall(begun, watched.failure(result)))
        return _with_news(self.clew, result)

    return call


def _wrap_async(method: Method, watched: Watched) -> Method:
    @wraps(method)
    async def call(self: ClewBackend, *args: Any, **kwargs: Any) -> Any:
        if _is_nested.get():
            return await method(self, *args, **kwargs)
        given = _given(method, self, args, kwargs)
        begun = Call(watched.tool, watched.named(given), call_id.get())
        decision = await to_thread(self.clew.before, begun)
        if not decision.allowed:
            return watched.refused(given, decision.reason)
        try:
            with _nested():
                result = await method(self, *args, **kwargs)
        except BaseException as error:
            self.clew.after(
                EndedCall(begun, _describe(error))
            )  # not awaited: the task may be cancelled
            raise
        await to_thread(self.clew.after, EndedCall(begun, watched.failure(result)))
        return _with_news(self.clew, result)

    return call


@contextmanager
def _nested() -> Iterator[None]:
    token = _is_nested.set(True)
    try:
        yield
    finally:
        _is_nested.reset(token)


def _given(method: Method, self: object, args: Any, kwargs: Any) -> Given:
    """Return the arguments by name; none if they do not match, which the method itself reports."""
    try:
        return signature(method).bind(self, *args, **kwargs).arguments
    except TypeError:
        return {}


def _with_news(watching: ThreadSafeWatch, result: Any) -> Any:
    if with_news(result, "") is None:
        return result
    news = watching.news()
    return with_news(result, news) if news else result


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
