"""Steps of a program: a checkpoint before and after each.

    with ws.step("write_file: main.py"):
        ...

    @ws.checkpointed
    def write_file(path, content): ...

A side of a step on which nothing changed makes no checkpoint.
A step that raises is saved as failed, and the exception is raised again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar, cast

from clew.errors import ClewError
from clew.model.record import Origin
from clew.model.save_result import SaveResult
from clew.model.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.workspace.workspace import Workspace

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_VALUE = 60


class Step:
    """One step while it runs."""

    def __init__(self, intent: str, before: SaveResult) -> None:
        self.intent = intent
        """Its description; may be changed before it ends."""
        self.before = before
        self.after: SaveResult | None = None
        """Set when it has ended."""


@contextmanager
def step(workspace: Workspace, intent: str) -> Iterator[Step]:
    """Save before and after the block."""
    step = Step(intent, _save(workspace, f"before {intent}"))
    try:
        yield step
    except BaseException as error:
        try:
            what = f"{step.intent}: failed, {type(error).__name__}: {error}"
            step.after = _save(workspace, what, failed=True)
        except ClewError as problem:  # the first error matters more
            error.add_note(f"Its checkpoint was not taken: {problem}")
        raise
    step.after = _save(workspace, step.intent)


def checkpointed(workspace: Workspace, tool: Callable[P, R]) -> Callable[P, R]:
    """Return a function that runs every call of `tool` as a step."""
    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def awaited(*args: P.args, **kwargs: P.kwargs) -> object:
            with step(workspace, _call(tool, args, kwargs)):
                return await tool(*args, **kwargs)

        return cast("Callable[P, R]", awaited)

    @functools.wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with step(workspace, _call(tool, args, kwargs)):
            return tool(*args, **kwargs)

    return called


def _save(workspace: Workspace, intent: str, *, failed: bool = False) -> SaveResult:
    meta = {"step": "failed"} if failed else {}
    return workspace.save(intent, meta=meta, skip_unchanged=True, origin=Origin.AUTOMATIC)


def _call(tool: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    """Return `write_file: main.py, mode=0644`; secrets leave it where every label is cleaned."""
    words = [_shortened(value) for value in args]
    words += [f"{key}={_shortened(value)}" for key, value in kwargs.items()]
    name = getattr(tool, "__name__", type(tool).__name__)
    return f"{name}: {', '.join(words)}" if words else name


def _shortened(value: object) -> str:
    text = (
        str(value) if isinstance(value, str | int | float | bool) else f"<{type(value).__name__}>"
    )
    return shorten(text.replace("\n", " "), _LONGEST_VALUE)
