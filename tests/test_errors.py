"""Errors: the tree in the docstring matches the classes, and every message is one line."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import get_type_hints

import pytest

import clew
from clew import errors
from clew.errors import ClewError
from clew.model.restore_results import RestorePreview
from clew.model.results import PruneResult
from clew.model.retention import Tombstone
from tests.cli import samples

OURS = (
    "reason",
    "problem",
    "actual",
    "option",
    "location",
    "workspace",
    "status",
    "amount",
    "extra",
    "checkpoint",
)
"""Parameters that take words of clew's own."""
HOSTILE = "a\nb\r\x1b[31m\u202e\udcff|\x00"


def _all() -> Iterator[type[ClewError]]:
    """Yield every error of the package, wherever it is defined."""
    for module in pkgutil.walk_packages(clew.__path__, "clew."):
        if module.name != "clew.__main__":
            importlib.import_module(module.name)
    waiting: list[type[ClewError]] = [ClewError]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.__subclasses__()


ALL = sorted(
    # the command line's own, about words that no verb ever sees, is its own business
    (one for one in _all() if re.match(r"clew\.(?!cli\.)", one.__module__)),
    key=lambda error: error.__name__,
)
IDS = [one.__name__ for one in ALL]


def _drawn() -> dict[str, str | None]:
    """Return the names of the drawing, each with the one it hangs on."""
    parents: dict[str, str | None] = {}
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.fullmatch(r"( *)([*x+-]) (\w+)", line)
        if found is None:
            continue
        depth = len(found[1])
        parents[found[3]] = above.get(depth - 2)
        above[depth] = found[3]
    return parents


def test_the_drawing_shows_every_error_where_it_hangs() -> None:
    real = {one.__name__: None if one is ClewError else one.__mro__[1].__name__ for one in ALL}

    assert _drawn() == real


def test_every_error_lives_where_it_is_drawn() -> None:
    assert {one.__module__ for one in ALL} == {"clew.errors"}


@pytest.mark.parametrize("error", ALL, ids=IDS)
def test_every_error_says_what_it_is(error: type[ClewError]) -> None:
    text = inspect.getdoc(error)

    assert text
    assert "\n" not in text.split("\n\n")[0] or len(text) < 200
    assert error.kind == error.kind.lower()
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", error.kind)


def test_every_kind_means_one_error() -> None:
    kinds = [one.kind for one in ALL]

    assert sorted({kind for kind in kinds if kinds.count(kind) > 1}) == []


def _example(error: type[ClewError]) -> ClewError:
    """Make one with hostile words wherever it takes words."""
    if "__init__" not in vars(error):
        return error("Some words")
    known = {
        "Merge": object,
        "PruneResult": PruneResult,
        "RestorePreview": RestorePreview,
        "Tombstone": Tombstone,
    }
    hints = get_type_hints(error.__init__, {**vars(errors), **known})
    values = {name: _value(name, hint) for name, hint in hints.items() if name != "return"}
    return error(**values)


def _value(name: str, hint: object) -> object:
    if hint is int:
        return 12
    if hint is bytes:
        return b"\xff" * 32
    if hint == list[str]:
        return ["12345678 (name)"] * 7
    if hint is PruneResult:
        return samples.PRUNED
    if hint is RestorePreview:
        return samples.PREVIEW
    if hint is Tombstone:
        return samples.NO_MORE
    if hint is object:
        return object()
    return "words" if name in OURS else HOSTILE


@pytest.mark.parametrize("error", ALL, ids=IDS)
def test_every_message_is_one_line_that_no_terminal_minds(error: type[ClewError]) -> None:
    message = str(_example(error))

    assert message
    assert message[0].isupper() or error is errors.BadOption  # which begins with the option
    assert not message.endswith(".")
    assert message.isprintable()


@pytest.mark.parametrize("error", ALL, ids=IDS)
def test_an_error_can_be_raised_inside_a_context_manager(error: type[ClewError]) -> None:
    """A frozen or unhashable one could not."""
    from contextlib import contextmanager

    @contextmanager
    def block() -> Iterator[None]:
        yield

    with pytest.raises(error), block():
        raise _example(error)


def test_a_confirmation_says_how_much_would_be_overwritten() -> None:
    one = samples.PREVIEW._replace(deleted=(), metadata=())
    session = one._replace(replaced=())

    assert str(errors.NeedsConfirmation(one)) == (
        "Confirmation required: 1 file would be overwritten"
    )
    assert str(errors.NeedsConfirmation(session)) == (
        "Confirmation required: the session's conversation or tasks would be replaced"
    )


def test_messages_are_tested_literally() -> None:
    assert str(errors.UnknownReference("x'y")) == 'No checkpoint matches: "x\'y"'
    assert str(errors.NotAStore("/srv/x")) == "Not a clew store: '/srv/x'"
    assert str(errors.NoSuchPath("a", checkpoint="4f2a91c0")) == (
        "No such path in checkpoint 4f2a91c0: 'a'"
    )
    assert str(errors.Locked("/srv/x")) == ("The store is locked by another clew process: '/srv/x'")
    assert str(errors.ExplicitPathRequired("/")) == (
        "Explicit path required to create a workspace: '/'"
    )
    assert str(errors.BadForkDirectory("/x", "not empty")) == (
        "Invalid fork directory (not empty): '/x'"
    )
    assert str(errors.CannotEnter("a", "it has no directory")) == (
        "Cannot enter the fork (it has no directory): 'a'"
    )
    assert str(errors.CommandNotStarted("mak", "Permission denied")) == (
        "Cannot start the command (Permission denied): 'mak'"
    )
    assert str(errors.NoSuchPath("a", "directory")) == (
        "Not a file but a directory in the checkpoint: 'a'"
    )
    assert str(errors.AmbiguousReference("ab", list("123456"))) == (
        "More than one checkpoint matches 'ab': 1, 2, 3, 4, 5, …"
    )
    assert str(errors.WorkspaceMoved("/new", "0123456789abcdef", "/old")) == (
        "Directory belongs to workspace 01234567, registered at '/old': '/new'"
    )
