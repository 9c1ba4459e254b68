"""Signatures declared once: a method that takes the arguments of another."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")
    S = TypeVar("S")


def signature_of(
    model: Callable[Concatenate[Any, P], R],
) -> Callable[[Callable[Concatenate[S, ...], R]], Callable[Concatenate[S, P], R]]:
    """Give a method that passes its arguments on the signature of `model`, also in `help`."""

    def wrap(method: Callable[Concatenate[S, ...], R]) -> Callable[Concatenate[S, P], R]:
        method.__wrapped__ = model  # type: ignore[attr-defined]  # `inspect.signature` reads it
        return method

    return wrap
