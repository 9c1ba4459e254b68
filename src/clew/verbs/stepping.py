"""Steps of a program: a checkpoint before and after, without a word about it in between.

    with ws.step("write_file: main.py"):
        ...

    @ws.checkpointed
    def write_file(path, content): ...

What is there already costs nothing: a side of a step that changed nothing makes no checkpoint.
A step that raises is kept as one that failed, and what it raised goes on.
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
from clew.verbs.auto_prune import Thrift
from clew.verbs.keeping import Keeping

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_VALUE = 60


class Step:
    """One step, as whoever takes it sees it."""

    def __init__(self, intent: str, before: SaveResult) -> None:
        self.intent = intent
        """What it is; may be mended before it ends."""
        self.before = before
        self.after: SaveResult | None = None
        """Once it has ended."""


class Stepping(Keeping, Thrift):
    """The verbs for programs that work step by step."""

    @contextmanager
    def step(self, intent: str) -> Iterator[Step]:
        """Save what is there, let the block work, and save what came of it."""
        step = Step(intent, self._keep(f"before {intent}"))
        try:
            yield step
        except BaseException as error:
            try:
                what = f"{step.intent}: failed, {type(error).__name__}: {error}"
                step.after = self._keep(what, failed=True)
            except ClewError as problem:  # what went wrong first matters more
                error.add_note(f"Its checkpoint was not taken: {problem}")
            raise
        step.after = self._keep(step.intent)

    def checkpointed(self, tool: Callable[P, R]) -> Callable[P, R]:
        """Make every call of a function a step, named after the function and what it was given."""
        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def awaited(*args: P.args, **kwargs: P.kwargs) -> object:
                with self.step(_call(tool, args, kwargs)):
                    return await tool(*args, **kwargs)

            return cast("Callable[P, R]", awaited)

        @functools.wraps(tool)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            with self.step(_call(tool, args, kwargs)):
                return tool(*args, **kwargs)

        return called

    def _keep(self, intent: str, *, failed: bool = False) -> SaveResult:
        meta = {"step": "failed"} if failed else {}
        saved = self.save(intent, meta=meta, skip_unchanged=True, origin=Origin.AUTOMATIC)
        if saved.created:
            self.prune_now_and_then(saved)
        return saved


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
    text = text.replace("\n", " ")
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
